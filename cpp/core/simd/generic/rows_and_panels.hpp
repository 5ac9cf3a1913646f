// Products of rows and panels in registers, for words of any kind. A kind says how products are added up, and what a
// distance is made of.
#pragma once

#include <bit>

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Numbers: every sum is one chain over the features.
template <class T>
struct Real {
    using Word = T;
    using V = Vec<T>;
    static V add_products(V sums, V lanes, V row) { return sums + row * lanes; }
    static T add_product(T sum, T lane, T row) { return sum + lane * row; }
    static V add_shared(V sums, V lanes, V row) { return add_products(sums, lanes, row); }
    static V distance(V norms, V dots) { return larger<T>(norms - splat<V>(T(2)) * dots, V{}); }
};

// Q rows against P panels, from row q and panel p on: finish(row, lane, sums). Not inlined: the constants of `finish`
// would be kept in registers that the sums need.
template <class Kind, std::size_t Q, std::size_t P, class Operands, class Finish>
[[gnu::noinline]] void rows_and_panels(const Operands& of, std::size_t q, std::size_t p, const Finish& finish) {
    using V = typename Kind::V;
    using Word = typename Kind::Word;
    constexpr std::size_t width = kWidth<Word>, per = kPerPanel<Word>;
    V sums[Q][P * per] = {};
    const Word* row[Q];
    for (std::size_t i = 0; i < Q; ++i) row[i] = of.row(q + i);
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

// Calls work(first, end) for groups of panels. A group stays in the second-level cache while every row passes over it.
template <class Operands, class Work>
inline void for_groups(const Operands& of, const Work& work) {
    const std::size_t bytes = of.n_words * kLanes * sizeof(*of.panels);
    const std::size_t group = std::max<std::size_t>(8, (std::size_t{512} << 10) / (bytes + 1));
    for (std::size_t first = 0; first < of.n_panels; first += group) work(first, std::min(of.n_panels, first + group));
}

// Rows from q on against panels first ... end-1: Q rows at a time, and then fewer. The fewer the rows, the more panels
// it takes to hide the latency of the sums.
template <class Kind, std::size_t Q, class Operands, class Finish>
inline void rows_and_group(const Operands& of, std::size_t q, std::size_t first, std::size_t end,
                           const Finish& finish) {
    constexpr std::size_t registers = Q == 1 ? 8 : Q <= kBytes / 16 ? 4 : 2;
    constexpr std::size_t at_once = std::max<std::size_t>(1, registers / kPerPanel<typename Kind::Word>);
    const auto with_panels = [&]<std::size_t P>(std::size_t p) { rows_and_panels<Kind, Q, P>(of, q, p, finish); };
    for (; q + Q <= of.n_vectors; q += Q) in_batches<at_once>(end, with_panels, first);
    if constexpr (Q > 1) rows_and_group<Kind, std::bit_floor(Q - 1)>(of, q, first, end, finish);
}

// Every row meets every panel once. As many rows at a time as sums fit the register file beside the operands: 24 of the
// 32 registers of AVX-512, else 12 of 16.
template <class Kind, class Operands, class Finish>
inline void every_row(const Operands& of, const Finish& finish) {
    constexpr std::size_t sums = kBytes == 64 ? 24 : 12, panel = kPerPanel<typename Kind::Word>;
    constexpr std::size_t at_once = std::max<std::size_t>(1, sums / std::max<std::size_t>(2, panel));
    for_groups(of,
               [&](std::size_t first, std::size_t end) { rows_and_group<Kind, at_once>(of, 0, first, end, finish); });
}

template <class Kind, class Operands>
inline auto distance_of(const Operands& of, std::size_t q, std::size_t lane, typename Kind::V sums) {
    using V = typename Kind::V;
    const auto row_norm = static_cast<typename Kind::Word>(of.row_norms[of.vectors[q]]);
    return Kind::distance(splat<V>(row_norm) + load<V>(of.lane_norms + lane), sums);
}

template <class Kind, class Operands, class T>
void least_distances(const Operands& of, T* out) {
    every_row<Kind>(of, [&](std::size_t q, std::size_t lane, typename Kind::V sums) {
        const auto here = distance_of<Kind>(of, q, lane, sums), least = load<decltype(here)>(out + lane);
        store(out + lane, here < least ? here : least);
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
