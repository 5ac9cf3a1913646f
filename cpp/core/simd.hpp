// The arithmetic that is worth writing for vector registers, behind plain functions.
//
// One source (simd_impl.hpp) is compiled once per instruction set; `simd<T>()` hands out the table of the best
// one this processor has. Samples stand in *panels* of kLanes, feature-major: panel[f * kLanes + lane]. A value
// is always the same chain of operations over the features, one after the other, in one lane. So it does not depend
// on where in a panel a sample stands, on how many rows are asked for at once, or on the width of the registers:
// that is what makes results the same for every batch size and number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dagmar {

constexpr std::size_t kLanes = 16;

constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Extremes of the scores of a pair problem; `up` is the first index that attains `top`, -1 if there is none.
struct Extremes {
    double top;
    double bottom;
    std::ptrdiff_t up;
};

template <class T>
struct Simd {
    // out[q][lane] = <rows[q], lane> for n_rows row-major rows and n_panels consecutive panels.
    void (*dots)(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels, std::size_t n_features,
                 T* const* out);
    // out[q] = <x, rows[q]>, the features standing in the lanes: for one sample alone.
    void (*dots_alone)(const T* x, const T* const* rows, std::size_t n_rows, std::size_t n_features, T* out);
    // <x, x> by the chain of `dots`, so that a sample's distance to itself is exactly zero; for row-major rows and panels.
    void (*norms_of_rows)(const T* rows, std::size_t n_rows, std::size_t n_features, T* out);
    void (*norms)(const T* panels, std::size_t n_panels, std::size_t n_features, T* out);
    // dots[k] becomes exp(-gamma * max(0, norm + norms[k] - 2 dots[k])); n is a multiple of kLanes.
    void (*rbf)(T* dots, const T* norms, T norm, T gamma, std::size_t n);
    // The same, to the bit, with a gamma for each k.
    void (*rbf_each)(T* dots, const T* norms, T norm, const T* gammas, std::size_t n);
    // sums[lane] += sum over t of coef[t] * values[(index[t] - first) * n_lanes + lane], n_lanes a multiple of kLanes; without
    // an index, row t of the values belongs to coef[t].
    void (*weighted_sum)(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                         std::size_t n_lanes, T* sums);

    // The two passes of a step of the pair solver (smo.cpp). Scores are -s_k G_k; `up_bar` is 0 where a sample may
    // go up and -inf where not, `low_bar` is 0 or +inf likewise; n is a multiple of kLanes.
    // scores[k] -= delta * (row_a[k] - row_b[k]) and low[k] = scores[k] + low_bar[k]; then the extremes.
    Extremes (*update)(double* scores, T* low, const T* row_a, const T* row_b, double delta, const double* up_bar,
                       const double* low_bar, std::size_t n);
    // The second-order partner of `up`: argmax of (top - low_k)^2 / curvature over low_k < top; -1 if there is none.
    std::ptrdiff_t (*partner)(const T* low, const T* row_a, const T* diagonal, T top, T diagonal_a, std::size_t n);
};

enum class Level : int { plain = 0, avx2 = 1, avx512 = 2 };

// The best level of this processor, and the table of a level (of the best one not above it that was built).
Level best_level();
template <class T>
const Simd<T>& simd(Level level);

}  // namespace dagmar
