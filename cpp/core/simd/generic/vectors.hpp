// Registers as vector types, with the operations that all topics share. Each source of an instruction set defines
// DAGMAR_LEVEL (a namespace) and DAGMAR_BYTES (register width) and then includes the topics it needs. The vector types
// of GCC and Clang do most of the work; intrinsics appear only where the compilers' own code is slower.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#if DAGMAR_BYTES >= 32
#include <immintrin.h>
#endif

#include "simd/simd.hpp"

namespace dagmar::DAGMAR_LEVEL {

constexpr std::size_t kBytes = DAGMAR_BYTES;

template <class T, std::size_t Bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes), may_alias));
};
template <class T>
using Vec = typename VectorOf<T, kBytes>::type;

template <class T>
constexpr std::size_t kWidth = kBytes / sizeof(T);
template <class T>
constexpr std::size_t kPerPanel = kLanes / kWidth<T>;

// Integers of the size of T.
template <class T>
using SignedOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
using BitsOf = std::make_unsigned_t<SignedOf<T>>;

// A register in memory that is not aligned. (As an attribute of V the alignment would be lost: Clang drops it from
// template arguments.)
template <class V>
struct __attribute__((packed, may_alias)) InMemory {
    V value;
};
template <class V, class T>
inline V load(const T* p) {
    return reinterpret_cast<const InMemory<V>*>(p)->value;
}
template <class V, class T>
inline void store(T* p, V v) {
    reinterpret_cast<InMemory<V>*>(p)->value = v;
}
template <class V, class T>
inline V splat(T value) {
    return value - V{};
}

// first, first + 1, ...
template <class Integer>
inline Vec<Integer> counting_from(Integer first) {
    Vec<Integer> lanes;
    for (std::size_t u = 0; u < kWidth<Integer>; ++u) lanes[u] = static_cast<Integer>(u);
    return lanes + first;
}

// Calls work.template operator()<Count>(first) for all of n, from `first` on: N at a time, the rest by halves of N.
template <std::size_t N, class Work>
inline void in_batches(std::size_t n, const Work& work, std::size_t first = 0) {
    for (; first + N <= n; first += N) work.template operator()<N>(first);
    if constexpr (N > 1) in_batches<N / 2>(n, work, first);
}

// The larger of two numbers, b if one of them is NaN. (A comparison with zero would compile to two instructions.)
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

// Numbers in memory as a register of doubles, and back. (GCC would convert 512 bits in two halves.)
inline Vec<double> widened(const double* p) { return load<Vec<double>>(p); }
inline Vec<double> widened(const float* p) {
#if DAGMAR_BYTES == 64
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#else
    return __builtin_convertvector(load<typename VectorOf<float, kBytes / 2>::type>(p), Vec<double>);
#endif
}
inline void store_narrowed(double* p, Vec<double> v) { store(p, v); }
inline void store_narrowed(float* p, Vec<double> v) {
#if DAGMAR_BYTES == 64
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
#else
    store(p, __builtin_convertvector(v, typename VectorOf<float, kBytes / 2>::type));
#endif
}

// Numbers in memory as a register of S, which is T or wider.
template <class S, class T>
inline Vec<S> load_as(const T* p) {
    if constexpr (std::is_same_v<S, T>)
        return load<Vec<S>>(p);
    else
        return widened(p);
}

}  // namespace dagmar::DAGMAR_LEVEL
