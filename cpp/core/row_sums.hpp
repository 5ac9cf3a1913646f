// Sums over rows of samples as given, in double precision: one source, compiled for each instruction set. They add in
// the same order and without fused operations, so all have the same bits.
#pragma once

#include <cstddef>

#include "simd.hpp"

namespace dagmar {

template <class S>
struct RowSums {
    // sums[f] += feature f of each row, one row after the other.
    void (*add_rows)(const S* x, std::size_t n_rows, std::size_t n_features, double* sums);
    // out[i] = |x_i - centre|^2, in eight sums side by side; a null centre is the origin.
    void (*squared_norms)(const S* x, std::size_t n_rows, std::size_t n_features, const double* centre, double* out);
    // How many of n numbers are not zero.
    std::size_t (*count_nonzero)(const S* x, std::size_t n);
};

template <class S>
const RowSums<S>& row_sums(Level level);

}  // namespace dagmar
