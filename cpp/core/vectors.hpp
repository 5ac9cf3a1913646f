// The vectors of a bank in the type that decisions are computed in, dense or sparse.
#pragma once

#include <vector>

#include "bank.hpp"

namespace dagmar {

template <class T>
struct Tile;

// What lanes and bounds need to know of vectors of either kind.
template <class T>
class Vectors {
   public:
    virtual ~Vectors() = default;

    // Writes the samples tile.ids of x, times the kernel's scale, and their squared norms to the tile.
    virtual void load_tile(const Samples& x, Tile<T>& tile) const = 0;
    // out[q * tile.lanes + lane] = <vectors[q], lane>.
    virtual void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const = 0;
    // out[q * tile.lanes + lane] = K(vectors[q], lane).
    virtual void kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const;

    // sums[lane] += the sum of coef[q] K(vectors[q], lane), if this takes less time than to keep the kernel values for
    // a sum; else returns false.
    virtual bool add_terms(Tile<T>&, const std::int32_t* /*vectors*/, std::size_t /*n*/, const T* /*coef*/,
                           double* /*sums*/) const {
        return false;
    }

    // Told how many values of a tile were asked and how many of their signs are open. Returns whether the tile should
    // be loaded again, this time not for rough labels.
    virtual bool too_rough(const Tile<T>&, std::size_t /*asked*/, std::size_t /*open*/) const { return false; }

    const Bank& bank;
    const Level level;
    const Simd<T>& simd;
    std::size_t longest = 0;      // the most terms of a dot product
    std::vector<T> norms;         // squared, of the scaled vectors
    double largest_norm2 = 0;     // the largest of the vectors as given
    std::vector<T> coef, gammas;  // those of the bank, for scaled samples; no gammas if vectors have none of their own

   protected:
    // The bank must outlive this.
    Vectors(const Bank& bank_, Level level_)
        : bank(bank_), level(level_), simd(dagmar::simd<T>(level)), norms(bank.lists.n_vectors()),
          coef(bank.lists.coef.begin(), bank.lists.coef.end()), gammas(bank.gammas.size()) {
        for (std::size_t v = 0; v < gammas.size(); ++v)
            gammas[v] = static_cast<T>(bank.kernel.unscale2(bank.gammas[v]));
    }

    // To be called once `norms` are known.
    void note_largest_norm() {
        for (const T norm2 : norms) largest_norm2 = larger_norm2(largest_norm2, static_cast<double>(norm2));
        largest_norm2 = bank.kernel.unscale2(largest_norm2);
    }
};

}  // namespace dagmar
