// The functions of simd/float_products.hpp.
#pragma once

#include "simd/float_products.hpp"
#include "simd/generic/rows_and_panels.hpp"

namespace dagmar::DAGMAR_LEVEL {

struct Float {
    using Word = float;
    using V = Floats;
    static V add_products(V sums, V lanes, V row) { return sums + row * lanes; }
    static Floats distance(V norms, V dots) {
        const Floats found = norms - splat<Floats>(2.0f) * dots;
        return larger<float>(found, Floats{});
    }
};

inline void float_rbf(const FloatOperands& of, double gamma, float* out) {
    const Floats scale = splat<Floats>(scale_of<float>(gamma));
    every_row<Float>(of, [&](std::size_t q, std::size_t lane, Floats sums) {
        store(out + q * of.n_panels * kLanes + lane,
              power_of_two<float>(scale * distance_of<Float>(of, q, lane, sums)));
    });
}

constexpr FloatProducts float_table() { return {float_rbf, least_distances<Float, FloatOperands>}; }

}  // namespace dagmar::DAGMAR_LEVEL
