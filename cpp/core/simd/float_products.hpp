// Distances and rbf values between rows and panels of floats: products and kernel function in one pass.
#pragma once

#include "simd/rows_and_panels.hpp"

namespace dagmar {

using FloatOperands = RowsAndPanels<float, float>;

struct FloatProducts {
    // out[q * n_panels * kLanes + lane] = exp(-gamma distance) of row vectors[q]: the bits of `dots` and `rbf`
    // (simd.hpp).
    void (*rbf)(const FloatOperands& of, double gamma, float* out);
    // out[lane] = the least of the distances and what was there.
    void (*least)(const FloatOperands& of, float* out);
};

// The functions of an instruction set.
const FloatProducts* float_products(Level level);

}  // namespace dagmar
