// Weighted sums of rows, lane by lane.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Rows of some values and their weights. Term t is row index[t] - first, or row t if there is no index.
template <class T, class Sum>
struct Terms {
    const T* rows;
    std::size_t stride;
    const std::int32_t* index;
    std::size_t first;
    const Sum* coef;

    // Adds terms begin ... end-1 to Count registers of sums, from lane `at` on; or subtracts them.
    template <std::size_t Count, bool Subtract = false>
    void add_to(Vec<Sum>* sums, std::size_t begin, std::size_t end, std::size_t at) const {
        using V = Vec<Sum>;
        for (std::size_t t = begin; t < end; ++t) {
            const V c = splat<V>(Subtract ? -coef[t] : coef[t]);
            const T* row = rows + (index ? static_cast<std::size_t>(index[t]) - first : t) * stride + at;
#pragma GCC unroll 16
            for (std::size_t u = 0; u < Count; ++u) sums[u] += c * load_as<Sum>(row + u * kWidth<Sum>);
        }
    }
};

// Calls sum_lanes.operator()<Count>(at) for all lanes, with enough registers at a time to hide the latency of sums.
template <class Sum, class SumLanes>
inline void for_lanes(std::size_t n_lanes, const SumLanes& sum_lanes) {
    constexpr std::size_t per = kPerPanel<Sum>, wide = std::clamp<std::size_t>(8 / per, 1, 4);
    std::size_t at = 0;
    for (; at + wide * kLanes <= n_lanes; at += wide * kLanes) sum_lanes.template operator()<wide * per>(at);
    for (; at < n_lanes; at += kLanes) sum_lanes.template operator()<per>(at);
}

template <bool Subtract, class T, class Sum>
inline void add_all(const Terms<T, Sum>& terms, std::size_t n, std::size_t n_lanes, Sum* sums) {
    using V = Vec<Sum>;
    for_lanes<Sum>(n_lanes, [&]<std::size_t Count>(std::size_t at) {
        V sum[Count];
        for (std::size_t u = 0; u < Count; ++u) sum[u] = load<V>(sums + at + u * kWidth<Sum>);
        terms.template add_to<Count, Subtract>(sum, 0, n, at);
        for (std::size_t u = 0; u < Count; ++u) store(sums + at + u * kWidth<Sum>, sum[u]);
    });
}

template <class T>
void weighted_rows(const T* rows, std::size_t stride, const std::int32_t* index, const T* coef, std::size_t n,
                   std::size_t n_lanes, T* sums) {
    add_all<false>(Terms<T, T>{rows, stride, index, 0, coef}, n, n_lanes, sums);
}

template <class T>
void move_by(const T* rows, std::size_t stride, const std::int32_t* index, const double* coef, std::size_t n,
             std::size_t n_lanes, double* scores) {
    add_all<true>(Terms<T, double>{rows, stride, index, 0, coef}, n, n_lanes, scores);
}

template <class T>
void sum_in_blocks(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                   std::size_t n_lanes, double* sums) {
    using V = Vec<T>;
    const Terms<T, T> terms{values, n_lanes, index, first, coef};
    for_lanes<T>(n_lanes, [&]<std::size_t Count>(std::size_t at) {
        for (std::size_t begin = 0; begin < n; begin += kBlock) {
            V block[Count] = {};
            const std::size_t end = std::min(n, begin + kBlock);
            for (std::size_t t = begin; t < end; t += kFewTerms) {
                V few[Count] = {};
                terms.template add_to<Count>(few, t, std::min(end, t + kFewTerms), at);
                for (std::size_t u = 0; u < Count; ++u) block[u] += few[u];
            }
            T part[Count * kWidth<T>];
            for (std::size_t u = 0; u < Count; ++u) store(part + u * kWidth<T>, block[u]);
            double* to = sums + at;
            for (std::size_t u = 0; u < Count * kWidth<T>; u += kWidth<double>)
                store(to + u, load<Vec<double>>(to + u) + widened(part + u));
        }
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
