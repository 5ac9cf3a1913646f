// Squared distances in double precision, from differences: for the few values whose signs single precision leaves open.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// The last features, from f on. Not inlined, because a compiler might fuse other operations at each place, which would
// change the bits.
[[gnu::noinline]] inline double distance_of_rest(const double* x, const double* row, std::size_t f,
                                                 std::size_t n_features) {
    double sum = 0;
    for (; f < n_features; ++f) sum += (x[f] - row[f]) * (x[f] - row[f]);
    return sum;
}

// The distances of S samples and N rows, side by side: a single sum would wait for every addition.
template <std::size_t S, std::size_t N>
inline void distances_of(const double* const* x, const double* const* row, std::size_t n_features, std::size_t t,
                         double* const* out) {
    using V = Vec<double>;
    constexpr std::size_t chains = 8, width = kWidth<double>, per = chains / width;
    V sums[S][N][per] = {};
    std::size_t f = 0;
    for (; f + chains <= n_features; f += chains)
#pragma GCC unroll 8
        for (std::size_t u = 0; u < per; ++u) {
            V here[S];
#pragma GCC unroll 8
            for (std::size_t s = 0; s < S; ++s) here[s] = load<V>(x[s] + f + u * width);
#pragma GCC unroll 8
            for (std::size_t i = 0; i < N; ++i) {
                const V there = load<V>(row[i] + f + u * width);
#pragma GCC unroll 8
                for (std::size_t s = 0; s < S; ++s) {
                    const V difference = here[s] - there;
                    sums[s][i][u] += difference * difference;
                }
            }
        }
    for (std::size_t s = 0; s < S; ++s)
        for (std::size_t i = 0; i < N; ++i) {
            double parts[chains], sum = f < n_features ? distance_of_rest(x[s], row[i], f, n_features) : 0.0;
            for (std::size_t u = 0; u < per; ++u) store(parts + u * width, sums[s][i][u]);
            for (std::size_t u = 0; u < chains; ++u) sum += parts[u];
            out[s][t + i] = sum;
        }
}

template <std::size_t S>
void distances_of_samples(const double* const* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                          std::size_t n_features, double* const* out) {
    // Sums fill 8 of 16 registers, or 8 to 16 of the 32 of AVX-512.
    constexpr std::size_t at_once = kBytes == 64 ? (S == 1 ? 8 : 16 / S) : (S == 1 ? 2 : 1);
    const auto row = [&](std::size_t t) { return rows + static_cast<std::size_t>(vectors[t]) * n_features; };
    std::size_t t = 0;
    for (; t + at_once <= n; t += at_once) {
        const double* some[at_once];
        for (std::size_t i = 0; i < at_once; ++i) some[i] = row(t + i);
        distances_of<S, at_once>(x, some, n_features, t, out);
    }
    for (; t < n; ++t) {
        const double* one = row(t);
        distances_of<S, 1>(x, &one, n_features, t, out);
    }
}

inline void row_distances(const double* const* x, std::size_t n_x, const double* rows, const std::int32_t* vectors,
                          std::size_t n, std::size_t n_features, double* const* out) {
    const auto compute = n_x == 4   ? distances_of_samples<4>
                         : n_x == 2 ? distances_of_samples<2>
                                    : distances_of_samples<1>;
    compute(x, rows, vectors, n, n_features, out);
}

}  // namespace dagmar::DAGMAR_LEVEL
