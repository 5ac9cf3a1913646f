// Squared distances in double precision, from differences: for the few values that float leaves open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd.hpp"

namespace dagmar {

// out[s][t] = |x[s] - row vectors[t]|^2 for n_x samples, 1, 2 or 4, and n of the row-major rows. Mostly a row takes
// longer to be read than to be computed with, so samples share it. The bits do not depend on how many there are.
using RowDistances = void (*)(const double* const* x, std::size_t n_x, const double* rows, const std::int32_t* vectors,
                              std::size_t n, std::size_t n_features, double* const* out);

RowDistances row_distances(Level level);

}  // namespace dagmar
