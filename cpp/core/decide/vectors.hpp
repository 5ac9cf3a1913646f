// The vectors of a bank in the type that decisions are computed in: what is the same for dense and sparse ones.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/integers.hpp"
#include "decide/lazy.hpp"
#include "decide/tile.hpp"
#include "model/bank.hpp"

namespace dagmar {

template <class T>
class LoneSample;

template <class T>
class Vectors {
   public:
    virtual ~Vectors() = default;
    virtual std::unique_ptr<LoneSample<T>> make_sample(Codes codes) const = 0;
    // Loads the samples tile.ids of x, times the kernel's scale, with these codes if all of them have such.
    virtual void load_tile(const Samples& x, Codes codes, Tile<T>& tile) const = 0;
    // out[q * tile.lanes + lane] = <vectors[q], lane>; the distance, for a kernel of differences.
    virtual void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const = 0;
    // out[q * tile.lanes + lane] = K(vectors[q], lane).
    virtual void kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
        // Products of all lanes are finished before the next leave the first-level cache.
        constexpr std::size_t cached = 96 * 128;
        const std::size_t at_once = std::max<std::size_t>(kLanes, cached / tile.lanes);
        const std::vector<T>& norms = this->norms();
        for (std::size_t first = 0; first < n; first += at_once) {
            const std::size_t last = std::min(n, first + at_once);
            dots(tile, vectors + first, last - first, out + first * tile.lanes);
            for (std::size_t q = first; q < last; ++q) {
                const std::size_t v = usize(vectors[q]);
                bank.kernel_of(v).finish(simd, out + q * tile.lanes, tile.norms, norms[v], tile.lanes);
            }
        }
    }

    virtual const std::vector<T>& norms() const = 0;  // squared, of the scaled vectors
    // The largest squared norm of the vectors as given.
    double largest_norm2() const {
        return largest_norm2_.get([&] {
            double largest = 0;
            for (const T norm2 : norms()) largest = larger_bound(largest, static_cast<double>(norm2));
            return bank.kernel.unscale2(largest);
        });
    }

    const Bank& bank;
    const Level level;
    const Simd<T>& simd;
    std::size_t longest = 0;      // the most terms of a dot product
    std::vector<T> coef, gammas;  // those of the bank, for scaled samples; no gammas if all vectors have the kernel's

   protected:
    // The bank must outlive this.
    Vectors(const Bank& of, Level at)
        : bank(of), level(at), simd(dagmar::simd<T>(at)), coef(of.lists.coef.begin(), of.lists.coef.end()) {
        for (const double gamma : bank.gammas) gammas.push_back(static_cast<T>(bank.kernel.unscale(gamma)));
    }

   private:
    Lazy<double> largest_norm2_;
};

// One sample, to be compared with vectors by itself. Each worker has its own and loads one sample after the other.
template <class T>
class LoneSample {
   public:
    explicit LoneSample(const Vectors<T>& vectors) : of_(vectors) {}
    virtual ~LoneSample() = default;

    // What bounds on rounding need to know about a sample: its squared norm after scaling, or, if it is in integer
    // codes, how far it is from them (QuantizedVectors::off).
    struct Loaded {
        T norm2 = 0;
        bool in_codes = false;
        double off = 0.0;
    };
    virtual Loaded load(const Samples& x, std::size_t i) = 0;

    // memo[v] = K(v, sample) for these vectors.
    void evaluate(const std::vector<std::int32_t>& vectors, T* memo) {
        const std::size_t n = padded(vectors.size());
        dots_.assign(n, T(0));
        norms_.assign(n, T(0));
        gammas_.assign(of_.gammas.empty() ? 0 : n, T(1));
        dots(vectors, dots_.data());
        const std::vector<T>& norms = of_.norms();
        for (std::size_t q = 0; q < vectors.size(); ++q) {
            norms_[q] = norms[usize(vectors[q])];
            if (!gammas_.empty()) gammas_[q] = of_.gammas[usize(vectors[q])];
        }
        const T* gammas = gammas_.empty() ? nullptr : gammas_.data();
        of_.bank.kernel.finish(of_.simd, dots_.data(), norms_.data(), norm2_, n, gammas);
        for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
    }

    // Whether it is faster to evaluate all vectors of a group at once than to find those that are missing; and the
    // same as `evaluate` for panels first ... first+n-1 of the pool.
    virtual bool by_panels() const { return false; }
    virtual void evaluate_panels(std::size_t /*first*/, std::size_t /*n*/, T* /*memo*/) {}

   protected:
    virtual void dots(const std::vector<std::int32_t>& vectors, T* out) = 0;

    T norm2_ = 0;  // of the sample, squared

   private:
    const Vectors<T>& of_;
    std::vector<T> dots_, norms_, gammas_;
};

}  // namespace dagmar
