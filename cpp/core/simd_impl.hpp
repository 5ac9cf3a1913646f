// The body of every instruction set: included once by each simd_<level>.cpp, which sets DAGMAR_LEVEL (a namespace)
// and DAGMAR_BYTES (register width). GCC and Clang vector types keep it all but free of intrinsics.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#if DAGMAR_BYTES == 64
#include <immintrin.h>
#endif

#include "simd.hpp"

namespace dagmar::DAGMAR_LEVEL {

constexpr std::size_t kBytes = DAGMAR_BYTES;

template <class T, std::size_t Bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));
};
template <class T>
using Vec = typename VectorOf<T, kBytes>::type;

template <class T>
constexpr std::size_t kWidth = kBytes / sizeof(T);
template <class T>
constexpr std::size_t kPerPanel = kLanes / kWidth<T>;

// Accumulators that fit the register file beside the operands: 32 registers with AVX-512, else 16.
constexpr std::size_t kAccumulators = kBytes == 64 ? 24 : 12;

template <class V, class T>
inline V load(const T* p) {
    return *reinterpret_cast<const V*>(p);
}
template <class V, class T>
inline void store(T* p, V v) {
    *reinterpret_cast<V*>(p) = v;
}
template <class V, class T>
inline V splat(T value) {
    return value - V{};
}

// Q rows against P panels: every accumulator is one chain over the features.
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
            for (std::size_t u = 0; u < per; ++u) lanes[p * per + u] = load<V>(panels + p * step + f * kLanes + u * width);
#pragma GCC unroll 32
        for (std::size_t q = 0; q < Q; ++q) {
            const V x = splat<V>(row[q][f]);
#pragma GCC unroll 32
            for (std::size_t p = 0; p < P * per; ++p) sums[q][p] += x * lanes[p];
        }
    }
    for (std::size_t q = 0; q < Q; ++q)
        for (std::size_t p = 0; p < P; ++p)
            for (std::size_t u = 0; u < per; ++u)
                store(out[q] + at + p * kLanes + u * width, sums[q][p * per + u]);
}

// All panels, P at a time, and what is left over by halves.
template <class T, std::size_t Q, std::size_t P>
inline void rows_against(const T* const* rows, const T* panels, std::size_t n_panels, std::size_t n_features,
                         T* const* out, std::size_t at = 0) {
    for (; at + P <= n_panels; at += P)
        block<T, Q, P>(rows, panels + at * n_features * kLanes, n_features, out, at * kLanes);
    if constexpr (P > 1) rows_against<T, Q, P / 2>(rows, panels, n_panels, n_features, out, at);
}

template <class T>
void dots(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels, std::size_t n_features,
          T* const* out) {
    constexpr std::size_t per = kPerPanel<T>;
    constexpr std::size_t wide = per == 1 ? 2 : 1;
    constexpr std::size_t many = std::max<std::size_t>(1, kAccumulators / (per * wide));
    constexpr std::size_t four = std::min<std::size_t>(many, 4);
    constexpr auto panels_for = [](std::size_t q) {
        return std::bit_floor(std::clamp<std::size_t>(kAccumulators / (per * q), 1, 8));
    };
    // A group of panels that stays in the second-level cache while every row passes over it.
    const std::size_t group = std::max<std::size_t>(8, (std::size_t{512} << 10) / (n_features * kLanes * sizeof(T) + 1));
    T* shifted[many];
    for (std::size_t first = 0; first < n_panels; first += group) {
        const std::size_t count = std::min(group, n_panels - first);
        const T* here = panels + first * n_features * kLanes;
        const auto to = [&](std::size_t q, std::size_t n) {
            for (std::size_t i = 0; i < n; ++i) shifted[i] = out[q + i] + first * kLanes;
            return shifted;
        };
        std::size_t q = 0;
        for (; q + many <= n_rows; q += many) rows_against<T, many, wide>(rows + q, here, count, n_features, to(q, many));
        for (; q + four <= n_rows; q += four)
            rows_against<T, four, panels_for(four)>(rows + q, here, count, n_features, to(q, four));
        for (; q < n_rows; ++q) rows_against<T, 1, panels_for(1)>(rows + q, here, count, n_features, to(q, 1));
    }
}

template <class T>
void norms_of_rows(const T* rows, std::size_t n_rows, std::size_t n_features, T* out) {
    // As vectors of one value, so that the compiler fuses here what it fuses in `block`; eight chains hide the latency.
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

template <class T>
void dots_alone(const T* x, const T* const* rows, std::size_t n_rows, std::size_t n_features, T* out) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    constexpr std::size_t at_once = 4;  // four rows hide the latency of the sums
    const std::size_t whole = n_features / width * width;
    const auto finish = [&](V sums, const T* row) {
        T sum = 0;
        for (std::size_t u = 0; u < width; ++u) sum += sums[u];
        for (std::size_t f = whole; f < n_features; ++f) sum += x[f] * row[f];
        return sum;
    };
    std::size_t q = 0;
    for (; q + at_once <= n_rows; q += at_once) {
        V sums[at_once] = {};
        for (std::size_t f = 0; f < whole; f += width) {
            const V lanes = load<V>(x + f);
#pragma GCC unroll 4
            for (std::size_t i = 0; i < at_once; ++i) sums[i] += lanes * load<V>(rows[q + i] + f);
        }
        for (std::size_t i = 0; i < at_once; ++i) out[q + i] = finish(sums[i], rows[q + i]);
    }
    for (; q < n_rows; ++q) {
        V sums{};
        for (std::size_t f = 0; f < whole; f += width) sums += load<V>(x + f) * load<V>(rows[q] + f);
        out[q] = finish(sums, rows[q]);
    }
}

// 2^x for x <= 0. x = n + r with |r| <= 1/2; 2^r by its Taylor series, whose first term left out is below half a unit in
// the last place; n is added to the exponent bits. Where 2^x would no longer be a normal number it stays the smallest
// one asked for: next to the sums it goes into, that is zero.
template <class T>
struct PowerOfTwo;
template <>
struct PowerOfTwo<float> {
    using Bits = std::int32_t;
    static constexpr int mantissa = 23, degree = 7;
    static constexpr float lowest = -125.0f, to_integer = 12582912.0f;  // 1.5 * 2^23
};
template <>
struct PowerOfTwo<double> {
    using Bits = std::int64_t;
    static constexpr int mantissa = 52, degree = 13;
    static constexpr double lowest = -1021.0, to_integer = 6755399441055744.0;  // 1.5 * 2^52
};

template <class T>
inline Vec<T> power_of_two(Vec<T> x) {
    using V = Vec<T>;
    using P = PowerOfTwo<T>;
    using Bits = Vec<typename P::Bits>;
    const V low = splat<V>(P::lowest), whole = splat<V>(P::to_integer);
    x = x > low ? x : low;
    const V shifted = x + whole;  // the low bits now hold n as an integer
    const V r = x - (shifted - whole);
    double coefficient[P::degree + 1] = {1.0};  // (ln 2)^k / k!
    for (int k = 1; k <= P::degree; ++k) coefficient[k] = coefficient[k - 1] * 0.69314718055994530942 / k;
    V value = splat<V>(static_cast<T>(coefficient[P::degree]));
#pragma GCC unroll 16
    for (int k = P::degree - 1; k >= 0; --k) value = value * r + splat<V>(static_cast<T>(coefficient[k]));
    // The shift drops what `whole` put above n.
    return reinterpret_cast<V>(reinterpret_cast<Bits>(value) + (reinterpret_cast<Bits>(shifted) << P::mantissa));
}

// exp(-gamma d) = 2^(scale d)
template <class T>
inline T scale_of(T gamma) {
    return static_cast<T>(-gamma * 1.4426950408889634074);
}

template <class T>
inline void gaussian(T* values, const T* norms, Vec<T> norm, Vec<T> scale) {
    using V = Vec<T>;
    V distance = (norm + load<V>(norms)) - splat<V>(T(2)) * load<V>(values);
    distance = distance > V{} ? distance : V{};
    store(values, power_of_two<T>(scale * distance));
}

template <class T>
void rbf(T* values, const T* norms, T norm, T gamma, std::size_t n) {
    using V = Vec<T>;
    const V scale = splat<V>(scale_of(gamma)), own = splat<V>(norm);
    for (std::size_t k = 0; k < n; k += kWidth<T>) gaussian(values + k, norms + k, own, scale);
}

template <class T>
void rbf_each(T* values, const T* norms, T norm, const T* gammas, std::size_t n) {
    using V = Vec<T>;
    const V own = splat<V>(norm);
    for (std::size_t k = 0; k < n; k += kWidth<T>) {
        T scales[kWidth<T>];
        for (std::size_t u = 0; u < kWidth<T>; ++u) scales[u] = scale_of(gammas[k + u]);
        gaussian(values + k, norms + k, own, load<V>(scales));
    }
}

template <class T>
void weighted_sum(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                  std::size_t n_lanes, T* sums) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    const auto lanes = [&]<std::size_t Count>(std::size_t at) {
        V sum[Count];
        for (std::size_t u = 0; u < Count; ++u) sum[u] = load<V>(sums + at + u * width);
        for (std::size_t t = 0; t < n; ++t) {
            const V c = splat<V>(coef[t]);
            const T* row = values + (index ? static_cast<std::size_t>(index[t]) - first : t) * n_lanes + at;
#pragma GCC unroll 16
            for (std::size_t u = 0; u < Count; ++u) sum[u] += c * load<V>(row + u * width);
        }
        for (std::size_t u = 0; u < Count; ++u) store(sums + at + u * width, sum[u]);
    };
    constexpr std::size_t per = kPerPanel<T>, wide = std::clamp<std::size_t>(8 / per, 1, 4);
    std::size_t at = 0;
    for (; at + wide * kLanes <= n_lanes; at += wide * kLanes) lanes.template operator()<wide * per>(at);
    for (; at < n_lanes; at += kLanes) lanes.template operator()<per>(at);
}

// Largest value and its first place, in two steps: maxima of at most kChunks chunks while passing over everything, then a
// second look at the one chunk that holds the largest. Cheaper than to carry places along with the values.
constexpr std::size_t kChunks = 64;
constexpr std::size_t chunk_of(std::size_t n) {
    return std::max<std::size_t>(8 * kLanes, padded((n + kChunks - 1) / kChunks));
}

// The largest element, by halving: the other way is one long chain of comparisons.
template <class T, std::size_t Bytes = kBytes>
inline T largest(typename VectorOf<T, Bytes>::type v) {
    if constexpr (Bytes == sizeof(T)) {
        return v[0];
    } else {
        using Half = typename VectorOf<T, Bytes / 2>::type;
        Half halves[2];
        std::memcpy(halves, &v, Bytes);
        return largest<T, Bytes / 2>(halves[0] > halves[1] ? halves[0] : halves[1]);
    }
}

// The first chunk that holds the largest value.
template <class T>
inline std::size_t first_largest(const T* chunks, std::size_t n) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < n; ++c) best = chunks[c] > chunks[best] ? c : best;
    return best;
}

// Kernel rows of either type next to double scores: as many elements as a register holds doubles.
template <class T>
using Beside = typename VectorOf<T, kWidth<double> * sizeof(T)>::type;

inline Vec<double> widened(const float* p) {
#if DAGMAR_BYTES == 64
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));  // the compiler would do it in two halves
#else
    return __builtin_convertvector(load<Beside<float>>(p), Vec<double>);
#endif
}
inline void store_narrowed(float* p, Vec<double> v) {
#if DAGMAR_BYTES == 64
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
#else
    store(p, __builtin_convertvector(v, Beside<float>));
#endif
}
inline Vec<double> widened(const double* p) { return load<Vec<double>>(p); }
inline void store_narrowed(double* p, Vec<double> v) { store(p, v); }

template <class T>
Extremes update(double* scores, T* low, const T* row_a, const T* row_b, double delta, const double* up_bar,
                const double* low_bar, std::size_t n) {
    using V = Vec<double>;
    constexpr std::size_t width = kWidth<double>, per = kPerPanel<double>;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t chunk = chunk_of(n);
    const V step = splat<V>(delta);
    double chunk_top[kChunks];
    V bottom[per];
    for (std::size_t u = 0; u < per; ++u) bottom[u] = splat<V>(infinity);
    for (std::size_t first = 0; first < n; first += chunk) {
        V top[per];
        for (std::size_t u = 0; u < per; ++u) top[u] = splat<V>(-infinity);
        for (std::size_t k = first; k < std::min(n, first + chunk); k += kLanes)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < per; ++u) {
                const std::size_t at = k + u * width;
                const V change = widened(row_a + at) - widened(row_b + at);
                const V score = load<V>(scores + at) - step * change;
                const V up = score + load<V>(up_bar + at), below = score + load<V>(low_bar + at);
                store(scores + at, score);
                store_narrowed(low + at, below);
                top[u] = up > top[u] ? up : top[u];
                bottom[u] = below < bottom[u] ? below : bottom[u];
            }
        for (std::size_t u = 1; u < per; ++u) top[0] = top[u] > top[0] ? top[u] : top[0];
        chunk_top[first / chunk] = largest<double>(top[0]);
    }
    for (std::size_t u = 1; u < per; ++u) bottom[0] = bottom[u] < bottom[0] ? bottom[u] : bottom[0];
    const std::size_t c = first_largest(chunk_top, (n + chunk - 1) / chunk);
    Extremes found{chunk_top[c], -largest<double>(-bottom[0]), -1};
    if (found.top == -infinity) return found;
    for (std::size_t k = c * chunk; found.up < 0; k += width)
        if (largest<double>(load<V>(scores + k) + load<V>(up_bar + k)) == found.top)
            for (std::size_t lane = width; lane-- > 0;)
                if (scores[k + lane] + up_bar[k + lane] == found.top) found.up = static_cast<std::ptrdiff_t>(k + lane);
    return found;
}

template <class T>
std::ptrdiff_t partner(const T* low, const T* row_a, const T* diagonal, T top, T diagonal_a, std::size_t n) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    const V highest = splat<V>(top), own = splat<V>(diagonal_a), two = splat<V>(T(2)), least = splat<V>(T(1e-12));
    const auto gain = [&](std::size_t at) {
        V drop = highest - load<V>(low + at);
        drop = drop > V{} ? drop : V{};
        V curvature = (own + load<V>(diagonal + at)) - two * load<V>(row_a + at);
        curvature = curvature > least ? curvature : least;
        return drop * drop / curvature;
    };
    const std::size_t chunk = chunk_of(n);
    T chunk_best[kChunks];
    for (std::size_t first = 0; first < n; first += chunk) {
        V best[per] = {};
        for (std::size_t k = first; k < std::min(n, first + chunk); k += kLanes)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < per; ++u) {
                const V now = gain(k + u * width);
                best[u] = now > best[u] ? now : best[u];
            }
        for (std::size_t u = 1; u < per; ++u) best[0] = best[u] > best[0] ? best[u] : best[0];
        chunk_best[first / chunk] = largest<T>(best[0]);
    }
    const std::size_t c = first_largest(chunk_best, (n + chunk - 1) / chunk);
    const T most = chunk_best[c];
    if (!(most > 0)) return -1;
    for (std::size_t k = c * chunk;; k += width) {
        const V now = gain(k);
        if (largest<T>(now) != most) continue;
        std::size_t lane = 0;
        while (now[lane] != most) ++lane;
        return static_cast<std::ptrdiff_t>(k + lane);
    }
}

template <class T>
constexpr Simd<T> table() {
    return {dots<T>, dots_alone<T>, norms_of_rows<T>, norms<T>, rbf<T>, rbf_each<T>, weighted_sum<T>, update<T>, partner<T>};
}

// Constant-initialised: no code of this instruction set runs before best_level() allows it.
extern const Simd<float> single_table;
extern const Simd<double> double_table;
constinit const Simd<float> single_table = table<float>();
constinit const Simd<double> double_table = table<double>();

}  // namespace dagmar::DAGMAR_LEVEL
