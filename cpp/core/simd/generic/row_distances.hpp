// Distances in double precision, from differences: for the few values whose signs single precision leaves open.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// The term of a feature in a squared distance.
struct Squared {
    template <class V>
    static V term(V x, V z) {
        return (x - z) * (x - z);
    }
};

// The last features, from f on. Not inlined, because a compiler might fuse other operations at each place, which would
// change the bits.
template <class Term>
[[gnu::noinline]] inline double distance_of_rest(const double* x, const double* row, std::size_t f,
                                                 std::size_t n_features) {
    double sum = 0;
    for (; f < n_features; ++f) sum += Term::term(x[f], row[f]);
    return sum;
}

// Several rows side by side, whose sums fill 8 registers: a single sum would wait for every addition.
template <class Term>
inline void row_distances(const double* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                          std::size_t n_features, double* out) {
    using V = Vec<double>;
    constexpr std::size_t chains = 8, width = kWidth<double>, per = chains / width;
    const std::size_t whole = n_features / chains * chains;
    in_batches<kBytes == 64 ? 8 : 2>(n, [&]<std::size_t N>(std::size_t first) {
        const double* row[N];
        for (std::size_t i = 0; i < N; ++i) row[i] = rows + static_cast<std::size_t>(vectors[first + i]) * n_features;
        V sums[N][per] = {};
        for (std::size_t f = 0; f < whole; f += chains)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < per; ++u) {
                const V here = load<V>(x + f + u * width);
#pragma GCC unroll 8
                for (std::size_t i = 0; i < N; ++i) sums[i][u] += Term::term(here, load<V>(row[i] + f + u * width));
            }
        for (std::size_t i = 0; i < N; ++i) {
            double parts[chains], sum = whole < n_features ? distance_of_rest<Term>(x, row[i], whole, n_features) : 0.0;
            for (std::size_t u = 0; u < per; ++u) store(parts + u * width, sums[i][u]);
            for (std::size_t u = 0; u < chains; ++u) sum += parts[u];
            out[first + i] = sum;
        }
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
