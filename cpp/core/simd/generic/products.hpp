// Dot products and norms of dense samples.
#pragma once

#include <bit>

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Sums that fit the register file beside the operands: 32 registers with AVX-512, else 16.
constexpr std::size_t kAccumulators = kBytes == 64 ? 24 : 12;

// Q rows against P panels: every sum is one chain over the features.
template <class T, std::size_t Q, std::size_t P>
inline void block(const T* const* rows, const T* panels, std::size_t n_features, T* const* out, std::size_t at) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    V sums[Q][P * per];
    for (std::size_t q = 0; q < Q; ++q)
        for (std::size_t p = 0; p < P * per; ++p) sums[q][p] = V{};
    const T* row[Q];
    for (std::size_t q = 0; q < Q; ++q) row[q] = rows[q];
    const std::size_t step = n_features * kLanes;
    for (std::size_t f = 0; f < n_features; ++f) {
        V lanes[P * per];
#pragma GCC unroll 32
        for (std::size_t p = 0; p < P; ++p)
#pragma GCC unroll 32
            for (std::size_t u = 0; u < per; ++u)
                lanes[p * per + u] = load<V>(panels + p * step + f * kLanes + u * width);
#pragma GCC unroll 32
        for (std::size_t q = 0; q < Q; ++q) {
            const V x = splat<V>(row[q][f]);
#pragma GCC unroll 32
            for (std::size_t p = 0; p < P * per; ++p) sums[q][p] += x * lanes[p];
        }
    }
    for (std::size_t q = 0; q < Q; ++q)
        for (std::size_t p = 0; p < P * per; ++p) store(out[q] + at + p * width, sums[q][p]);
}

// Q rows against all panels, P at a time.
template <class T, std::size_t Q, std::size_t P>
inline void rows_against(const T* const* rows, const T* panels, std::size_t n_panels, std::size_t n_features,
                         T* const* out) {
    for_panels<P>(n_panels, [&]<std::size_t Count>(std::size_t first) {
        block<T, Q, Count>(rows, panels + first * n_features * kLanes, n_features, out, first * kLanes);
    });
}

// n_rows rows, at most Q, as one block. (One by one, each would load all panels.)
template <class T, std::size_t Q>
inline void few_rows_against(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                             std::size_t n_features, T* const* out) {
    constexpr std::size_t panels_at_once =
        std::bit_floor(std::clamp<std::size_t>(kAccumulators / (kPerPanel<T> * Q), 1, 8));
    if (n_rows == Q) return rows_against<T, Q, panels_at_once>(rows, panels, n_panels, n_features, out);
    if constexpr (Q > 1) few_rows_against<T, Q - 1>(rows, n_rows, panels, n_panels, n_features, out);
}

template <class T>
void dots(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels, std::size_t n_features,
          T* const* out) {
    constexpr std::size_t per = kPerPanel<T>, wide = per == 1 ? 2 : 1;
    constexpr std::size_t many = std::max<std::size_t>(1, kAccumulators / (per * wide));
    constexpr std::size_t few = std::min<std::size_t>(many, 8);
    // A group of panels stays in the second-level cache while every row passes over it.
    const std::size_t group =
        std::max<std::size_t>(8, (std::size_t{512} << 10) / (n_features * kLanes * sizeof(T) + 1));
    T* shifted[many];
    for (std::size_t first = 0; first < n_panels; first += group) {
        const std::size_t count = std::min(group, n_panels - first);
        const T* here = panels + first * n_features * kLanes;
        const auto to = [&](std::size_t q, std::size_t n) {
            for (std::size_t i = 0; i < n; ++i) shifted[i] = out[q + i] + first * kLanes;
            return shifted;
        };
        std::size_t q = 0;
        for (; q + many <= n_rows; q += many)
            rows_against<T, many, wide>(rows + q, here, count, n_features, to(q, many));
        for (std::size_t n; q < n_rows; q += n) {
            n = std::min(n_rows - q, few);
            few_rows_against<T, few>(rows + q, n, here, count, n_features, to(q, n));
        }
    }
}

template <class T>
void dots_alone(const T* x, const T* const* rows, std::size_t n_rows, std::size_t n_features, T* out) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    const std::size_t whole = n_features / width * width;
    const auto dot_with = [&]<std::size_t Count>(std::size_t first) {
        V sums[Count] = {};
        for (std::size_t f = 0; f < whole; f += width) {
            const V lanes = load<V>(x + f);
#pragma GCC unroll 4
            for (std::size_t i = 0; i < Count; ++i) sums[i] += lanes * load<V>(rows[first + i] + f);
        }
        for (std::size_t i = 0; i < Count; ++i) {
            T sum = 0;
            for (std::size_t u = 0; u < width; ++u) sum += sums[i][u];
            for (std::size_t f = whole; f < n_features; ++f) sum += x[f] * rows[first + i][f];
            out[first + i] = sum;
        }
    };
    std::size_t q = 0;
    for (; q + 4 <= n_rows; q += 4) dot_with.template operator()<4>(q);  // four rows hide the latency of the sums
    for (; q < n_rows; ++q) dot_with.template operator()<1>(q);
}

template <class T>
void norms_of_rows(const T* rows, std::size_t n_rows, std::size_t n_features, T* out) {
    // As vectors of one value, so that the compiler fuses the same operations as in `block`. Eight rows hide the
    // latency of the sums.
    using V = Vec<T>;
    const auto chains = [&]<std::size_t Count>(std::size_t first) {
        V sums[Count] = {};
        for (std::size_t f = 0; f < n_features; ++f)
#pragma GCC unroll 8
            for (std::size_t i = 0; i < Count; ++i) {
                const V x = splat<V>(rows[(first + i) * n_features + f]);
                sums[i] += x * x;
            }
        for (std::size_t i = 0; i < Count; ++i) out[first + i] = sums[i][0];
    };
    std::size_t q = 0;
    for (; q + 8 <= n_rows; q += 8) chains.template operator()<8>(q);
    for (; q < n_rows; ++q) chains.template operator()<1>(q);
}

template <class T>
void norms(const T* panels, std::size_t n_panels, std::size_t n_features, T* out) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    for (std::size_t p = 0; p < n_panels; ++p) {
        V sums[per] = {};
        for (std::size_t f = 0; f < n_features; ++f)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < per; ++u) {
                const V x = load<V>(panels + (p * n_features + f) * kLanes + u * width);
                sums[u] += x * x;
            }
        for (std::size_t u = 0; u < per; ++u) store(out + p * kLanes + u * width, sums[u]);
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
