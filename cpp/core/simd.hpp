// The arithmetic that uses vector registers, behind plain functions.
//
// One source (simd_impl.hpp) is compiled once per instruction set; `simd<T>(level)` returns the table of one. Samples
// stand in *panels* of kLanes, feature-major: panel[f * kLanes + lane]. A value is always the same chain of operations
// over the features, one after the other, in one lane. So it does not depend on the place of a sample in its panel, on
// how many rows are asked for at once, or on the width of the registers, and results are the same for every batch size
// and number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dagmar {

constexpr std::size_t kLanes = 16;

constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// The largest score of the samples that may go up and the smallest of those that may go low; -inf, +inf if there are
// none.
struct Extremes {
    double top;
    double bottom;
};

// A pair problem with all its rows: see smo.hpp. Arrays have n values, a multiple of kLanes and at most kMostInner; the
// row of sample k is rows[slot[k] * stride ...]. lambda and scores are moved towards the optimum. A curvature below
// `floor` is replaced by it; `lowest` is the lowest curvature met so far, if it was negative. Bits of `touched` say
// which multipliers moved, `path` is the sum of squares of all steps, each times `largest` (squares of multipliers
// alone may leave the range of double), and `astray` the sum of the differences between the steps, by which scores
// move, and what came of them in the digits of lambda.
constexpr std::size_t kWorking = 64, kMostInner = 544;
template <class T>
struct Inner {
    std::size_t n = 0, stride = 0;
    const T *rows = nullptr, *diagonal = nullptr;
    const std::int32_t* slot = nullptr;
    const double *cap = nullptr, *sign = nullptr;
    double *scores = nullptr, *lambda = nullptr;
    double floor = 0.0, lowest = 0.0, path = 0.0, astray = 0.0;
    // Whether scores may be rounded to single precision for these steps; `inner` makes it false if that is too coarse.
    // If it is true afterwards, `scores` are as they were before; `tired` says that the steps ended because they had
    // rounded scores too often. No kernel value is far larger than `largest`.
    bool quick = false, tired = false;
    double largest = 1.0;
    std::uint64_t touched[(kMostInner + 63) / 64] = {};
};

// Samples are searched in at most this many chunks; each offers its best, and so many of the best are taken at most.
constexpr std::size_t kMostChunks = 128, kMostLargest = kWorking / 4;

// Up to this share of nonzeros, a row is multiplied by its nonzeros alone. The sums are the same to the bit.
constexpr double kFewNonzeros = 0.35;

// The nonzeros of a row, and where its dot products are written.
template <class T>
struct Nonzeros {
    const T* value;
    const std::int32_t* feature;  // ascending
    std::size_t n;
    T* out;
};

// A row of the Gaussian kernel that is to be added up: its sample's nonzeros and norm, and what it is multiplied by.
template <class T>
struct WeightedRow {
    Nonzeros<T> sample;
    T norm, coef;
};

// The scores of a pair problem, -s_k G_k, or those of some chunks of its samples. Bit k % kLanes of may_up[k / kLanes]
// says whether sample k may go up, and the same for may_low; n and chunk are multiples of kLanes.
template <class T>
struct PairScores {
    double* scores;
    T* low;
    const std::uint16_t *may_up, *may_low;
    std::size_t n, chunk;
    double* chunk_top;
};

// Terms that `sum_in_blocks` sums in T before they go to a double: so many sums of a few terms each, as a sum of all of
// them one after the other would round more often.
constexpr std::size_t kBlock = 64, kFewTerms = 16;

// Powers of two below this one are 0 in `rbf`.
template <class T>
constexpr int kFaintest = sizeof(T) == sizeof(float) ? -80 : -640;

template <class T>
struct Simd {
    // out[q][lane] = <rows[q], lane> for n_rows row-major rows and n_panels consecutive panels.
    void (*dots)(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                 std::size_t n_features, T* const* out);
    // The same, with the same bits, for rows that are mostly zero.
    void (*dots_of_nonzeros)(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                             std::size_t n_features);
    // out[q] = <x, rows[q]>, the features standing in the lanes: for one sample alone.
    void (*dots_alone)(const T* x, const T* const* rows, std::size_t n_rows, std::size_t n_features, T* out);
    // <x, x> by the chain of `dots`, so that a sample's distance to itself is exactly zero; for row-major rows and for
    // panels.
    void (*norms_of_rows)(const T* rows, std::size_t n_rows, std::size_t n_features, T* out);
    void (*norms)(const T* panels, std::size_t n_panels, std::size_t n_features, T* out);
    // dots[k] becomes exp(-gamma * max(0, norm + norms[k] - 2 dots[k])); n is a multiple of kLanes.
    void (*rbf)(T* dots, const T* norms, T norm, T gamma, std::size_t n);
    // The same, to the bit, with a gamma for each k.
    void (*rbf_each)(T* dots, const T* norms, T norm, const T* gammas, std::size_t n);
    // dots[k] becomes (gamma dots[k] + coef0)^degree, by a chain of products; n is a multiple of kLanes.
    void (*poly)(T* dots, T gamma, T coef0, int degree, std::size_t n);
    // dots[k] becomes tanh(gamma dots[k] + coef0); n is a multiple of kLanes.
    void (*sigmoid)(T* dots, T gamma, T coef0, std::size_t n);
    // sums[lane] += sum over t of coef[t] * values[(index[t] - first) * n_lanes + lane], n_lanes a multiple of kLanes;
    // without an index, row t of the values belongs to coef[t].
    void (*weighted_sum)(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                         std::size_t n_lanes, T* sums);
    // The same in blocks of kBlock terms, which are added up in double.
    void (*sum_in_blocks)(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                          std::size_t n_lanes, double* sums);

    // The two passes over a pair problem (smo.cpp), which also find the best of every chunk of samples: the candidates
    // for the working set.
    //
    // scores[k] -= change[k]; low[k] = scores[k] where k may go low, else +inf; chunk_top: largest score that may rise.
    Extremes (*update)(const PairScores<T>& of, const T* change);
    // The same with change[k] = sum over t of coef[t] * rows[index[t] * stride + k], without a way through memory.
    Extremes (*update_by_rows)(const PairScores<T>& of, const T* rows, std::size_t stride, const std::int32_t* index,
                               const T* coef, std::size_t n_rows);
    // gain[k] = (top - low_k)^2 / curvature where low_k < top, else 0; chunk_gain: the largest. `gain` may be row_a. A
    // curvature below `floor` is replaced by it. The quotient has five correct digits: dividing would cost more than
    // the rest of the pass.
    void (*gains)(const T* low, const T* row_a, const T* diagonal, T top, T diagonal_a, T floor, std::size_t n,
                  std::size_t chunk, T* gain, double* chunk_gain);
    // The places of the largest of n values, at most `count` (up to kMostLargest), the largest first, and all above
    // `base` by more than `least`. Only five digits of the distances from `base` are compared. n is at most
    // kMostChunks; behind the last value, the rest of its panel holds -inf.
    std::size_t (*largest_chunks)(const double* values, std::size_t n, double base, double least, std::size_t count,
                                  std::size_t* places);
    // The first place of values[first ... end-1] that holds this value and whose bit is set, as in may_up (null: all
    // are); `end` if there is none. first and end are multiples of kLanes.
    std::size_t (*find)(const T* values, const std::uint16_t* bits, T value, std::size_t first, std::size_t end);
    std::size_t (*find_score)(const double* values, const std::uint16_t* bits, double value, std::size_t first,
                              std::size_t end);
    // block[i * n + j] = rows[slots[i] * stride + places[j]] for i and j below `count`, and zeros up to n; the matrix
    // is symmetric.
    void (*gather)(const T* rows, std::size_t stride, const std::int32_t* slots, const std::int32_t* places,
                   std::size_t count, std::size_t n, T* block);
    // Steps of the pair solver inside a small problem, until its gap is below `enough`, `max_steps` are done, or scores
    // are no longer finite. Returns the number of steps.
    std::int64_t (*inner)(Inner<T>& problem, double enough, std::int64_t max_steps);
    // sums[lane] += sum over t of coef[t] * rows[index[t] * stride + lane], for some lanes of longer rows; n_lanes is a
    // multiple of kLanes. A lane has the same bits in any range.
    void (*weighted_rows)(const T* rows, std::size_t stride, const std::int32_t* index, const T* coef, std::size_t n,
                          std::size_t n_lanes, T* sums);
    // sums[lane] += sum over t of coef[t] * K(t, lane), where K is the Gaussian kernel of some rows and the lanes of
    // n_panels panels. The bits are those of `dots_of_nonzeros`, `rbf` and `weighted_rows` one after the other, but no
    // kernel value goes through memory.
    void (*add_rbf_rows)(const WeightedRow<T>* rows, std::size_t n_rows, const T* panels, const T* norms,
                         std::size_t n_panels, std::size_t n_features, T gamma, T* sums);
    // scores[lane] -= sum over t of coef[t] * rows[index[t] * stride + lane], in double.
    void (*move_by)(const T* rows, std::size_t stride, const std::int32_t* index, const double* coef, std::size_t n,
                    std::size_t n_lanes, double* scores);
    // to[j * to_stride + i] = from[i * stride + j] for i < n_rows and j < n_columns, and zeros up to padded(n_rows).
    // Rows are read up to padded(n_columns).
    void (*transpose)(const T* from, std::size_t stride, std::size_t n_rows, std::size_t n_columns, T* to,
                      std::size_t to_stride);

    // Upper triangular matrices (triangles.hpp). u: the rows of K from the diagonal on; becomes U, K = U' U. Returns
    // whether K is positive definite; a pivot that is not positive becomes infinite.
    bool (*factor)(T* u, std::size_t n, std::size_t stride);
    // Solves K x = b and K x = c, in place; b and c have `stride` values, 0 behind the n-th.
    void (*solve_two)(const T* u, std::size_t n, std::size_t stride, T* b, T* c);
    // Takes one of n samples out of a K that is positive definite.
    void (*take_out)(T* u, std::size_t n, std::size_t stride, std::size_t sample);
};

enum class Level : int { plain = 0, avx2 = 1, avx512 = 2 };

// The best level of this processor, and the table of a level (of the best one not above it that was built).
Level best_level();
template <class T>
const Simd<T>& simd(Level level);

}  // namespace dagmar
