// Passes over all scores of a pair problem, which also find the best of every chunk of samples.
#pragma once

#include "simd/generic/curvature.hpp"
#include "simd/generic/largest.hpp"
#include "simd/generic/sums.hpp"

namespace dagmar::DAGMAR_LEVEL {

// The value where a bit of `bits` is set, elsewhere the other one.
inline Vec<double> where(std::uint32_t bits, Vec<double> value, Vec<double> other) {
#if DAGMAR_BYTES == 64
    return _mm512_mask_blend_pd(static_cast<__mmask8>(bits), other, value);  // the mask as it is in memory
#else
    using Bits = Vec<std::int64_t>;
    const Bits lane = std::int64_t{1} << counting_from(std::int64_t{0});
    return (splat<Bits>(static_cast<std::int64_t>(bits)) & lane) != 0 ? value : other;
#endif
}

template <class T>
Extremes update_by_rows(const PairScores<T>& scores, const T* rows, std::size_t stride, const std::int32_t* index,
                        const T* coef, std::size_t n_rows) {
    using V = Vec<double>;
    constexpr std::size_t width = kWidth<double>, per = kPerPanel<double>;
    const V least = splat<V>(-std::numeric_limits<double>::infinity());
    const PairScores<T> of = scores;  // a copy: stores cannot change it
    Extremes all{least[0], -least[0]};
    V top[per], bottom[per];
    std::fill(top, top + per, least);
    std::fill(bottom, bottom + per, -least);
    std::size_t in_chunk = 0, n_chunks = 0;
    const auto change_panel = [&](std::size_t k, const T* change) {
        const std::uint32_t ups = of.may_up[k / kLanes], lows = of.may_low[k / kLanes];
#pragma GCC unroll 8
        for (std::size_t u = 0; u < per; ++u) {
            const std::size_t at = k + u * width;
            const V score = load<V>(of.scores + at) - widened(change + u * width);
            const V up = where(ups >> (u * width), score, least), below = where(lows >> (u * width), score, -least);
            store(of.scores + at, score);
            store_narrowed(of.low + at, below);
            top[u] = up > top[u] ? up : top[u];
            bottom[u] = below < bottom[u] ? below : bottom[u];
        }
        if ((in_chunk += kLanes) != of.chunk && k + kLanes != of.n) return;
        for (std::size_t u = 1; u < per; ++u) top[0] = top[u] > top[0] ? top[u] : top[0];
        of.chunk_top[n_chunks] = largest<double>(top[0]);
        all.top = std::max(all.top, of.chunk_top[n_chunks++]);
        in_chunk = 0;
        std::fill(top, top + per, least);
    };
    const Terms<T, T> terms{rows, stride, index, 0, coef};
    for_lanes<T>(of.n, [&]<std::size_t Count>(std::size_t at) {
        Vec<T> sum[Count] = {};
        terms.template add_to<Count>(sum, 0, n_rows, at);
        alignas(64) T change[Count * kWidth<T>];
        for (std::size_t u = 0; u < Count; ++u) store(change + u * kWidth<T>, sum[u]);
        for (std::size_t k = 0; k < Count * kWidth<T>; k += kLanes) change_panel(at + k, change + k);
    });
    for (std::size_t u = 1; u < per; ++u) bottom[0] = bottom[u] < bottom[0] ? bottom[u] : bottom[0];
    all.bottom = -largest<double>(-bottom[0]);
    return all;
}

template <class T>
void gains(const T* low, const T* row_a, const T* diagonal, T top, T diagonal_a, T floor, std::size_t n,
           std::size_t chunk, T* gain, double* chunk_gain) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    const V highest = splat<V>(top), own = splat<V>(diagonal_a), least = splat<V>(floor);
    for (std::size_t first = 0; first < n; first += chunk) {
        V best[per] = {};
        for (std::size_t k = first; k < std::min(n, first + chunk); k += kLanes)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < per; ++u) {
                const std::size_t at = k + u * width;
                const V inverse = inverse_curvature<T>(own, load<V>(diagonal + at), load<V>(row_a + at), least);
                const V found = gain_of<T>(highest, load<V>(low + at), inverse);
                store(gain + at, found);
                best[u] = found > best[u] ? found : best[u];
            }
        for (std::size_t u = 1; u < per; ++u) best[0] = best[u] > best[0] ? best[u] : best[0];
        chunk_gain[first / chunk] = static_cast<double>(largest<T>(best[0]));
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
