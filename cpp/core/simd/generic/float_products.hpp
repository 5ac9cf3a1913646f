// The functions of simd/float_products.hpp.
#pragma once

#include "simd/float_products.hpp"
#include "simd/generic/powers.hpp"
#include "simd/generic/rows_and_panels.hpp"

namespace dagmar::DAGMAR_LEVEL {

inline void float_rbf(const FloatOperands& of, double gamma, float* out) {
    using V = Vec<float>;
    const V scale = splat<V>(scale_of<float>(gamma));
    every_row<Real<float>>(of, [&](std::size_t q, std::size_t lane, V sums) {
        const V distance = distance_of<Real<float>>(of, q, lane, sums);
        store(out + q * of.n_panels * kLanes + lane, power_of_two<float>(scale * distance));
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
