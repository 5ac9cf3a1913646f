// Products of rows and panels in registers, for words of any kind. A kind says how products are added up, and what a
// distance is made of. Included with DAGMAR_LEVEL (a namespace) and DAGMAR_BYTES (register width) set.
#pragma once

#include "simd/generic/powers.hpp"
#include "simd/rows_and_panels.hpp"

namespace dagmar::DAGMAR_LEVEL {

using Floats = Vec<float>;

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

// All panels from p on, P at a time and then fewer; the fewer the rows, the more panels it takes to hide the latency of
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

// Every row meets every panel once: Q rows at a time, as many as accumulators fit the register file, and then fewer.
template <class Kind, std::size_t Q = kBytes == 64 ? 12 : 6, class Operands, class Finish>
inline void every_row(const Operands& of, const Finish& finish, std::size_t q = 0) {
    for (; q + Q <= of.n_vectors; q += Q) rows_and_all_panels<Kind, Q>(of, q, finish);
    if constexpr (Q > 1) every_row<Kind, Q == 12 ? 8 : Q == 6 ? 4 : Q / 2>(of, finish, q);
}

template <class Kind, class Operands>
inline Floats distance_of(const Operands& of, std::size_t q, std::size_t lane, typename Kind::V sums) {
    using V = typename Kind::V;
    const auto row_norm = static_cast<typename Kind::Word>(of.row_norms[of.vectors[q]]);
    return Kind::distance(splat<V>(row_norm) + load<V>(of.lane_norms + lane), sums);
}

template <class Kind, class Operands>
void least_distances(const Operands& of, float* out) {
    every_row<Kind>(of, [&](std::size_t q, std::size_t lane, typename Kind::V sums) {
        const Floats here = distance_of<Kind>(of, q, lane, sums), least = load<Floats>(out + lane);
        store(out + lane, here < least ? here : least);
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
