// The body of rbf_products_<level>.cpp, which set DAGMAR_LEVEL (a namespace), DAGMAR_BYTES (register width), and
// DAGMAR_GRID where products of integers are faster than those of floats.
#include <bit>

#include "rbf_products.hpp"
#include "simd_vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

using Integers = Vec<std::uint32_t>;  // unsigned: sums outside the range wrap around
using Floats = Vec<float>;

// Registers of doubles, and as many integers and levels.
using Doubles = Vec<double>;
template <class T>
using Beside = typename VectorOf<T, kWidth<double> * sizeof(T)>::type;

// A kind of words says how their products are added up, and what a distance is made of.
struct Float {
    using Word = float;
    using V = Floats;
    static V add_products(V sums, V lanes, V row) { return sums + row * lanes; }
    static Floats distance(V norms, V dots) {
        const Floats found = norms - splat<Floats>(2.0f) * dots;
        return larger<float>(found, Floats{});
    }
};

inline Floats to_floats(Integers numbers) {
    return __builtin_convertvector(reinterpret_cast<Vec<std::int32_t>>(numbers), Floats);
}

struct Integer {
    using Word = std::uint32_t;
    using V = Integers;
    static constexpr bool doubled = false;
    static Floats distance(V norms, V dots) { return to_floats(norms - (dots + dots)); }
};

struct Bits16 : Integer {
    using Level = std::int16_t;
    using RowLevel = std::int16_t;
    static constexpr int bits = 16;
    static constexpr double faster = kBytes == 64 ? 1.9 : 1.8;
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
struct Bits8 : Integer {
    using Level = std::int8_t;
    static constexpr int bits = 8;
    static constexpr double faster = 3.8;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
        return reinterpret_cast<Integers>(_mm512_dpbusd_epi32(
            reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row)));
    }
};

// Rows hold their levels times -2, which are in range if there are few: then sums that begin with the norms end as
// distances.
struct Bits7 : Bits8 {
    static constexpr bool doubled = true;
    static Floats distance(Integers norms, Integers dots) { return to_floats(norms + dots); }
};

// The other way round: rows are unsigned.
struct UnsignedRows8 : Integer {
    using RowLevel = std::uint8_t;
    static constexpr int bits = 8;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
        return Bits8::add_products(sums, row, lanes);
    }
};
#endif

// Q rows against P panels, from row q and panel p on: finish(row, lane, sums). Not inlined: the constants of `finish`
// would be kept in registers that the sums need.
template <class Kind, std::size_t Q, std::size_t P, class Operands, class Finish>
[[gnu::noinline]] void rows_and_panels(const Operands& of, std::size_t q, std::size_t p, const Finish& finish) {
    using V = typename Kind::V;
    using Word = typename Kind::Word;
    constexpr std::size_t width = kWidth<float>, per = kPerPanel<float>;
    V sums[Q][P * per] = {};
    const Word* row[Q];
    for (std::size_t i = 0; i < Q; ++i) row[i] = of.rows + static_cast<std::size_t>(of.vectors[q + i]) * of.stride;
    const std::size_t step = of.n_words * kLanes;
    const Word* panel = of.panels + p * step;
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
#pragma GCC unroll 32
    for (std::size_t i = 0; i < Q; ++i)
#pragma GCC unroll 32
        for (std::size_t u = 0; u < P * per; ++u) finish(q + i, p * kLanes + u * width, sums[i][u]);
}

template <class Kind, class Operands>
inline Floats distance_of(const Operands& of, std::size_t q, std::size_t lane, typename Kind::V sums) {
    using V = typename Kind::V;
    const auto row_norm = static_cast<typename Kind::Word>(of.row_norms[of.vectors[q]]);
    return Kind::distance(splat<V>(row_norm) + load<V>(of.lane_norms + lane), sums);
}

// Panels from p on, P at a time as long as there are so many, and then fewer; by default as many as hide the latency of
// the sums.
template <class Kind, std::size_t Q,
          std::size_t P = (Q == 1             ? 8
                           : Q <= kBytes / 16 ? 4
                                              : 2) /
                          kPerPanel<float>,
          class Operands, class Finish>
inline void rows_and_all_panels(const Operands& of, std::size_t q, const Finish& finish, std::size_t p = 0) {
    for (; p + P <= of.n_panels; p += P) rows_and_panels<Kind, Q, P>(of, q, p, finish);
    if constexpr (P > 1) rows_and_all_panels<Kind, Q, Q == 1 ? P / 2 : 1>(of, q, finish, p);
}

// Every row meets every panel; the last rows, which may be fewer, overlap those before, as a value has the same bits
// again.
template <class Kind, class Operands, class Finish>
inline void every_row(const Operands& of, const Finish& finish) {
    constexpr std::size_t Q = kBytes == 64 ? 12 : 6;  // accumulators that fit the register file, as in simd_impl.hpp
    if (of.n_vectors < Q) {
        for (std::size_t q = 0; q < of.n_vectors; ++q) rows_and_all_panels<Kind, 1>(of, q, finish);
        return;
    }
    std::size_t q = 0;
    for (; q + Q <= of.n_vectors; q += Q) rows_and_all_panels<Kind, Q>(of, q, finish);
    if (q < of.n_vectors) rows_and_all_panels<Kind, Q>(of, of.n_vectors - Q, finish);
}

// out[q * n_panels * kLanes + lane] = value(distance).
template <class Kind, class Operands, class Value>
inline void every_value(const Operands& of, const Value& value, float* out) {
    every_row<Kind>(of, [&](std::size_t q, std::size_t lane, typename Kind::V sums) {
        store(out + q * of.n_panels * kLanes + lane, value(distance_of<Kind>(of, q, lane, sums)));
    });
}

template <class Kind, class Operands>
void rbf_of(const Operands& of, double gamma, float* out) {
    const Floats scale = splat<Floats>(scale_of<float>(gamma));
    every_value<Kind>(of, [=](Floats distance) { return power_of_two<float>(scale * distance); }, out);
}

template <class Kind, class Operands>
void least_of(const Operands& of, float* out) {
    every_row<Kind>(of, [&](std::size_t q, std::size_t lane, typename Kind::V sums) {
        const Floats here = distance_of<Kind>(of, q, lane, sums), least = load<Floats>(out + lane);
        store(out + lane, here < least ? here : least);
    });
}

constexpr FloatProducts float_table() { return {rbf_of<Float, FloatOperands>, least_of<Float, FloatOperands>}; }

#if defined(DAGMAR_GRID) && DAGMAR_BYTES == 64
// Rows of W words: visit(q, u, sums) with every row and P panels, from panel p on, that stay in registers while the
// rows pass. There is nothing to set up for a row, and a processor works on the next ones while one is finished.
template <class Kind, std::size_t W, std::size_t P, class Visit>
inline void short_rows(const GridOperands& of, std::size_t begin, std::size_t end, const Integers (&lanes)[P][W],
                       const Integers (&norms)[P], const Visit& visit) {
    for (std::size_t q = begin; q < end; ++q) {
        const auto v = static_cast<std::size_t>(of.vectors[q]);
        const std::uint32_t* row = of.rows + v * of.stride;
        const Integers row_norm = splat<Integers>(static_cast<std::uint32_t>(of.row_norms[v]));
#pragma GCC unroll 4
        for (std::size_t u = 0; u < P; ++u) {
            const Integers norm = row_norm + norms[u];
            Integers sums = Kind::doubled ? norm : Integers{};
#pragma GCC unroll 8
            for (std::size_t w = 0; w < W; ++w) sums = Kind::add_products(sums, lanes[u][w], splat<Integers>(row[w]));
            visit(q, u, Kind::doubled ? sums : norm - (sums + sums));
        }
    }
}

// Calls pass.template operator()<W, P>(p, lanes, norms) with all panels, P = 2 at a time and
// then one, where n_words is W. More words or panels would not fit the registers.
template <std::size_t W, class Pass>
inline void panels_of_short_rows(const GridOperands& of, const Pass& pass) {
    if (of.n_words != W) {
        if constexpr (W < kShortWords) panels_of_short_rows<W + 1>(of, pass);
        return;
    }
    const auto some = [&]<std::size_t P>(std::size_t p) {
        Integers lanes[P][W], norms[P];
        for (std::size_t u = 0; u < P; ++u) {
            for (std::size_t w = 0; w < W; ++w) lanes[u][w] = load<Integers>(of.panels + ((p + u) * W + w) * kLanes);
            norms[u] = load<Integers>(of.lane_norms + (p + u) * kLanes);
        }
        pass.template operator()<W, P>(p, lanes, norms);
    };
    std::size_t p = 0;
    for (; p + 2 <= of.n_panels; p += 2) some.template operator()<2>(p);
    if (p < of.n_panels) some.template operator()<1>(p);
}

// 2^(j / 32) for j = 0 ... 31, as bits, from which j << 18 is taken away: the sum with n << 18 is 2^(n / 32), if the
// last five bits of n are j.
struct PowerTable {
    alignas(kBytes) std::uint32_t bits[32];
};
constexpr PowerTable power_table() {
    PowerTable table{};
    double power = 1.0;
    for (std::uint32_t j = 0; j < 32; ++j, power *= 1.0218971486541166)
        table.bits[j] = std::bit_cast<std::uint32_t>(static_cast<float>(power)) - (j << 18);
    return table;
}
inline constexpr PowerTable kPowers = power_table();

// exp(-gamma d) of distances, for labels. The products of short rows take so little time that a quicker power of two
// counts: scale d = n / 32 + r with |r| <= 1/64, 2^(n / 32) is in a table that two registers hold, and 2^r - 1 is a
// polynomial of degree 2, with a relative error of 0.9 units. Measured, values are at most 1.7 units off beside the
// rounding of scale d (Kernel allows for 6). Those below the faintest are the faintest, not 0.
struct QuickRbf {
    explicit QuickRbf(double gamma)
        : scale(splat<Floats>(scale_of<float>(gamma))),
          farthest(splat<Floats>(static_cast<float>(kFaintest<float>) / scale_of<float>(gamma))) {}
    Floats operator()(Integers distance) const {
        const Floats whole = splat<Floats>(393216.0f);  // 1.5 * 2^18: added, it leaves n in the low bits
        const Floats d = smaller(to_floats(distance), farthest);
        const Floats shifted = d * scale + whole, r = d * scale - (shifted - whole);
        const auto n = reinterpret_cast<Integers>(shifted);
        const auto from_table = reinterpret_cast<Integers>(_mm512_permutex2var_epi32(
            _mm512_load_si512(kPowers.bits), reinterpret_cast<__m512i>(n), _mm512_load_si512(kPowers.bits + 16)));
        const auto power = reinterpret_cast<Floats>(from_table + (n << 18));
        const Floats slope = splat<Floats>(0.24022650f) * r + splat<Floats>(0.69315733f);
        return slope * (r * power) + power;
    }
    static Floats smaller(Floats a, Floats b) { return _mm512_min_ps(a, b); }
    Floats scale, farthest;
};

template <class Kind>
void rbf_of_short(const GridOperands& of, double gamma, float* out) {
    const QuickRbf rbf(gamma);
    const std::size_t step = of.n_panels * kLanes;
    panels_of_short_rows<1>(
        of, [&]<std::size_t W, std::size_t P>(std::size_t p, const Integers(&lanes)[P][W], const Integers(&norms)[P]) {
            float* to = out + p * kLanes;
            short_rows<Kind>(of, 0, of.n_vectors, lanes, norms, [&](std::size_t q, std::size_t u, Integers distance) {
                store(to + q * step + u * kLanes, rbf(distance));
            });
        });
}

template <class Kind>
void sum_of_short(const GridOperands& of, double gamma, const float* coef, double* sums) {
    const QuickRbf rbf(gamma);
    panels_of_short_rows<1>(
        of, [&]<std::size_t W, std::size_t P>(std::size_t p, const Integers(&lanes)[P][W], const Integers(&norms)[P]) {
            for (std::size_t first = 0; first < of.n_vectors; first += kBlock) {
                const std::size_t end = std::min(of.n_vectors, first + kBlock);
                Floats block[P] = {};
                for (std::size_t begin = first; begin < end; begin += kFewTerms) {
                    Floats few[P] = {};
                    short_rows<Kind>(of, begin, std::min(end, begin + kFewTerms), lanes, norms,
                                     [&](std::size_t q, std::size_t u, Integers distance) {
                                         few[u] += splat<Floats>(coef[q]) * rbf(distance);
                                     });
                    for (std::size_t u = 0; u < P; ++u) block[u] += few[u];
                }
                for (std::size_t u = 0; u < P; ++u) {
                    float part[kLanes];
                    store(part, block[u]);
                    double* to = sums + (p + u) * kLanes;
                    for (std::size_t lane = 0; lane < kLanes; lane += kWidth<double>)
                        store(to + lane, load<Doubles>(to + lane) +
                                             __builtin_convertvector(load<Beside<float>>(part + lane), Doubles));
                }
            }
        });
}

template <class Kind>
void least_of_short(const GridOperands& of, float* out) {
    panels_of_short_rows<1>(
        of, [&]<std::size_t W, std::size_t P>(std::size_t p, const Integers(&lanes)[P][W], const Integers(&norms)[P]) {
            Integers least[P];
            for (Integers& one : least) one = splat<Integers>(std::uint32_t{0x7fffffff});
            short_rows<Kind>(of, 0, of.n_vectors, lanes, norms, [&](std::size_t, std::size_t u, Integers distance) {
                least[u] = distance < least[u] ? distance : least[u];
            });
            for (std::size_t u = 0; u < P; ++u) {
                const Floats here = to_floats(least[u]), before = load<Floats>(out + (p + u) * kLanes);
                store(out + (p + u) * kLanes, here < before ? here : before);
            }
        });
}
#endif

// Of one row, the words that are not 0, against some registers of lanes. Sums of integers may be added up in any order,
// so several chains hide the latency.
constexpr std::size_t kRegisters = 4;
template <class Kind, class Finish>
[[gnu::noinline]] void entries_and_panels(const LevelOperands& of, std::size_t p, const Finish& finish) {
    constexpr std::size_t width = kWidth<float>, per = kPerPanel<float>, chains = 8 / kRegisters;
    const std::size_t step = of.of.n_words * kLanes, left = std::min(kRegisters, (of.of.n_panels - p) * per);
    const std::uint32_t* panel = of.of.panels + p * step;
    const std::uint32_t* from[kRegisters];  // where there are too few lanes, the first are multiplied again
    for (std::size_t u = 0; u < kRegisters; ++u) from[u] = u < left ? panel + u / per * step + u % per * width : panel;
    for (std::size_t q = 0; q < of.of.n_vectors; ++q) {
        const LevelEntries row = of.entries[of.of.vectors[q]];
        Integers sums[chains][kRegisters] = {};
        const auto add = [&](const LevelEntry& entry, Integers* to) {
            const Integers x = splat<Integers>(entry.word);
#pragma GCC unroll 8
            for (std::size_t u = 0; u < kRegisters; ++u)
                to[u] = Kind::add_products(to[u], load<Integers>(from[u] + entry.place * kLanes), x);
        };
        std::size_t t = 0;
        for (; t + chains <= row.n; t += chains)
#pragma GCC unroll 8
            for (std::size_t i = 0; i < chains; ++i) add(row.first[t + i], sums[i]);
        for (; t < row.n; ++t) add(row.first[t], sums[0]);
#pragma GCC unroll 8
        for (std::size_t u = 0; u < kRegisters; ++u) {
            if (u == left) break;
            for (std::size_t i = 1; i < chains; ++i) sums[0][u] += sums[i][u];
            finish(q, p * kLanes + u * width, sums[0][u]);
        }
    }
}

// Rows from q on, Q at a time as long as there are so many, and then fewer. None is computed twice, as its dot products
// are overwritten.
template <class Kind, std::size_t Q, class Finish>
inline void level_rows(const GridOperands& of, std::size_t q, const Finish& finish) {
    for (; q + Q <= of.n_vectors; q += Q) rows_and_all_panels<Kind, Q>(of, q, finish);
    if constexpr (Q > 1) level_rows<Kind, Q == 12 ? 8 : Q == 6 ? 4 : Q / 2>(of, q, finish);
}

template <class Kind, bool HasRest>
void rbf_of_levels(const LevelOperands& of, float* const* out) {
    const Floats scale = splat<Floats>(scale_of<float>(of.gamma));
    const Floats rest_scale = splat<Floats>(scale_of<float>(of.rest_gamma));
    // A group of panels that stays in the second-level cache while every row passes over it.
    const std::size_t group =
        std::max<std::size_t>(8, (std::size_t{512} << 10) / (of.of.n_words * kLanes * sizeof(std::uint32_t) + 1));
    for (std::size_t first = 0; first < of.of.n_panels; first += group) {
        LevelOperands part = of;
        part.of.panels += first * of.of.n_words * kLanes;
        part.of.lane_norms += first * kLanes;
        part.of.n_panels = std::min(group, of.of.n_panels - first);
        const auto finish = [&](std::size_t q, std::size_t lane, Integers sums) {
            float* to = out[q] + first * kLanes + lane;
            Floats x = scale * distance_of<Kind>(part.of, q, lane, sums);
            if constexpr (HasRest) {
                const std::int32_t row = of.of.vectors[q];
                const Floats norms =
                    splat<Floats>(of.rest_of_rows[row]) + load<Floats>(of.rest_of_lanes + first * kLanes + lane);
                x += rest_scale * Float::distance(norms, of.rest[row].n > 0 ? load<Floats>(to) : Floats{});
            }
            store(to, power_of_two<float>(x));
        };
        if (!of.entries)
            level_rows<Kind, kBytes == 64 ? 12 : 6>(part.of, 0, finish);
        else
            for (std::size_t p = 0; p < part.of.n_panels; p += kRegisters / kPerPanel<float>)
                entries_and_panels<Kind>(part, p, finish);
    }
}

template <class Kind>
void rbf_of_all(const LevelOperands& of, float* const* out) {
    of.rest ? rbf_of_levels<Kind, true>(of, out) : rbf_of_levels<Kind, false>(of, out);
}

template <class Kind, class S>
LevelSums pack_levels(const S* x, const double* origin, const double* per_unit, std::size_t n_features,
                      std::uint32_t* words) {
    constexpr std::size_t width = kWidth<double>;
    using Level = typename Kind::RowLevel;
    Beside<std::int32_t> squares{}, sum{};
    const auto several = [&](Doubles value, Doubles from, Doubles by) {
        const auto level = __builtin_convertvector((value - from) * by + splat<Doubles>(0.5), Beside<std::int32_t>);
        squares += level * level;
        sum += level;
        return __builtin_convertvector(level, Beside<Level>);
    };
    words[(n_features * sizeof(Level) - 1) / sizeof(std::uint32_t)] = 0;
    auto* out = reinterpret_cast<Level*>(words);
    std::size_t f = 0;
    for (; f + width <= n_features; f += width)
        store(out + f, several(__builtin_convertvector(load<Beside<S>>(x + f), Doubles), load<Doubles>(origin + f),
                               load<Doubles>(per_unit + f)));
    if (f < n_features) {  // the rest, beside zeros
        Doubles value{}, from{}, by{};
        for (std::size_t u = 0; f + u < n_features; ++u) {
            value[u] = static_cast<double>(x[f + u]);
            from[u] = origin[f + u];
            by[u] = per_unit[f + u];
        }
        const auto levels = several(value, from, by);
        for (std::size_t u = 0; f + u < n_features; ++u) out[f + u] = levels[u];
    }
    LevelSums all{0, 0};
    for (std::size_t u = 0; u < width; ++u) {
        all.squares += squares[u];
        all.sum += sum[u];
    }
    return all;
}

template <class S>
void survey_levels(const S* x, std::size_t n_rows, std::size_t n_features, const LevelSurvey& to) {
    constexpr std::size_t width = kWidth<double>, at_once = 4;
    const auto some_rows = [&]<std::size_t Rows>(const S* rows) {
        const auto widen = [&]<class V>(std::size_t f, auto read) {
            V low = load<V>(to.low + f), high = load<V>(to.high + f), off = load<V>(to.off + f);
            const V origin = load<V>(to.origin + f), whole = splat<V>(PowerOfTwo<double>::to_integer);
#pragma GCC unroll 4
            for (std::size_t i = 0; i < Rows; ++i) {
                const V value = read(rows + i * n_features + f), level = (value - origin) * splat<V>(to.per_unit);
                V here = level - ((level + whole) - whole);
                here = here < V{} ? -here : here;
                low = value < low ? value : low;
                high = value > high ? value : high;
                off = here > off ? here : off;
            }
            store(to.low + f, low);
            store(to.high + f, high);
            store(to.off + f, off);
        };
        std::size_t f = 0;
        for (; f + width <= n_features; f += width)
            widen.template operator()<Doubles>(
                f, [](const S* p) { return __builtin_convertvector(load<Beside<S>>(p), Doubles); });
        using One = typename VectorOf<double, sizeof(double)>::type;
        for (; f < n_features; ++f)
            widen.template operator()<One>(f, [](const S* p) { return splat<One>(static_cast<double>(*p)); });
    };
    std::size_t i = 0;
    for (; i + at_once <= n_rows; i += at_once) some_rows.template operator()<at_once>(x + i * n_features);
    for (; i < n_rows; ++i) some_rows.template operator()<1>(x + i * n_features);
}

template <class Kind>
constexpr LevelProducts level_table() {
    return {Kind::bits,           rbf_of_all<Kind>,     pack_levels<Kind, float>, pack_levels<Kind, double>,
            survey_levels<float>, survey_levels<double>};
}

#ifdef DAGMAR_GRID
template <class Kind>
void distances_of(const GridOperands& of, float* out) {
    every_value<Kind>(of, [](Floats distance) { return distance; }, out);
}

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

#if DAGMAR_BYTES == 64
template <class Bits>
void rbf_of_grid(const GridOperands& of, double gamma, float* out) {
    of.n_words <= kShortWords ? rbf_of_short<Bits>(of, gamma, out) : rbf_of<Bits>(of, gamma, out);
}

template <class Bits>
void least_of_grid(const GridOperands& of, float* out) {
    of.n_words <= kShortWords ? least_of_short<Bits>(of, out) : least_of<Bits>(of, out);
}
#endif

template <class Bits>
constexpr GridProducts grid_table() {
    return {Bits::bits,
            Bits::doubled,
            Bits::faster,
#if DAGMAR_BYTES == 64
            rbf_of_grid<Bits>,
            sum_of_short<Bits>,
            least_of_grid<Bits>,
#else
            rbf_of<Bits, GridOperands>,
            nullptr,
            least_of<Bits, GridOperands>,
#endif
            distances_of<Bits>,
            grid_levels<Bits, float>,
            grid_levels<Bits, double>,
            grid_extent<float>,
            grid_extent<double>};
}
#endif

}  // namespace dagmar::DAGMAR_LEVEL
