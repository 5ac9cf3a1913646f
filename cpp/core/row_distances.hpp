// Squared distances in double precision, from differences: for the few values that float leaves open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd.hpp"

namespace dagmar {

// out[t] = |x - row vectors[t]|^2 for n of the row-major rows.
using RowDistances = void (*)(const double* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                              std::size_t n_features, double* out);

RowDistances row_distances(Level level);

}  // namespace dagmar
