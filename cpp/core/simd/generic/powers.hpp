// Powers of two, by which the Gaussian kernel and tanh are computed.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// 2^x for x <= 0 is 2^n 2^r, where n is an integer and |r| <= 1/2. A polynomial gives 2^r, with an error far below half
// a unit in the last place; n is added to the bits of the exponent. Below 2^kFaintest the result is zero: products of
// smaller numbers would be subnormal, which take a processor a hundred times as long.
template <class T>
struct PowerOfTwo;
template <>
struct PowerOfTwo<float> {
    static constexpr int mantissa = 23, degree = 6;
    static constexpr float to_integer = 12582912.0f;  // 1.5 * 2^23
    // Coefficients of (2^r - 1) / r that minimise the largest relative error of 2^r. It is 2.6e-9, about that of a
    // Taylor series with one more term.
    static constexpr float coefficient(int k) {
        constexpr double all[degree] = {0.6931472149680399,   0.24022652782876086,   0.05550310550995639,
                                        0.009617692974894681, 0.0013406643905123539, 0.0001559467754861648};
        return static_cast<float>(all[k]);
    }
};
template <>
struct PowerOfTwo<double> {
    static constexpr int mantissa = 52, degree = 13;
    static constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52
    // Taylor series: (ln 2)^(k + 1) / (k + 1)!.
    static constexpr double coefficient(int k) {
        double value = 1.0;
        for (int i = 1; i <= k + 1; ++i) value = value * 0.69314718055994530942 / i;
        return value;
    }
};

// (2^r - 1) / r for r between -1/2 and 1/2.
template <class T>
inline Vec<T> polynomial(Vec<T> r) {
    using V = Vec<T>;
    using P = PowerOfTwo<T>;
    V value = splat<V>(P::coefficient(P::degree - 1));
#pragma GCC unroll 16
    for (int k = P::degree - 2; k >= 0; --k) value = value * r + splat<V>(P::coefficient(k));
    return value;
}

// value * 2^n, where `shifted` is n + to_integer: its low bits hold n. The shift drops the bits above n; unsigned sums
// wrap around.
template <class T>
inline Vec<T> times_power(Vec<T> value, Vec<T> shifted) {
    using Bits = Vec<BitsOf<T>>;
    return reinterpret_cast<Vec<T>>(reinterpret_cast<Bits>(value) +
                                    (reinterpret_cast<Bits>(shifted) << PowerOfTwo<T>::mantissa));
}

template <class T>
inline Vec<T> power_of_two(Vec<T> x) {
    using V = Vec<T>;
    const V faintest = splat<V>(T(kFaintest<T>)), whole = splat<V>(PowerOfTwo<T>::to_integer);
#if DAGMAR_BYTES == 64
    if constexpr (sizeof(T) == sizeof(float)) {  // AVX-512 has two instructions for this, with the same bits
        const V n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), r = x - n;
        const V value = polynomial<T>(r) * r + splat<V>(T(1));
        return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, faintest, _CMP_GT_OQ), value, n);
    }
#endif
    const auto counts = x > faintest;
    x = larger<T>(x, faintest);
    const V shifted = x + whole, r = x - (shifted - whole);
    const V power = times_power<T>(polynomial<T>(r) * r + splat<V>(T(1)), shifted);
    return counts ? power : V{};
}

// exp(-gamma d) = 2^(scale d). The scale is finite, so that a distance of zero gives 1.
template <class T>
inline T scale_of(double gamma) {
    const double scale = -gamma * 1.4426950408889634074;
    return static_cast<T>(std::max(scale, -static_cast<double>(std::numeric_limits<T>::max())));
}

}  // namespace dagmar::DAGMAR_LEVEL
