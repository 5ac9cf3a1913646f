// The arithmetic that uses vector registers: one table of functions for each instruction set.
//
// One source (generic/) is compiled once per instruction set; `simd<T>(level)` returns the table of one. A value is
// always the same chain of operations over the features, one after the other, in one lane. So it does not depend on the
// lane of a sample, on the number of rows that are computed together, or on the width of the registers, and results
// are the same for every batch size and number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/level.hpp"
#include "simd/pair_problem.hpp"
#include "simd/panels.hpp"

namespace dagmar {

// Powers of two below this one are 0 in `rbf`.
template <class T>
constexpr int kFaintest = sizeof(T) == sizeof(float) ? -80 : -640;

// `sum_in_blocks` adds kFewTerms terms in T, then the sums of a block of kBlock terms, and then blocks in double: one
// sum over all terms would round more often.
constexpr std::size_t kBlock = 64, kFewTerms = 16;

// Samples are searched in at most kMostChunks chunks. Each offers its best, of which at most kMostLargest are taken: a
// quarter of a working set goes up, another comes down.
constexpr std::size_t kMostChunks = 128, kMostLargest = kWorking / 4;

// The largest score of the samples that may go up and the smallest of those that may go low; -inf, +inf if there are
// none.
struct Extremes {
    double top;
    double bottom;
};

// The scores of all samples of a problem, -s_k G_k, or of some chunks of them. Bit k % kLanes of may_up[k / kLanes]
// says whether sample k may go up, and may_low likewise; n and chunk are multiples of kLanes.
template <class T>
struct PairScores {
    double* scores;
    T* low;
    const std::uint16_t *may_up, *may_low;
    std::size_t n, chunk;
    double* chunk_top;
};

// Passes over features for a kernel of another distance than |x-z|^2: a sum of one term per feature (differences.hpp).
template <class T>
struct DistancePasses {
    // out[q][lane] = the distance of rows[q] and lane, as `dots` below.
    void (*rows)(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                 std::size_t n_features, T* const* out);
    // What features that two samples share take off the sum of their sizes, size = sum of |x_f|: a distance is
    // size_x + size_z - shared. Rows are mostly zero, as in `dots_of_nonzeros`.
    void (*shared_of_nonzeros)(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                               std::size_t n_features);
    // As `dots_alone`, `rbf_values`, `least` and `row_distances` below.
    void (*alone)(const T* x, const T* const* rows, std::size_t n_rows, std::size_t n_features, T* out);
    void (*values)(const RowsAndPanels<T, T>& of, T gamma, T* out);
    void (*least)(const RowsAndPanels<T, T>& of, T* out);
    void (*exact)(const double* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                  std::size_t n_features, double* out);
};

// Numbers of lanes, n in `rbf` and its like, are multiples of kLanes.
template <class T>
struct Simd {
    DistancePasses<T> laplacian, chi2;

    // products.hpp. out[q][lane] = <rows[q], lane> for n_rows row-major rows and n_panels consecutive panels.
    void (*dots)(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                 std::size_t n_features, T* const* out);
    // The same, with the same bits, for rows that are mostly zero (nonzero_products.hpp).
    void (*dots_of_nonzeros)(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                             std::size_t n_features);
    // out[q] = <x, rows[q]> for a single sample: lanes are features, so the bits differ from those of `dots`.
    void (*dots_alone)(const T* x, const T* const* rows, std::size_t n_rows, std::size_t n_features, T* out);
    // <x, x> by the chain of `dots`, so that a sample's distance to itself is exactly zero; for row-major rows and for
    // panels.
    void (*norms_of_rows)(const T* rows, std::size_t n_rows, std::size_t n_features, T* out);
    void (*norms)(const T* panels, std::size_t n_panels, std::size_t n_features, T* out);

    // Products and kernel function in one pass. out[q * n_panels * kLanes + lane] = exp(-gamma distance) of row
    // vectors[q]: the bits of `dots` and `rbf`.
    void (*rbf_values)(const RowsAndPanels<T, T>& of, T gamma, T* out);
    // out[lane] = the least of the squared distances and what was there.
    void (*least)(const RowsAndPanels<T, T>& of, T* out);

    // kernels.hpp. dots[k] becomes exp(-gamma * max(0, norm + norms[k] - 2 dots[k])).
    void (*rbf)(T* dots, const T* norms, T norm, T gamma, std::size_t n);
    // The same, to the bit, with a gamma for each k.
    void (*rbf_each)(T* dots, const T* norms, T norm, const T* gammas, std::size_t n);
    // distances[k] becomes exp(-gamma distances[k]); and the same with a gamma for each k.
    void (*decay)(T* distances, T gamma, std::size_t n);
    void (*decay_each)(T* distances, const T* gammas, std::size_t n);
    // dots[k] becomes (gamma dots[k] + coef0)^degree, by a chain of products.
    void (*poly)(T* dots, T gamma, T coef0, int degree, std::size_t n);
    // dots[k] becomes tanh(gamma dots[k] + coef0).
    void (*sigmoid)(T* dots, T gamma, T coef0, std::size_t n);

    // sums.hpp. sums[lane] += sum over t of coef[t] * rows[index[t] * stride + lane]; without an index, of row t. A
    // lane has the same bits in any range of lanes.
    void (*weighted_rows)(const T* rows, std::size_t stride, const std::int32_t* index, const T* coef, std::size_t n,
                          std::size_t n_lanes, T* sums);
    // The same in blocks of kBlock terms, which are added up in double; the row of term t is index[t] - first.
    void (*sum_in_blocks)(const T* values, const std::int32_t* index, std::size_t first, const T* coef, std::size_t n,
                          std::size_t n_lanes, double* sums);
    // scores[lane] -= sum over t of coef[t] * rows[index[t] * stride + lane], in double, so that scores are as exact as
    // lambda.
    void (*move_by)(const T* rows, std::size_t stride, const std::int32_t* index, const double* coef, std::size_t n,
                    std::size_t n_lanes, double* scores);

    // score_pass.hpp: passes over the scores of a problem, which also find the best of every chunk of samples, the
    // candidates for the working set.
    //
    // scores[k] -= sum over t of coef[t] * rows[index[t] * stride + k], or of row t without an index; low[k] =
    // scores[k] where k may go low, else +inf; chunk_top: largest score that may rise.
    Extremes (*update_by_rows)(const PairScores<T>& of, const T* rows, std::size_t stride, const std::int32_t* index,
                               const T* coef, std::size_t n_rows);
    // gain[k] = (top - low_k)^2 / curvature where low_k < top, else 0; chunk_gain: the largest. `gain` may be row_a. A
    // curvature below `floor` is replaced by it. The quotient has five correct digits: a division would cost more than
    // the rest of the pass.
    void (*gains)(const T* low, const T* row_a, const T* diagonal, T top, T diagonal_a, T floor, std::size_t n,
                  std::size_t chunk, T* gain, double* chunk_gain);

    // largest.hpp. The places of the largest of n values, at most `count` (up to kMostLargest), the largest first, and
    // all above `base` by more than `least`. Only five digits of the distances from `base` are compared. n is at most
    // kMostChunks; the rest of the last panel holds -inf.
    std::size_t (*largest_chunks)(const double* values, std::size_t n, double base, double least, std::size_t count,
                                  std::size_t* places);
    // The first place of values[first ... end-1] that holds this value and whose bit is set, as in may_up (null: all
    // are); `end` if there is none. first and end are multiples of kLanes.
    std::size_t (*find)(const T* values, const std::uint16_t* bits, T value, std::size_t first, std::size_t end);

    // transpose.hpp. block[i * n + j] = rows[slots[i] * stride + places[j]] for i and j below `count`, and zeros up to
    // n; the matrix is symmetric.
    void (*gather)(const T* rows, std::size_t stride, const std::int32_t* slots, const std::int32_t* places,
                   std::size_t count, std::size_t n, T* block);
    // to[j * to_stride + i] = from[i * stride + j] for i < n_rows and j < n_columns, and zeros up to padded(n_rows).
    // Rows are read up to padded(n_columns).
    void (*transpose)(const T* from, std::size_t stride, std::size_t n_rows, std::size_t n_columns, T* to,
                      std::size_t to_stride);

    // pair_steps.hpp. Steps until the gap is below `enough`, `max_steps` are done, or scores are no longer finite.
    // Returns the number of steps.
    std::int64_t (*solve_pairs)(PairProblem<T>& problem, double enough, std::int64_t max_steps);

    // triangles.hpp. u: the rows of K from the diagonal on; becomes U, K = U' U. Returns whether K is positive
    // definite; a pivot that is not positive becomes infinite.
    bool (*factor)(T* u, std::size_t n, std::size_t stride);
    // Solves K x = b and K x = c, in place; b and c have `stride` values, 0 behind the n-th.
    void (*solve_two)(const T* u, std::size_t n, std::size_t stride, T* b, T* c);
    // Removes one of n samples from a K that is positive definite.
    void (*take_out)(T* u, std::size_t n, std::size_t stride, std::size_t sample);

    // row_distances.hpp. out[t] = |x - row vectors[t]|^2, in double in both tables, for n of the row-major rows.
    void (*row_distances)(const double* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                          std::size_t n_features, double* out);

    // ranges.hpp. Lowers low[f] and raises high[f] to the values of n rows of d features; raises off[f] to the distance
    // of the values from the next whole number of steps from anchor[f], in steps. A value that single precision has
    // rounded has a distance of 0, and so have all if `step` is 0.
    void (*survey)(const T* rows, std::size_t n, std::size_t d, const double* anchor, double step, double* low,
                   double* high, double* off);
};

// The table of a level.
template <class T>
const Simd<T>& simd(Level level);

}  // namespace dagmar
