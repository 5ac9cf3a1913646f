// What the solver is given and what it returns. The problem itself is written down in solver.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rows/row_source.hpp"

namespace dagmar {

// One box-constrained problem; arrays are padded like the rows, with cap 0.
struct BoxProblem {
    std::vector<double> sign, target, cap;
};

// Computes scores[i] of places[i] from lambda, with finer kernel values.
using FinerScores =
    std::function<void(const std::vector<double>& lambda, const Places& places, std::vector<double>& scores)>;

struct SolverSettings {
    double tol = 1e-3;
    std::int64_t max_iter = -1;  // -1: only the limit that ends a problem without a finite optimum
    double kernel_error = 0.0;   // standard error of a kernel value as computed
    bool finer = false;          // whether a solver with finer kernel values can go on
    FinerScores finer_scores{};  // may be empty
    double finer_error = 0.0;    // standard error of its kernel values
};

// converged:   the gap is below tol, with an allowance for the rounding of the kernel
// imprecise:   kernel values are too coarse for these multipliers; a solver with finer ones should go on from here
// stalled:     the gap is above tol, but more rounds lower neither it nor the objective; usually because of rounding
// not_finite:  a kernel value is infinite or NaN, or so large that sums of a few overflow
// unbounded:   multipliers or scores overflow: the problem has no finite optimum, or none that doubles can hold
// The other numbers of a solution mean nothing if it is not_finite or unbounded.
enum class Status : int {
    converged = 0,
    max_iter = 1,
    imprecise = 2,
    interrupted = 3,
    stalled = 4,
    not_finite = 5,
    unbounded = 6
};

// How the solver ended.
struct Outcome {
    double bias = 0, objective = 0, norm2 = 0, gap = 0;
    Status status = Status::converged;
    bool indefinite = false;      // a step met a curvature that is negative beyond rounding
    std::int64_t iterations = 0;  // steps of a pair
    std::int64_t visits = 0;      // solutions of the active part alone
    std::int64_t free_steps = 0;  // steps of all free samples at once
    bool refined = false;         // by kernel values in double precision: its scores, or all of it
};

struct Solution : Outcome {
    std::vector<double> lambda, scores;
    double drift2 = 0;  // see Scores::drift2
};

// A feasible lambda to start from, with its scores and their drift if they are known. Empty: start from zero.
struct Start {
    std::vector<double> lambda, scores;
    double drift2 = 0;
};

}  // namespace dagmar
