// What the sources of one instruction set share: registers as vector types, and powers of two. Included with
// DAGMAR_LEVEL (a namespace) and DAGMAR_BYTES (register width) set. With GCC and Clang vector types it needs few
// intrinsics.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#if DAGMAR_BYTES >= 32
#include <immintrin.h>
#endif

#include "simd.hpp"

namespace dagmar::DAGMAR_LEVEL {

constexpr std::size_t kBytes = DAGMAR_BYTES;

template <class T, std::size_t Bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));
};
template <class T>
using Vec = typename VectorOf<T, kBytes>::type;

template <class T>
constexpr std::size_t kWidth = kBytes / sizeof(T);
template <class T>
constexpr std::size_t kPerPanel = kLanes / kWidth<T>;

template <class V, class T>
inline V load(const T* p) {
    return *reinterpret_cast<const V*>(p);
}
template <class V, class T>
inline void store(T* p, V v) {
    *reinterpret_cast<V*>(p) = v;
}
template <class V, class T>
inline V splat(T value) {
    return value - V{};
}

// Calls work.template operator()<i>() for i = 0 ... Count-1: arrays of vectors with constant places stay in registers.
template <std::size_t Count, class Work>
inline void for_each(const Work& work) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (work.template operator()<i>(), ...);
    }(std::make_index_sequence<Count>{});
}

// The larger of two numbers, b if one of them is NaN. Written as a comparison, it would be two instructions beside
// zero.
template <class T>
inline Vec<T> larger(Vec<T> a, Vec<T> b) {
#if DAGMAR_BYTES == 64
    if constexpr (sizeof(T) == sizeof(float))
        return _mm512_max_ps(a, b);
    else
        return _mm512_max_pd(a, b);
#elif DAGMAR_BYTES == 32
    if constexpr (sizeof(T) == sizeof(float))
        return _mm256_max_ps(a, b);
    else
        return _mm256_max_pd(a, b);
#else
    return a > b ? a : b;
#endif
}

// 2^x for x <= 0. x = n + r with |r| <= 1/2; 2^r by a polynomial, whose error is far below half a unit in the last
// place; n is added to the exponent bits. Far below the rounding of 1 the result is zero: products with tiny numbers
// would be subnormal, and a processor takes a hundred times as long for those.
template <class T>
struct PowerOfTwo;
template <>
struct PowerOfTwo<float> {
    using Bits = std::uint32_t;  // unsigned: sums outside the range wrap around
    static constexpr int mantissa = 23, degree = 6;
    static constexpr float to_integer = 12582912.0f;  // 1.5 * 2^23
    // Of (2^r - 1) / r. The largest relative error of 2^r is the least possible, 2.6e-9: as little as a term more of
    // the Taylor series would have.
    static constexpr float coefficient(int k) {
        constexpr double all[degree] = {0.6931472149680399,   0.24022652782876086,   0.05550310550995639,
                                        0.009617692974894681, 0.0013406643905123539, 0.0001559467754861648};
        return static_cast<float>(all[k]);
    }
};
template <>
struct PowerOfTwo<double> {
    using Bits = std::uint64_t;
    static constexpr int mantissa = 52, degree = 13;
    static constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52
    // Of the Taylor series: (ln 2)^(k + 1) / (k + 1)!.
    static constexpr double coefficient(int k) {
        double value = 1.0;
        for (int i = 1; i <= k + 1; ++i) value = value * 0.69314718055994530942 / i;
        return value;
    }
};

// The polynomial of 2^r - 1, divided by r, for r between -1/2 and 1/2.
template <class T>
inline Vec<T> polynomial(Vec<T> r) {
    using V = Vec<T>;
    using P = PowerOfTwo<T>;
    V value = splat<V>(P::coefficient(P::degree - 1));
#pragma GCC unroll 16
    for (int k = P::degree - 2; k >= 0; --k) value = value * r + splat<V>(P::coefficient(k));
    return value;
}

template <class T>
inline Vec<T> power_of_two(Vec<T> x) {
    using V = Vec<T>;
    using P = PowerOfTwo<T>;
    using Bits = Vec<typename P::Bits>;
    const V low = splat<V>(T(kFaintest<T>)), whole = splat<V>(P::to_integer);
#if DAGMAR_BYTES == 64
    if constexpr (sizeof(T) == sizeof(float)) {  // the same bits, by two instructions that AVX-512 has for it
        const V n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), r = x - n;
        const V value = polynomial<T>(r) * r + splat<V>(T(1));
        return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, low, _CMP_GT_OQ), value, n);
    }
#endif
    const auto counts = x > low;
    x = larger<T>(x, low);
    const V shifted = x + whole;  // the low bits now hold n as an integer
    const V r = x - (shifted - whole);
    const V value = polynomial<T>(r) * r + splat<V>(T(1));
    // The shift drops what `whole` put above n.
    const V power =
        reinterpret_cast<V>(reinterpret_cast<Bits>(value) + (reinterpret_cast<Bits>(shifted) << P::mantissa));
    return counts ? power : V{};
}

// exp(-gamma d) = 2^(scale d). The scale is finite, so that a distance of zero has the value 1.
template <class T>
inline T scale_of(double gamma) {
    const double scale = -gamma * 1.4426950408889634074;
    return static_cast<T>(std::max(scale, -static_cast<double>(std::numeric_limits<T>::max())));
}

}  // namespace dagmar::DAGMAR_LEVEL
