// The vectors of a bank as sparse rows in the type that decisions are computed in.
#pragma once

#include "sparse_lanes.hpp"
#include "vectors.hpp"

namespace dagmar {

template <class T>
class SparseVectors final : public Vectors<T> {
   public:
    SparseVectors(const Bank& bank, Level level);
    using Vectors<T>::bank, Vectors<T>::simd, Vectors<T>::norms;

    void load_tile(const Samples& x, Tile<T>& tile) const override;
    void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override;

    // Loads one sample, times the kernel's scale, as a row of its own. Returns its squared norm.
    T load(const Samples& x, std::size_t i, SparseRows<T>& row) const;

    FeaturePlaces places;  // features that no vector has take no memory: there may be millions of them
    SparseRows<T> rows;

   private:
    // The squared norm of a sample, given that of its row. Bounds count as many roundings as a vector has nonzeros, so
    // the norm of a longer sample is summed in double.
    T norm_of(const SparseView& x, std::int64_t sample, T of_row) const;
};

}  // namespace dagmar
