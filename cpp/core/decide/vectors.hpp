// The vectors of a bank in the type that decisions are computed in: what is the same for dense and sparse ones.
#pragma once

#include <memory>
#include <vector>

#include "decide/tile.hpp"
#include "model/bank.hpp"

namespace dagmar {

// One sample, to be compared with vectors by itself. Each worker has its own and loads one sample after the other.
template <class T>
class LoneSample {
   public:
    virtual ~LoneSample() = default;

    // What bounds on rounding need to know about a sample: its squared norm after scaling, or, if it is in integer
    // codes, how far it is from them (Grid::off).
    struct Loaded {
        T norm2 = 0;
        bool in_codes = false;
        double off = 0.0;
    };
    virtual Loaded load(const Samples& x, std::size_t i) = 0;

    // memo[v] = K(v, sample) for these vectors.
    virtual void evaluate(const std::vector<std::int32_t>& vectors, T* memo) = 0;

    // Whether it is faster to evaluate all vectors of a group at once than to find those that are missing; and the
    // same as `evaluate` for panels first ... first+n-1 of the pool.
    virtual bool by_panels() const { return false; }
    virtual void evaluate_panels(std::size_t /*first*/, std::size_t /*n*/, T* /*memo*/) {}
};

template <class T>
class Vectors {
   public:
    virtual ~Vectors() = default;

    // Loads the samples tile.ids of x, times the kernel's scale, with these codes if all of them have such.
    virtual void load_tile(const Samples& x, Codes codes, Tile<T>& tile) const = 0;
    // out[q * tile.lanes + lane] = <vectors[q], lane>.
    virtual void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const = 0;
    // out[q * tile.lanes + lane] = K(vectors[q], lane).
    virtual void kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const;

    virtual std::unique_ptr<LoneSample<T>> make_sample(Codes codes) const = 0;

    virtual const std::vector<T>& norms() const = 0;  // squared, of the scaled vectors
    virtual double largest_norm2() const = 0;         // the largest squared norm of the vectors as given

    const Bank& bank;
    const Level level;
    const Simd<T>& simd;
    std::size_t longest = 0;      // the most terms of a dot product
    std::vector<T> coef, gammas;  // those of the bank, for scaled samples; no gammas if all vectors have the kernel's

   protected:
    // The bank must outlive this.
    Vectors(const Bank& bank, Level level);
};

// The largest squared norm of the vectors as given, from those of the scaled vectors.
template <class T>
double largest_norm2_of(const std::vector<T>& norms, const Kernel& kernel);

// A sample that is compared with vectors by dot products.
template <class T>
class SampleOfDots : public LoneSample<T> {
   public:
    explicit SampleOfDots(const Vectors<T>& vectors) : v_(vectors) {}
    void evaluate(const std::vector<std::int32_t>& vectors, T* memo) override;

   protected:
    virtual void dots(const std::vector<std::int32_t>& vectors, T* out) = 0;

    T norm2_ = 0;  // of the sample, squared

   private:
    const Vectors<T>& v_;
    std::vector<T> dots_, norms_, gammas_;
};

}  // namespace dagmar
