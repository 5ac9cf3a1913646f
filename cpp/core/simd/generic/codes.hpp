// Kinds of integer codes: how their products are added up, and how features are encoded.
#pragma once

#include "simd/generic/powers.hpp"
#include "simd/generic/rows_and_panels.hpp"
#include "simd/integer_products.hpp"

namespace dagmar::DAGMAR_LEVEL {

using Floats = Vec<float>;
using Integers = Vec<std::uint32_t>;  // unsigned: sums outside the range wrap around

inline Floats to_floats(Integers numbers) {
    return __builtin_convertvector(reinterpret_cast<Vec<std::int32_t>>(numbers), Floats);
}

struct Integer {
    using Word = std::uint32_t;
    using V = Integers;
    static constexpr bool differences = false;
    static Floats distance(V norms, V dots) { return to_floats(norms - (dots + dots)); }
};

struct Words : Integer {
    using Code = std::int16_t;
    static constexpr int bits = 16;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
#ifdef __AVX512VNNI__
        return reinterpret_cast<Integers>(_mm512_dpwssd_epi32(
            reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row)));
#elif DAGMAR_BYTES == 64
        return sums + reinterpret_cast<Integers>(
                          _mm512_madd_epi16(reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row)));
#else
        return sums + reinterpret_cast<Integers>(
                          _mm256_madd_epi16(reinterpret_cast<__m256i>(lanes), reinterpret_cast<__m256i>(row)));
#endif
    }
};

#ifdef __AVX512VNNI__
struct Bytes : Integer {
    using Code = std::uint8_t;
    static constexpr int bits = 8;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
        return reinterpret_cast<Integers>(_mm512_dpbusd_epi32(
            reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(row), reinterpret_cast<__m512i>(lanes)));
    }
};
#endif

// The smaller of two codes, for sums of |x - z|. Ones add up the codes of a word.
struct SmallerWords : Words {
    static constexpr bool differences = true;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
        const auto ones = splat<Integers>(std::uint32_t{0x00010001});
#if DAGMAR_BYTES == 64
        const __m512i smaller = _mm512_min_epi16(reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row));
#else
        const __m256i smaller = _mm256_min_epi16(reinterpret_cast<__m256i>(lanes), reinterpret_cast<__m256i>(row));
#endif
        return Words::add_products(sums, reinterpret_cast<Integers>(smaller), ones);
    }
};

struct SmallerBytes : Integer {
    using Code = std::uint8_t;
    static constexpr int bits = 8;
    static constexpr bool differences = true;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
        const auto ones = splat<Integers>(std::uint32_t{0x01010101});
#if DAGMAR_BYTES == 64
        const __m512i smaller = _mm512_min_epu8(reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row));
#else
        const __m256i smaller = _mm256_min_epu8(reinterpret_cast<__m256i>(lanes), reinterpret_cast<__m256i>(row));
#endif
#ifdef __AVX512VNNI__
        return reinterpret_cast<Integers>(
            _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums), smaller, reinterpret_cast<__m512i>(ones)));
#elif DAGMAR_BYTES == 64
        const __m512i pairs = _mm512_maddubs_epi16(smaller, reinterpret_cast<__m512i>(ones));
        return Words::add_products(sums, reinterpret_cast<Integers>(pairs), splat<Integers>(std::uint32_t{0x00010001}));
#else
        const __m256i pairs = _mm256_maddubs_epi16(smaller, reinterpret_cast<__m256i>(ones));
        return Words::add_products(sums, reinterpret_cast<Integers>(pairs), splat<Integers>(std::uint32_t{0x00010001}));
#endif
    }
};

// Registers of doubles, and as many numbers of another type.
using Doubles = Vec<double>;
template <class T>
using Beside = typename VectorOf<T, kWidth<double> * sizeof(T)>::type;

template <class Kind, class S>
Coded encode(const S* x, const CodeScale& by, std::size_t n_features, std::uint32_t* words) {
    constexpr std::size_t width = kWidth<double>;
    using Code = typename Kind::Code;
    const Doubles whole = splat<Doubles>(PowerOfTwo<double>::to_integer);  // added and taken away: the nearest integer
    const Doubles lowest = splat<Doubles>(by.lowest), highest = splat<Doubles>(by.highest);
    Doubles off2{}, squares{}, sum{};
    const auto encode_several = [&](Doubles value, Doubles origin, Doubles per_step) {
        const Doubles place = (value - origin) * per_step;
        Doubles nearest = (place + whole) - whole;
        nearest = nearest > lowest ? nearest : lowest;
        nearest = nearest < highest ? nearest : highest;
        const Doubles off = place - nearest;
        off2 += off * off;
        squares += nearest * nearest;
        sum += nearest;
        return __builtin_convertvector(__builtin_convertvector(nearest, Beside<std::int32_t>), Beside<Code>);
    };
    words[(n_features * sizeof(Code) - 1) / sizeof(std::uint32_t)] = 0;
    auto* out = reinterpret_cast<Code*>(words);
    std::size_t f = 0;
    for (; f + width <= n_features; f += width)
        store(out + f, encode_several(__builtin_convertvector(load<Beside<S>>(x + f), Doubles),
                                      load<Doubles>(by.origin + f), load<Doubles>(by.per_step + f)));
    if (f < n_features) {  // the last ones, beside zeros
        Doubles value{}, origin{}, per_step{};
        for (std::size_t u = 0; f + u < n_features; ++u) {
            value[u] = static_cast<double>(x[f + u]);
            origin[u] = by.origin[f + u];
            per_step[u] = by.per_step[f + u];
        }
        const auto codes = encode_several(value, origin, per_step);
        for (std::size_t u = 0; f + u < n_features; ++u) out[f + u] = codes[u];
    }
    const auto total = [](Doubles v) {
        double all = 0;
        for (std::size_t u = 0; u < width; ++u) all += v[u];
        return all;
    };
    return {total(off2), total(squares), total(sum)};
}

}  // namespace dagmar::DAGMAR_LEVEL
