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

// The distances of a sample and N rows, side by side: a single sum would wait for every addition.
template <std::size_t N>
inline void distances_of(const double* x, const double* const* row, std::size_t n_features, double* out) {
    using V = Vec<double>;
    constexpr std::size_t chains = 8, width = kWidth<double>, per = chains / width;
    V sums[N][per] = {};
    std::size_t f = 0;
    for (; f + chains <= n_features; f += chains)
#pragma GCC unroll 8
        for (std::size_t u = 0; u < per; ++u) {
            const V here = load<V>(x + f + u * width);
#pragma GCC unroll 8
            for (std::size_t i = 0; i < N; ++i) {
                const V difference = here - load<V>(row[i] + f + u * width);
                sums[i][u] += difference * difference;
            }
        }
    for (std::size_t i = 0; i < N; ++i) {
        double parts[chains], sum = f < n_features ? distance_of_rest(x, row[i], f, n_features) : 0.0;
        for (std::size_t u = 0; u < per; ++u) store(parts + u * width, sums[i][u]);
        for (std::size_t u = 0; u < chains; ++u) sum += parts[u];
        out[i] = sum;
    }
}

inline void row_distances(const double* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                          std::size_t n_features, double* out) {
    constexpr std::size_t at_once = kBytes == 64 ? 8 : 2;  // sums fill 8 registers
    const auto row = [&](std::size_t t) { return rows + static_cast<std::size_t>(vectors[t]) * n_features; };
    std::size_t t = 0;
    for (; t + at_once <= n; t += at_once) {
        const double* some[at_once];
        for (std::size_t i = 0; i < at_once; ++i) some[i] = row(t + i);
        distances_of<at_once>(x, some, n_features, out + t);
    }
    for (; t < n; ++t) {
        const double* one = row(t);
        distances_of<1>(x, &one, n_features, out + t);
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
