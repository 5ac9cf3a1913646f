// The body of rbf_products_<level>.cpp, which set DAGMAR_LEVEL (a namespace), DAGMAR_BYTES (register width), and
// DAGMAR_GRID where products of integers are faster than those of floats.
#include "rbf_products.hpp"
#include "simd_vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

using Integers = Vec<std::int32_t>;
using Floats = Vec<float>;

// A kind of words says how their products are added up, and what a distance is made of.
struct Float {
    using Word = float;
    using V = Floats;
    static V add_products(V sums, V lanes, V row) { return sums + row * lanes; }
    static Floats distance(V norms, V dots) {
        const Floats found = norms - splat<Floats>(2.0f) * dots;
        return found > Floats{} ? found : Floats{};
    }
};

struct Integer {
    using Word = std::int32_t;
    using V = Integers;
    static Floats distance(V norms, V dots) { return __builtin_convertvector(norms - (dots + dots), Floats); }
};

#ifdef DAGMAR_GRID
struct Bits16 : Integer {
    using Level = std::int16_t;
    static constexpr int bits = 16;
    static constexpr double faster = kBytes == 64 ? 1.9 : 1.8;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
#if DAGMAR_BYTES == 64
        return reinterpret_cast<Integers>(_mm512_dpwssd_epi32(
            reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row)));
#else
        return sums + reinterpret_cast<Integers>(
                          _mm256_madd_epi16(reinterpret_cast<__m256i>(lanes), reinterpret_cast<__m256i>(row)));
#endif
    }
};

#if DAGMAR_BYTES == 64
struct Bits8 : Integer {
    using Level = std::int8_t;
    static constexpr int bits = 8;
    static constexpr double faster = 3.8;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
        return reinterpret_cast<Integers>(_mm512_dpbusd_epi32(
            reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row)));
    }
};
#endif
#endif

// Q rows against P panels, from row q and panel p on. Not inlined: the constants of `finish` would be kept in registers
// that the sums need.
template <class Kind, std::size_t Q, std::size_t P, class Operands, class Finish>
[[gnu::noinline]] void rows_and_panels(const Operands& of, std::size_t q, std::size_t p, const Finish& finish,
                                       float* out) {
    using V = typename Kind::V;
    using Word = typename Kind::Word;
    constexpr std::size_t width = kWidth<float>, per = kPerPanel<float>;
    V sums[Q][P * per] = {};
    const Word* row[Q];
    for (std::size_t i = 0; i < Q; ++i)
        row[i] = reinterpret_cast<const Word*>(of.rows + static_cast<std::size_t>(of.vectors[q + i]) * of.stride);
    const std::size_t step = of.n_words * kLanes;
    const auto* panel = reinterpret_cast<const Word*>(of.panels + p * step);
    for (std::size_t w = 0; w < of.n_words; ++w) {
        V lanes[P * per];
#pragma GCC unroll 32
        for (std::size_t u = 0; u < P * per; ++u)
            lanes[u] = load<V>(panel + u / per * step + w * kLanes + u % per * width);
#pragma GCC unroll 32
        for (std::size_t i = 0; i < Q; ++i) {
            const V x = splat<V>(row[i][w]);
#pragma GCC unroll 32
            for (std::size_t u = 0; u < P * per; ++u) sums[i][u] = Kind::add_products(sums[i][u], lanes[u], x);
        }
    }
    const std::size_t n_lanes = of.n_panels * kLanes;
#pragma GCC unroll 32
    for (std::size_t i = 0; i < Q; ++i)
#pragma GCC unroll 32
        for (std::size_t u = 0; u < P * per; ++u) {
            const std::size_t lane = p * kLanes + u * width;
            const V norms = splat<V>(of.row_norms[of.vectors[q + i]]) + load<V>(of.lane_norms + lane);
            store(out + (q + i) * n_lanes + lane, finish(Kind::distance(norms, sums[i][u])));
        }
}

template <class Kind, std::size_t Q, class Operands, class Finish>
inline void rows_and_all_panels(const Operands& of, std::size_t q, const Finish& finish, float* out) {
    // A row alone meets as many panels as hide the latency of its sums.
    constexpr std::size_t P = (Q == 1 ? 8 : 2) / kPerPanel<float>;
    std::size_t p = 0;
    for (; p + P <= of.n_panels; p += P) rows_and_panels<Kind, Q, P>(of, q, p, finish, out);
    for (; p < of.n_panels; ++p) rows_and_panels<Kind, Q, 1>(of, q, p, finish, out);
}

// Every row meets every panel; the last rows, which may be fewer, overlap those before, as a value has the same bits
// again.
template <class Kind, class Operands, class Finish>
inline void every_row(const Operands& of, const Finish& finish, float* out) {
    constexpr std::size_t Q = kBytes == 64 ? 12 : 6;  // accumulators that fit the register file, as in simd_impl.hpp
    if (of.n_vectors < Q) {
        for (std::size_t q = 0; q < of.n_vectors; ++q) rows_and_all_panels<Kind, 1>(of, q, finish, out);
        return;
    }
    std::size_t q = 0;
    for (; q + Q <= of.n_vectors; q += Q) rows_and_all_panels<Kind, Q>(of, q, finish, out);
    if (q < of.n_vectors) rows_and_all_panels<Kind, Q>(of, of.n_vectors - Q, finish, out);
}

template <class Kind, class Operands>
void rbf_of(const Operands& of, double gamma, float* out) {
    const Floats scale = splat<Floats>(scale_of<float>(gamma));
    every_row<Kind>(of, [=](Floats distance) { return power_of_two<float>(scale * distance); }, out);
}

#ifdef DAGMAR_GRID
template <class Kind>
void distances_of(const GridOperands& of, float* out) {
    every_row<Kind>(of, [](Floats distance) { return distance; }, out);
}

// Registers of doubles, and as many integers and levels.
using Doubles = Vec<double>;
template <class T>
using Beside = typename VectorOf<T, kWidth<double> * sizeof(T)>::type;

template <class Bits, class S>
Levelled grid_levels(const S* x, const GridScale& by, std::size_t n_features, std::uint32_t* words) {
    constexpr std::size_t width = kWidth<double>;
    using Level = typename Bits::Level;
    const Doubles whole = splat<Doubles>(PowerOfTwo<double>::to_integer);  // added and taken away: the nearest integer
    const Doubles lowest = splat<Doubles>(by.lowest), highest = splat<Doubles>(by.highest);
    Doubles off2{}, squares{}, sum{};
    auto* out = reinterpret_cast<Level*>(words);
    const auto several = [&](Doubles value, Doubles origin) {
        const Doubles level = (value - origin) * splat<Doubles>(by.per_step);
        Doubles nearest = (level + whole) - whole;
        nearest = nearest > lowest ? nearest : lowest;
        nearest = nearest < highest ? nearest : highest;
        const Doubles off = level - nearest;
        off2 += off * off;
        squares += nearest * nearest;
        sum += nearest;
        return __builtin_convertvector(__builtin_convertvector(nearest, Beside<std::int32_t>), Beside<Level>);
    };
    std::size_t f = 0;
    for (; f + width <= n_features; f += width)
        store(out + f, several(__builtin_convertvector(load<Beside<S>>(x + f), Doubles), load<Doubles>(by.origin + f)));
    if (f < n_features) {  // the rest, beside zeros
        Doubles value{}, origin{};
        for (std::size_t u = 0; f + u < n_features; ++u) {
            value[u] = static_cast<double>(x[f + u]);
            origin[u] = by.origin[f + u];
        }
        const auto levels = several(value, origin);
        for (std::size_t u = 0; f + u < n_features; ++u) out[f + u] = levels[u];
    }
    const auto total = [](Doubles v) {
        double all = 0;
        for (std::size_t u = 0; u < width; ++u) all += v[u];
        return all;
    };
    return {total(off2), total(squares), total(sum)};
}

template <class S>
void grid_extent(const S* x, std::size_t n_rows, std::size_t n_features, double* low, double* high) {
    for (std::size_t i = 0; i < n_rows; ++i, x += n_features)
        for (std::size_t f = 0; f < n_features; ++f) {
            const double value = static_cast<double>(x[f]);
            low[f] = value < low[f] ? value : low[f];
            high[f] = value > high[f] ? value : high[f];
        }
}

template <class Bits>
constexpr GridProducts grid_table() {
    return {Bits::bits,
            Bits::faster,
            rbf_of<Bits, GridOperands>,
            distances_of<Bits>,
            grid_levels<Bits, float>,
            grid_levels<Bits, double>,
            grid_extent<float>,
            grid_extent<double>};
}
#endif

}  // namespace dagmar::DAGMAR_LEVEL
