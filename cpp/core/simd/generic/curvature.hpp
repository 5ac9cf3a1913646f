// The curvature of the objective along a pair of samples, and what a step along it gains.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// 1/x for x > 0, with a relative error of about 1e-5. The exponent is negated in the bits; two steps of Newton's method
// follow. Unlike the processor's own estimate it has the same bits everywhere, and unlike a division it is fast.
template <class T>
inline Vec<T> about_one_over(Vec<T> x) {
    using V = Vec<T>;
    using Bits = Vec<BitsOf<T>>;
    constexpr auto negated =
        sizeof(T) == 4 ? static_cast<BitsOf<T>>(0x7EF311C7) : static_cast<BitsOf<T>>(0x7FDE6238DA3C2118);
    const V two = splat<V>(T(2));
    V y = reinterpret_cast<V>(splat<Bits>(negated) - reinterpret_cast<Bits>(x));
    y = y * (two - x * y);
    return y * (two - x * y);
}

// 1 / max(K_aa + K_kk - 2 K_ak, floor).
template <class T>
inline Vec<T> inverse_curvature(Vec<T> diagonal_a, Vec<T> diagonal, Vec<T> row_a, Vec<T> floor) {
    return about_one_over<T>(larger<T>((diagonal_a + diagonal) - splat<Vec<T>>(T(2)) * row_a, floor));
}

// The second-order gain of moving a sample of score `top` up and those of scores `low` down: 0 where that is no
// descent.
template <class T>
inline Vec<T> gain_of(Vec<T> top, Vec<T> low, Vec<T> inverse) {
    const Vec<T> drop = larger<T>(top - low, Vec<T>{});
    return drop * drop * inverse;
}

}  // namespace dagmar::DAGMAR_LEVEL
