// The body of every instruction set: included once by each simd_<level>.cpp, which sets DAGMAR_LEVEL (a namespace)
// and DAGMAR_BYTES (register width). With GCC and Clang vector types it needs few intrinsics.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "simd_vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Accumulators that fit the register file beside the operands: 32 registers with AVX-512, else 16.
constexpr std::size_t kAccumulators = kBytes == 64 ? 24 : 12;

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
        for (std::size_t p = 0; p < P; ++p)
            for (std::size_t u = 0; u < per; ++u) store(out[q] + at + p * kLanes + u * width, sums[q][p * per + u]);
}

// All panels, P at a time; the rest by halves of P.
template <class T, std::size_t Q, std::size_t P>
inline void rows_against(const T* const* rows, const T* panels, std::size_t n_panels, std::size_t n_features,
                         T* const* out, std::size_t at = 0) {
    for (; at + P <= n_panels; at += P)
        block<T, Q, P>(rows, panels + at * n_features * kLanes, n_features, out, at * kLanes);
    if constexpr (P > 1) rows_against<T, Q, P / 2>(rows, panels, n_panels, n_features, out, at);
}

// So many panels at a time for q rows.
template <class T>
constexpr std::size_t panels_for(std::size_t q) {
    return std::bit_floor(std::clamp<std::size_t>(kAccumulators / (kPerPanel<T> * q), 1, 8));
}

// n_rows rows, at most Q, as one block: one by one, each would load all panels.
template <class T, std::size_t Q>
inline void few_rows_against(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                             std::size_t n_features, T* const* out) {
    if (n_rows == Q) return rows_against<T, Q, panels_for<T>(Q)>(rows, panels, n_panels, n_features, out);
    if constexpr (Q > 1) few_rows_against<T, Q - 1>(rows, n_rows, panels, n_panels, n_features, out);
}

template <class T>
void dots(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels, std::size_t n_features,
          T* const* out) {
    constexpr std::size_t per = kPerPanel<T>;
    constexpr std::size_t wide = per == 1 ? 2 : 1;
    constexpr std::size_t many = std::max<std::size_t>(1, kAccumulators / (per * wide));
    constexpr std::size_t few = std::min<std::size_t>(many, 8);
    // A group of panels that stays in the second-level cache while every row passes over it.
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

// Some of a row's nonzeros against P panels, added to what the sums are so far.
template <class T, std::size_t P>
inline void nonzeros_against(const Nonzeros<T>& row, std::size_t begin, std::size_t end, const T* panels,
                             std::size_t n_features, std::size_t at) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    V sums[P * per];
    for (std::size_t p = 0; p < P * per; ++p) sums[p] = begin == 0 ? V{} : load<V>(row.out + at + p * width);
    const std::size_t step = n_features * kLanes;
    for (std::size_t t = begin; t < end; ++t) {
        const V x = splat<V>(row.value[t]);
        const T* lanes = panels + static_cast<std::size_t>(row.feature[t]) * kLanes;
#pragma GCC unroll 32
        for (std::size_t p = 0; p < P; ++p)
#pragma GCC unroll 32
            for (std::size_t u = 0; u < per; ++u) sums[p * per + u] += x * load<V>(lanes + p * step + u * width);
    }
    for (std::size_t p = 0; p < P * per; ++p) store(row.out + at + p * width, sums[p]);
}

// Rows against P panels, a part of the features at a time that stays in the first-level cache while all rows pass over
// it.
template <class T, std::size_t P>
inline void nonzeros_in_parts(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_features,
                              std::size_t at) {
    constexpr std::size_t at_once = 128, part = (std::size_t{24} << 10) / (P * kLanes * sizeof(T));
    for (std::size_t first = 0; first < n_rows; first += at_once) {
        const std::size_t n = std::min(at_once, n_rows - first);
        std::size_t begin[at_once] = {};
        for (std::size_t last = part;; last += part) {
            for (std::size_t q = 0; q < n; ++q) {
                const Nonzeros<T>& row = rows[first + q];
                std::size_t end = begin[q];
                if (last >= n_features)
                    end = row.n;
                else
                    while (end < row.n && static_cast<std::size_t>(row.feature[end]) < last) ++end;
                if (end > begin[q] || end == 0) nonzeros_against<T, P>(row, begin[q], end, panels, n_features, at);
                begin[q] = end;
            }
            if (last >= n_features) break;
        }
    }
}

// All panels, P at a time; the rest by halves of P.
template <class T, std::size_t P>
inline void nonzeros_against_all(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                                 std::size_t n_features, std::size_t at = 0) {
    for (; at + P <= n_panels; at += P)
        nonzeros_in_parts<T, P>(rows, n_rows, panels + at * n_features * kLanes, n_features, at * kLanes);
    if constexpr (P > 1) nonzeros_against_all<T, P / 2>(rows, n_rows, panels, n_panels, n_features, at);
}

template <class T>
void dots_of_nonzeros(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                      std::size_t n_features) {
    nonzeros_against_all<T, std::max<std::size_t>(1, 8 / kPerPanel<T>)>(rows, n_rows, panels, n_panels, n_features);
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

template <class T>
inline Vec<T> gaussian(Vec<T> dots, Vec<T> norms, Vec<T> norm, Vec<T> scale) {
    using V = Vec<T>;
    const V distance = (norm + norms) - splat<V>(T(2)) * dots;
    return power_of_two<T>(scale * larger<T>(distance, V{}));
}

template <class T>
inline void gaussian(T* values, const T* norms, Vec<T> norm, Vec<T> scale) {
    store(values, gaussian<T>(load<Vec<T>>(values), load<Vec<T>>(norms), norm, scale));
}

template <class T>
void rbf(T* values, const T* norms, T norm, T gamma, std::size_t n) {
    using V = Vec<T>;
    const V scale = splat<V>(scale_of<T>(static_cast<double>(gamma))), own = splat<V>(norm);
    for (std::size_t k = 0; k < n; k += kWidth<T>) gaussian(values + k, norms + k, own, scale);
}

template <class T>
void rbf_each(T* values, const T* norms, T norm, const T* gammas, std::size_t n) {
    using V = Vec<T>;
    const V own = splat<V>(norm);
    for (std::size_t k = 0; k < n; k += kWidth<T>) {
        T scales[kWidth<T>];
        for (std::size_t u = 0; u < kWidth<T>; ++u) scales[u] = scale_of<T>(static_cast<double>(gammas[k + u]));
        gaussian(values + k, norms + k, own, load<V>(scales));
    }
}

template <class T>
void poly(T* values, T gamma, T coef0, int degree, std::size_t n) {
    using V = Vec<T>;
    const V g = splat<V>(gamma), c = splat<V>(coef0);
    for (std::size_t k = 0; k < n; k += kWidth<T>) {
        const V base = g * load<V>(values + k) + c;
        V product = splat<V>(T(1));
        for (int e = 0; e < degree; ++e) product *= base;
        store(values + k, product);
    }
}

// tanh |z| = -m / (2 + m), where m = e^(-2 |z|) - 1 is computed without cancellation: 2^n (2^r - 1) + (2^n - 1).
template <class T>
void sigmoid(T* values, T gamma, T coef0, std::size_t n) {
    using V = Vec<T>;
    using P = PowerOfTwo<T>;
    using Bits = Vec<typename P::Bits>;
    const V g = splat<V>(gamma), c = splat<V>(coef0), one = splat<V>(T(1)), whole = splat<V>(P::to_integer);
    const V most = splat<V>(T(22));  // from there on tanh is 1 in double, too
    for (std::size_t k = 0; k < n; k += kWidth<T>) {
        const V z = g * load<V>(values + k) + c;
        V size = z < V{} ? -z : z;
        size = size < most ? size : most;
        const V x = size * splat<V>(static_cast<T>(-2.8853900817779268147));  // -2 / ln 2
        const V shifted = x + whole, r = x - (shifted - whole);
        const V power =
            reinterpret_cast<V>(reinterpret_cast<Bits>(one) + (reinterpret_cast<Bits>(shifted) << P::mantissa));
        const V m = power * (polynomial<T>(r) * r) + (power - one);
        const V value = -m / (one + one + m);
        store(values + k, z == z ? (z < V{} ? -value : value) : z);  // NaN stays NaN
    }
}

// The largest element, in all elements of 16 bytes; by halving, because going through them one by one is a long chain
// of comparisons. (Below 16 bytes, compilers would go on element by element.)
template <class T, std::size_t Bytes = kBytes>
inline typename VectorOf<T, 16>::type largest_of(typename VectorOf<T, Bytes>::type v) {
    using Half = typename VectorOf<T, Bytes / 2>::type;
    if constexpr (Bytes > 16) {
        Half halves[2];
        std::memcpy(halves, &v, Bytes);
        return largest_of<T, Bytes / 2>(halves[0] > halves[1] ? halves[0] : halves[1]);
    } else {
        using V = typename VectorOf<T, 16>::type;
        if constexpr (sizeof(T) == 4) {
            const V turned = {v[2], v[3], v[0], v[1]};
            v = v > turned ? v : turned;
        }
        V turned = v;
        for (std::size_t k = 0; k < 16 / sizeof(T); k += 2) turned[k] = v[k + 1], turned[k + 1] = v[k];
        return v > turned ? v : turned;
    }
}
template <class T>
inline T largest(Vec<T> v) {
    return largest_of<T>(v)[0];
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

// Count registers of lanes, from lane `at` on: sum += the weighted values of terms begin ... end-1.
template <class T, std::size_t Count>
inline void add_terms(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t begin,
                      std::size_t end, std::size_t stride, std::size_t at, Vec<T>* sum) {
    using V = Vec<T>;
    for (std::size_t t = begin; t < end; ++t) {
        const V c = splat<V>(coef[t]);
        const T* row = values + (index ? static_cast<std::size_t>(index[t]) - first : t) * stride + at;
#pragma GCC unroll 16
        for (std::size_t u = 0; u < Count; ++u) sum[u] += c * load<V>(row + u * kWidth<T>);
    }
}

// Calls sum_lanes.operator()<Count>(at) for all lanes, with as many registers at a time as hide the latency of sums.
template <class T, class SumLanes>
inline void for_lanes(std::size_t n_lanes, const SumLanes& sum_lanes) {
    constexpr std::size_t per = kPerPanel<T>, wide = std::clamp<std::size_t>(8 / per, 1, 4);
    std::size_t at = 0;
    for (; at + wide * kLanes <= n_lanes; at += wide * kLanes) sum_lanes.template operator()<wide * per>(at);
    for (; at < n_lanes; at += kLanes) sum_lanes.template operator()<per>(at);
}

template <class T>
inline void add_all_terms(const T* values, std::size_t stride, const std::int32_t* index, std::size_t first,
                          const T* coef, std::size_t n, std::size_t n_lanes, T* sums) {
    using V = Vec<T>;
    for_lanes<T>(n_lanes, [&]<std::size_t Count>(std::size_t at) {
        V sum[Count];
        for (std::size_t u = 0; u < Count; ++u) sum[u] = load<V>(sums + at + u * kWidth<T>);
        add_terms<T, Count>(values, index, first, coef, 0, n, stride, at, sum);
        for (std::size_t u = 0; u < Count; ++u) store(sums + at + u * kWidth<T>, sum[u]);
    });
}

template <class T>
void weighted_sum(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                  std::size_t n_lanes, T* sums) {
    add_all_terms(values, n_lanes, index, first, coef, n, n_lanes, sums);
}

template <class T>
void weighted_rows(const T* rows, std::size_t stride, const std::int32_t* index, const T* coef, std::size_t n,
                   std::size_t n_lanes, T* sums) {
    add_all_terms(rows, stride, index, 0, coef, n, n_lanes, sums);
}

// Rows against P panels.
template <class T, std::size_t P>
inline void add_rbf_to(const WeightedRow<T>* rows, std::size_t n_rows, const T* panels, const T* norms,
                       std::size_t n_features, Vec<T> scale, T* sums) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    const std::size_t step = n_features * kLanes;
    V all[P * per];
    for (std::size_t p = 0; p < P * per; ++p) all[p] = load<V>(sums + p * width);
    for (std::size_t q = 0; q < n_rows; ++q) {
        const Nonzeros<T>& row = rows[q].sample;
        V dots[P * per];
        for (std::size_t p = 0; p < P * per; ++p) dots[p] = V{};
        // Asks for this row's features in one of the next P panels: no processor foresees which features rows have.
        // (Behind the last panels it asks in vain.)
        const std::size_t ahead = (P + q % P) * step;
        for (std::size_t t = 0; t < row.n; ++t) {
            const V x = splat<V>(row.value[t]);
            const T* lanes = panels + static_cast<std::size_t>(row.feature[t]) * kLanes;
            __builtin_prefetch(lanes + ahead);
#pragma GCC unroll 32
            for (std::size_t p = 0; p < P; ++p)
#pragma GCC unroll 32
                for (std::size_t u = 0; u < per; ++u) dots[p * per + u] += x * load<V>(lanes + p * step + u * width);
        }
        const V norm = splat<V>(rows[q].norm), coef = splat<V>(rows[q].coef);
#pragma GCC unroll 32
        for (std::size_t p = 0; p < P * per; ++p)
            all[p] += coef * gaussian<T>(dots[p], load<V>(norms + p * width), norm, scale);
    }
    for (std::size_t p = 0; p < P * per; ++p) store(sums + p * width, all[p]);
}

template <class T>
void add_rbf_rows(const WeightedRow<T>* rows, std::size_t n_rows, const T* panels, const T* norms, std::size_t n_panels,
                  std::size_t n_features, T gamma, T* sums) {
    constexpr std::size_t at_once = std::max<std::size_t>(1, 8 / kPerPanel<T>);
    const Vec<T> scale = splat<Vec<T>>(scale_of<T>(static_cast<double>(gamma)));
    std::size_t p = 0;
    const auto add = [&]<std::size_t P>() {
        for (; p + P <= n_panels; p += P)
            add_rbf_to<T, P>(rows, n_rows, panels + p * n_features * kLanes, norms + p * kLanes, n_features, scale,
                             sums + p * kLanes);
    };
    add.template operator()<at_once>();
    add.template operator()<1>();
}

template <class T>
void sum_in_blocks(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                   std::size_t n_lanes, double* sums) {
    using V = Vec<T>;
    for_lanes<T>(n_lanes, [&]<std::size_t Count>(std::size_t at) {
        for (std::size_t begin = 0; begin < n; begin += kBlock) {
            V block[Count] = {};
            const std::size_t end = std::min(n, begin + kBlock);
            for (std::size_t t = begin; t < end; t += kFewTerms) {
                V few[Count] = {};
                add_terms<T, Count>(values, index, first, coef, t, std::min(end, t + kFewTerms), n_lanes, at, few);
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

// Where a bit of `bits` is set the value, elsewhere the other one.
inline Vec<double> where(std::uint32_t bits, Vec<double> value, Vec<double> other) {
#if DAGMAR_BYTES == 64
    return _mm512_mask_blend_pd(static_cast<__mmask8>(bits), other, value);  // the mask as it stands in memory
#else
    using Bits = Vec<std::int64_t>;
    Bits lane;
    for (std::size_t u = 0; u < kWidth<double>; ++u) lane[u] = std::int64_t{1} << u;
    return (splat<Bits>(static_cast<std::int64_t>(bits)) & lane) != 0 ? value : other;
#endif
}

// A pass over the scores of a pair problem, panel by panel.
template <class T>
class ScorePass {
   public:
    explicit ScorePass(const PairScores<T>& of) : of_(of) {
        for (std::size_t u = 0; u < per; ++u) top_[u] = lowest(), bottom_[u] = -lowest();
    }

    // The scores from place k on move by `change`.
    void panel(std::size_t k, const T* change) {
        const std::uint32_t ups = of_.may_up[k / kLanes], lows = of_.may_low[k / kLanes];
#pragma GCC unroll 8
        for (std::size_t u = 0; u < per; ++u) {
            const std::size_t at = k + u * width;
            const V score = load<V>(of_.scores + at) - widened(change + u * width);
            const V up = where(ups >> (u * width), score, lowest()),
                    below = where(lows >> (u * width), score, -lowest());
            store(of_.scores + at, score);
            store_narrowed(of_.low + at, below);
            top_[u] = up > top_[u] ? up : top_[u];
            bottom_[u] = below < bottom_[u] ? below : bottom_[u];
        }
        if ((in_chunk_ += kLanes) == of_.chunk || k + kLanes == of_.n) end_chunk();
    }

    Extremes extremes() {
        for (std::size_t u = 1; u < per; ++u) bottom_[0] = bottom_[u] < bottom_[0] ? bottom_[u] : bottom_[0];
        return {all_top_, -largest<double>(-bottom_[0])};
    }

   private:
    using V = Vec<double>;
    static constexpr std::size_t width = kWidth<double>, per = kPerPanel<double>;
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static V lowest() { return splat<V>(-kInfinity); }

    void end_chunk() {
        for (std::size_t u = 1; u < per; ++u) top_[0] = top_[u] > top_[0] ? top_[u] : top_[0];
        const double top = largest<double>(top_[0]);
        of_.chunk_top[n_chunks_++] = top;
        all_top_ = std::max(all_top_, top);
        in_chunk_ = 0;
        for (std::size_t u = 0; u < per; ++u) top_[u] = lowest();
    }

    const PairScores<T> of_;
    V top_[per], bottom_[per];
    double all_top_ = -kInfinity;
    std::size_t in_chunk_ = 0, n_chunks_ = 0;
};

template <class T>
Extremes update(const PairScores<T>& of, const T* change) {
    ScorePass<T> pass(of);
    for (std::size_t k = 0; k < of.n; k += kLanes) pass.panel(k, change + k);
    return pass.extremes();
}

template <class T>
Extremes update_by_rows(const PairScores<T>& of, const T* rows, std::size_t stride, const std::int32_t* index,
                        const T* coef, std::size_t n_rows) {
    ScorePass<T> pass(of);
    for_lanes<T>(of.n, [&]<std::size_t Count>(std::size_t at) {
        Vec<T> sum[Count] = {};
        add_terms<T, Count>(rows, index, 0, coef, 0, n_rows, stride, at, sum);
        alignas(64) T change[Count * kWidth<T>];
        for (std::size_t u = 0; u < Count; ++u) store(change + u * kWidth<T>, sum[u]);
        for (std::size_t k = 0; k < Count * kWidth<T>; k += kLanes) pass.panel(at + k, change + k);
    });
    return pass.extremes();
}

// 1/x for x > 0, to about 1e-5: the exponent is negated in the bits, then Newton's steps follow. Unlike the processor's
// own estimate it has the same bits everywhere.
template <class T>
inline Vec<T> about_one_over(Vec<T> x) {
    using V = Vec<T>;
    using Bits = Vec<typename PowerOfTwo<T>::Bits>;
    constexpr auto turned = sizeof(T) == 4 ? static_cast<typename PowerOfTwo<T>::Bits>(0x7EF311C7)
                                           : static_cast<typename PowerOfTwo<T>::Bits>(0x7FDE6238DA3C2118);
    const V two = splat<V>(T(2));
    V y = reinterpret_cast<V>(splat<Bits>(turned) - reinterpret_cast<Bits>(x));
    y = y * (two - x * y);
    return y * (two - x * y);
}

template <class T>
void gains(const T* low, const T* row_a, const T* diagonal, T top, T diagonal_a, T floor, std::size_t n,
           std::size_t chunk, T* gain, double* chunk_gain) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    const V highest = splat<V>(top), own = splat<V>(diagonal_a), two = splat<V>(T(2)), least = splat<V>(floor);
    for (std::size_t first = 0; first < n; first += chunk) {
        V best[per] = {};
        for (std::size_t k = first; k < std::min(n, first + chunk); k += kLanes)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < per; ++u) {
                const std::size_t at = k + u * width;
                V drop = highest - load<V>(low + at);
                drop = larger<T>(drop, V{});
                V curvature = (own + load<V>(diagonal + at)) - two * load<V>(row_a + at);
                curvature = curvature > least ? curvature : least;
                const V quotient = drop * drop * about_one_over<T>(curvature);
                store(gain + at, quotient);
                best[u] = quotient > best[u] ? quotient : best[u];
            }
        for (std::size_t u = 1; u < per; ++u) best[0] = best[u] > best[0] ? best[u] : best[0];
        chunk_gain[first / chunk] = static_cast<double>(largest<T>(best[0]));
    }
}

// A bit per lane of a panel: which of its values are equal to this one.
template <class T>
inline std::uint32_t equal_lanes(const T* panel, T value) {
    std::uint32_t found = 0;
#pragma GCC unroll 8
    for (std::size_t u = 0; u < kPerPanel<T>; ++u) {
        const Vec<T> v = load<Vec<T>>(panel + u * kWidth<T>);
        std::uint32_t bits = 0;
#if DAGMAR_BYTES == 64
        if constexpr (sizeof(T) == sizeof(float))
            bits = _mm512_cmp_ps_mask(v, _mm512_set1_ps(value), _CMP_EQ_OQ);
        else
            bits = _mm512_cmp_pd_mask(v, _mm512_set1_pd(value), _CMP_EQ_OQ);
        // Where no register is free, GCC 12 would store the 8 or 16 bits of a mask, and load 32. This asks for a
        // register.
        asm("" : "+r"(bits));
#elif DAGMAR_BYTES == 32
        if constexpr (sizeof(T) == sizeof(float))
            bits = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(v, _mm256_set1_ps(value), _CMP_EQ_OQ)));
        else
            bits = static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_set1_pd(value), _CMP_EQ_OQ)));
#else
        for (std::size_t lane = 0; lane < kWidth<T>; ++lane)
            bits |= static_cast<std::uint32_t>(v[lane] == value) << lane;
#endif
        found |= bits << (u * kWidth<T>);
    }
    return found;
}

// The first lane of these vectors, as many as hold n, that has this value; there is one. A whole panel of comparisons
// at a time, without a branch between them: where the lane is cannot be predicted.
inline std::size_t lane_among(const Vec<double>* v, std::size_t n, double value) {
    for (std::size_t k = 0; k < n; k += kLanes) {
        const std::uint32_t found = equal_lanes(reinterpret_cast<const double*>(v) + k, value);
        if (found) return k + static_cast<std::size_t>(std::countr_zero(found));
    }
    return 0;
}

// values[k] = value, by a store of a whole vector: a load of whole vectors would have to wait for a shorter store.
template <class T>
inline void put(T* values, std::size_t k, T value) {
    using Places = Vec<std::conditional_t<sizeof(T) == sizeof(float), std::int32_t, std::int64_t>>;
    Places lanes;
    for (std::size_t u = 0; u < kWidth<T>; ++u) lanes[u] = static_cast<std::int32_t>(u);
    T* from = values + k / kWidth<T> * kWidth<T>;
    const auto is_here = lanes == (Places{} + static_cast<std::int32_t>(k % kWidth<T>));
    const Vec<T> old = load<Vec<T>>(from);
    store(from, is_here ? splat<Vec<T>>(value) : old);
}

inline std::size_t largest_chunks(const double* values, std::size_t n, double base, double least, std::size_t count,
                                  std::size_t* places) {
    using V = Vec<double>;
    using Keys = Vec<std::int32_t>;
    constexpr std::size_t width = kWidth<double>, wide = kWidth<float>;
    constexpr std::int32_t mask = static_cast<std::int32_t>(kMostChunks) - 1;
    alignas(64) double above[kMostChunks];
    alignas(64) float shares[kMostChunks];  // of the largest, so that they are in the range of float
    V most = {};
    for (std::size_t k = 0; k < padded(n); k += width) {
        const V distance = load<V>(values + k) - splat<V>(base);
        store(above + k, distance);
        most = distance > most ? distance : most;
    }
    const double unit = 1.0 / std::clamp(largest<double>(most), 1e-300, 1e300);
    for (std::size_t k = 0; k < padded(n); k += width) store_narrowed(shares + k, load<V>(above + k) * splat<V>(unit));
    // A share and its place in one number: the place stands in the last digits, the first with the largest number.
    Keys* const keys = reinterpret_cast<Keys*>(shares);
    Keys from_end;
    for (std::size_t u = 0; u < wide; ++u) from_end[u] = mask - static_cast<std::int32_t>(u);
    for (std::size_t i = 0; i < padded(n) / wide; ++i) {
        keys[i] = (keys[i] & ~mask) | from_end;
        from_end -= static_cast<std::int32_t>(wide);
    }
    const std::int32_t none = std::bit_cast<std::int32_t>(static_cast<float>(std::max(least, 0.0) * unit)) | mask;
    // The largest stay in registers from one to the next: where they are is read off when all are found.
    std::int32_t found[kMostLargest];
    Keys last{};
    for (std::size_t k = 0; k < count; ++k) {
        Keys best{};
        for (std::size_t i = 0; i < padded(n) / wide; ++i) {
            keys[i] = keys[i] == last ? Keys{} : keys[i];
            best = keys[i] > best ? keys[i] : best;
        }
        const auto largest = largest_of<std::int32_t>(best);
        found[k] = largest[0];
        last = splat<Keys>(largest[0]);
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (found[k] <= none) return k;
        places[k] = static_cast<std::size_t>(mask - (found[k] & mask));
    }
    return count;
}

template <class T>
std::size_t find(const T* values, const std::uint16_t* bits, T value, std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; k += kLanes) {
        const std::uint32_t found = equal_lanes(values + k, value) & (bits ? bits[k / kLanes] : 0xFFFFu);
        if (found) return k + static_cast<std::size_t>(std::countr_zero(found));
    }
    return end;
}

template <class T>
void gather(const T* rows, std::size_t stride, const std::int32_t* slots, const std::int32_t* places, std::size_t count,
            std::size_t n, T* block) {
    for (std::size_t i = 0; i < count; ++i) {
        const T* row = rows + static_cast<std::size_t>(slots[i]) * stride;
        T *const to = block + i * n, *mirrored = block + i;
#pragma GCC unroll 4
        for (std::size_t j = 0; j < i; ++j, mirrored += n) to[j] = *mirrored = row[places[j]];
        to[i] = row[places[i]];
        for (std::size_t j = count; j < n; ++j) to[j] = T(0);
    }
}

#include "pair_moves.hpp"

// Steps on the scores themselves.
template <class T>
class Steps : PairMoves<T, double> {
   public:
    explicit Steps(Inner<T>& problem) : PairMoves<T, double>(problem) {}

    // N: the number of samples where it is known, else 0.
    template <std::size_t N>
    std::int64_t run(double enough, std::int64_t max_steps) {
        // Copies: for all the compiler knows, a store of a vector could change what p_ holds.
        const std::size_t n = N ? N : p_.n;
        double* const scores = p_.scores;
        const T* const diagonal = p_.diagonal;
        const V floor = splat<V>(p_.floor);
        V best, bottom;
        // Scores along a step, and their extremes.
        const auto move_scores = [&](double delta, const T* row_a, const T* row_b) {
            best = splat<V>(-kInfinity);
            bottom = splat<V>(kInfinity);
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; k += width) {
                const V score = load<V>(scores + k) - delta * (widened(row_a + k) - widened(row_b + k));
                store(scores + k, score);
                const V up = score + load<V>(not_up_ + k), below = score + load<V>(not_low_ + k);
                candidates_[k / width] = up;
                best = up > best ? up : best;
                bottom = below < bottom ? below : bottom;
            }
        };
        move_scores(0.0, diagonal, diagonal);
        for (std::int64_t step = 0; step < max_steps; ++step) {
            const double top = largest<double>(best);
            if (step > 0 && top + largest<double>(-bottom) < enough) return step;
            if (!std::isfinite(top)) return step;  // nothing may go up, or the scores have overflowed
            const std::size_t a = lane_among(candidates_, n, top);
            const T* row_a = this->row(a);
            const V highest = splat<V>(top), own = splat<V>(static_cast<double>(diagonal[a]));
            best = V{};
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; k += width) {
                V drop = highest - (load<V>(scores + k) + load<V>(not_low_ + k));
                drop = larger<double>(drop, V{});
                V curvature = own + widened(diagonal + k) - 2.0 * widened(row_a + k);
                curvature = curvature > floor ? curvature : floor;
                const V gain = drop * drop * about_one_over<double>(curvature);
                candidates_[k / width] = gain;
                best = gain > best ? gain : best;
            }
            const double gain = largest<double>(best);
            if (!(gain > 0)) return step;
            const std::size_t b = lane_among(candidates_, n, gain);
            const double step_to_minimum = (scores[a] - scores[b]) / this->curvature(a, b);
            move_scores(this->move_in_arrays(a, b, step_to_minimum), row_a, this->row(b));
        }
        return max_steps;
    }

    using PairMoves<T, double>::store_moved;

   private:
    using PairMoves<T, double>::p_, PairMoves<T, double>::not_up_, PairMoves<T, double>::not_low_;
    using V = Vec<double>;
    static constexpr std::size_t width = kWidth<double>;
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    V candidates_[kMostInner / width];
};

#include "quick_steps.hpp"

// Calls steps.run for the number of samples of the problem.
template <class S, class T>
std::int64_t run(S& steps, const Inner<T>& problem, double enough, std::int64_t max_steps) {
    const std::int64_t made = problem.n == kLanes       ? steps.template run<kLanes>(enough, max_steps)
                              : problem.n == 2 * kLanes ? steps.template run<2 * kLanes>(enough, max_steps)
                                                        : steps.template run<0>(enough, max_steps);
    steps.store_moved();
    return made;
}

template <class T>
std::int64_t inner(Inner<T>& problem, double enough, std::int64_t max_steps) {
    if constexpr (sizeof(T) == sizeof(float)) {
        if (problem.quick) {
            QuickSteps steps(problem);
            if (steps.serves(enough)) return run(steps, problem, enough, max_steps);
            problem.quick = false;
        }
    }
    Steps<T> steps(problem);
    return run(steps, problem, enough, max_steps);
}

// In double, so that the error of the scores is that of lambda.
template <class T>
void move_by(const T* rows, std::size_t stride, const std::int32_t* index, const double* coef, std::size_t n,
             std::size_t n_lanes, double* scores) {
    using V = Vec<double>;
    constexpr std::size_t width = kWidth<double>, wide = 4 * kPerPanel<double>;
    const auto lanes = [&]<std::size_t Count>(std::size_t at) {
        V sum[Count];
        for (std::size_t u = 0; u < Count; ++u) sum[u] = load<V>(scores + at + u * width);
        for (std::size_t t = 0; t < n; ++t) {
            const V c = splat<V>(coef[t]);
            const T* row = rows + static_cast<std::size_t>(index[t]) * stride + at;
#pragma GCC unroll 16
            for (std::size_t u = 0; u < Count; ++u) sum[u] -= c * widened(row + u * width);
        }
        for (std::size_t u = 0; u < Count; ++u) store(scores + at + u * width, sum[u]);
    };
    std::size_t at = 0;
    for (; at + wide * width <= n_lanes; at += wide * width) lanes.template operator()<wide>(at);
    for (; at < n_lanes; at += kLanes) lanes.template operator()<kPerPanel<double>>(at);
}

// One element of two registers for each of the indices, which count the elements of both.
template <class T, std::size_t... Index>
inline Vec<T> pick(Vec<T> a, Vec<T> b, std::index_sequence<Index...>) {
#ifdef __clang__
    return __builtin_shufflevector(a, b, Index...);
#else
    using Bits = typename PowerOfTwo<T>::Bits;
    return __builtin_shuffle(a, b, Vec<Bits>{static_cast<Bits>(Index)...});
#endif
}

// Exchanges the blocks of Size x Size elements that lie on either side of the diagonal of a square of registers, and
// then those within these.
template <class T, std::size_t Size = kWidth<T> / 2>
inline void transpose_square(Vec<T>* square) {
    constexpr std::size_t width = kWidth<T>;
    const auto exchange = [&]<std::size_t... J>(std::index_sequence<J...>) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < width; ++i) {
            if (i & Size) continue;
            const Vec<T> upper = square[i], lower = square[i + Size];
            square[i] = pick<T>(upper, lower, std::index_sequence<(J & Size ? width + J - Size : J)...>());
            square[i + Size] = pick<T>(upper, lower, std::index_sequence<(J & Size ? width + J : J + Size)...>());
        }
    };
    exchange(std::make_index_sequence<width>());
    if constexpr (Size > 1) transpose_square<T, Size / 2>(square);
}

template <class T>
void transpose(const T* from, std::size_t stride, std::size_t n_rows, std::size_t n_columns, T* to,
               std::size_t to_stride) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    for (std::size_t i = 0; i < padded(n_rows); i += width)
        for (std::size_t j = 0; j < n_columns; j += width) {
            V square[width];
            for (std::size_t k = 0; k < width; ++k)
                square[k] = i + k < n_rows ? load<V>(from + (i + k) * stride + j) : V{};
            transpose_square<T>(square);
            for (std::size_t k = 0; k < width && j + k < n_columns; ++k) store(to + (j + k) * to_stride + i, square[k]);
        }
}

#include "triangles.hpp"

template <class T>
constexpr Simd<T> table() {
    return {dots<T>,          dots_of_nonzeros<T>, dots_alone<T>,     norms_of_rows<T>, norms<T>,
            rbf<T>,           rbf_each<T>,         poly<T>,           sigmoid<T>,       weighted_sum<T>,
            sum_in_blocks<T>, update<T>,           update_by_rows<T>, gains<T>,         largest_chunks,
            find<T>,          find<double>,        gather<T>,         inner<T>,         weighted_rows<T>,
            add_rbf_rows<T>,  move_by<T>,          transpose<T>,      factor<T>,        solve_two<T>,
            take_out<T>};
}

// Constant-initialised: no code of this instruction set runs before best_level() allows it.
extern const Simd<float> single_table;
extern const Simd<double> double_table;
constinit const Simd<float> single_table = table<float>();
constinit const Simd<double> double_table = table<double>();

}  // namespace dagmar::DAGMAR_LEVEL
