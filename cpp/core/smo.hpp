// The pair solver: sequential minimal optimisation for one box-constrained problem.
//
// Given signs s_k = +-1, targets t_k > 0 and caps U_k >= 0 for samples k = 1 ... n,
//
//     minimise over lambda    1/2 sum_kl s_k s_l lambda_k lambda_l K_kl - sum_k t_k lambda_k
//     subject to              0 <= lambda_k <= U_k,   sum_k s_k lambda_k = 0
//
// C-SVC has t = 1 and U = C times weights; a machine on soft labels y has t = |y| and U = C / |y|.
// A sample with U = 0 takes no part.
//
// With G_k = s_k sum_l s_l lambda_l K_kl - t_k, the solver keeps the *score* of each sample, -s_k G_k. A step moves
// along s_a lambda_a up and s_b lambda_b down, which changes every score by -delta (K_ka - K_kb), without signs.
//
//     up  = samples whose s lambda may grow      top    = largest score in up
//     low = samples whose s lambda may shrink    bottom = smallest score in low
//     gap = top - bottom; the answer is within `tol` of optimal when gap < tol (LIBSVM's rule)
//
// A step takes the pair where a attains top and b has the largest (top - score_b)^2 / (K_aa + K_bb - 2 K_ab) in low
// (Fan, Chen & Lin, Working set selection using second order information, JMLR 2005).
//
// Steps are made inside a small working set. Half of it is new: the strongest candidates for a and for b from different
// parts of the samples. The other half is from the previous set. Its block of the kernel fits the first-level cache,
// and all its steps together cost one pass over the scores of all samples. On Letter a set of 32 needs a tenth of the
// passes of one pair at a time, for a fifth more rows.
//
// A small problem (TaskRows::keeps_all) is one working set, with all its rows: then every step moves all scores, and
// there is no block to gather. That takes a third fewer steps.
//
// With rows in single precision, steps see scores in single precision, too (quick_steps.hpp), as long as that is fine
// enough. The scores that decide when to stop are double, and move by the change of lambda after some steps.
//
// Where kernel values take few products and samples are many (TaskRows::streams), rows are not held: the solver
// computes the block of the working set, and then only the rows of samples that moved, while it adds them to the
// scores.
//
// Of many samples, few take part in the end. So the solver of a large problem now and then goes on with these alone
// (active_part.hpp).
//
// Every 64 rounds, if that costs no more than the rounds so far and those that seem to be left, the solver moves all
// free samples at once (free_step.hpp): on overlapping classes and smooth kernels with large caps, steps of a pair are
// far too short. Every 256 rounds it looks back, and ends if it makes no progress.
//
// Kernel values are rounded, in double too. The solver adds what their rounding may hide to the gap before it calls a
// machine converged. Where single precision hides too much, the scores are refined once the gap is closed: computed
// from lambda with kernel values in double, which are not kept. From there on, the rounding of kernel values counts
// only for the change of lambda, and the solver goes on in single precision. Samples that are far from violating the
// conditions of an optimum, beside all that rounding may hide, are left out: they take no part in the gap.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "parallel.hpp"
#include "rows.hpp"

namespace dagmar {

// One box-constrained problem.
struct BoxProblem {
    std::vector<double> sign, target, cap;  // padded like the rows, with cap 0
};

// The gap is a difference between the extremes of many scores, and rounding biases it low; the solver allows for this
// many standard errors.
constexpr double kGapSigmas = 4.0;

struct SolverSettings {
    double tol = 1e-3;
    std::int64_t max_iter = -1;  // -1: only the limit that ends a problem without a finite optimum
    double kernel_error = 0.0;   // standard error of a kernel value as computed
    bool finer = false;          // whether a solver with finer kernel values can go on
    // Computes the scores of some samples, or of more, from lambda with finer kernel values, whose standard error is
    // `finer_error`; may be empty.
    std::function<void(const std::vector<double>& lambda, const std::vector<std::int32_t>& places,
                       std::vector<double>& scores)>
        refine;
    double finer_error = 0.0;
};

enum class Status : int {
    converged = 0,
    max_iter = 1,
    imprecise = 2,
    interrupted = 3,
    stalled = 4,
    not_finite = 5,
    unbounded = 6
};

// converged:   the gap is below tol, with an allowance for the rounding of the kernel
// imprecise:   the kernel values are too coarse for these lambda; a solver with finer ones should go on from here
// stalled:     the gap is above tol, but more rounds do not lower it or the objective; usually because of rounding
// not_finite:  a kernel value is infinite or NaN, or so large that sums of a few overflow
// unbounded:   multipliers or scores overflow: the problem has no finite optimum, or none that doubles can hold; as for
//              not_finite, the other numbers mean nothing then.
struct Solution {
    std::vector<double> lambda, scores;
    double bias = 0, objective = 0, norm2 = 0, gap = 0;
    double drift = 0;  // squares of all changes of lambda, times the largest kernel value, since scores were computed
    std::int64_t iterations = 0;  // steps of a pair
    Status status = Status::converged;
    bool indefinite = false;  // a step met a curvature that is negative beyond rounding
};

// A feasible lambda to start from, with its scores and their drift if they are known. Empty: start from zero.
struct Start {
    std::vector<double> lambda, scores;
    double drift = 0;
};

// fine: the functions of double precision, for steps of all free samples.
template <class T>
Solution solve(const BoxProblem& problem, TaskRows<T>& rows, const SolverSettings& settings, Start start,
               const Simd<T>& simd, const Simd<double>& fine, Stop& stop);

}  // namespace dagmar
