// The vectors of a bank as sparse rows in the type that decisions are computed in.
#pragma once

#include "decide/vectors.hpp"
#include "samples/sparse_lanes.hpp"

namespace dagmar {

// Immutable after construction.
template <class T>
class SparseVectors final : public Vectors<T> {
   public:
    SparseVectors(const Bank& bank, Level level, const Threads& threads);
    using Vectors<T>::bank, Vectors<T>::simd;

    void load_tile(const Samples& x, Codes codes, Tile<T>& tile) const override;
    void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override;
    std::unique_ptr<LoneSample<T>> make_sample(Codes codes) const override;
    const std::vector<T>& norms() const override { return norms_; }
    double largest_norm2() const override { return largest_norm2_; }

   private:
    class Sample;

    // The squared norm of a sample, given that of its row. Bounds count as many roundings as a vector has nonzeros, so
    // the norm of a longer sample is summed in double.
    T norm_of(const SparseView& x, std::int64_t sample, T of_row) const;

    FeaturePlaces places_;  // features that no vector has take no memory: there may be millions of them
    SparseRows<T> rows_;
    std::vector<T> norms_;
    double largest_norm2_ = 0;
};

}  // namespace dagmar
