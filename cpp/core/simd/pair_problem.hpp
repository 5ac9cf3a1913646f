// A small problem of the pair solver (solver/solver.hpp) that has all its kernel rows: a working set, or a small task.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dagmar {

// The most samples of a working set that is chosen, and how many most sets have, for which steps have code of their
// own. Larger sets would need fewer rounds, but more rows in each.
constexpr std::size_t kWorking = 64, kSmallSet = 32;
// The most samples of a pair problem: a small task has up to 512, and each of its two classes is padded.
constexpr std::size_t kMostPairSamples = 544;

// Arrays have n values, a multiple of kLanes and at most kMostPairSamples. The row of sample k is
// rows[slot[k] * stride ...]. Padding has a cap of 0 and a negative slot, or a row of zeros. Steps move lambda and
// scores towards the optimum.
template <class T>
struct PairProblem {
    std::size_t n = 0, stride = 0;
    const T *rows = nullptr, *diagonal = nullptr;
    const std::int32_t* slot = nullptr;
    const double *cap = nullptr, *sign = nullptr;
    double *scores = nullptr, *lambda = nullptr;
    double floor = 0.0;    // replaces curvatures below it
    double largest = 1.0;  // about the largest kernel value
    // Whether scores may be rounded to single precision for these steps. solve_pairs makes it false if that is too
    // coarse. If it is true afterwards, `scores` are unchanged.
    bool single_scores = false;
    // The steps ended early, because single precision no longer distinguishes pairs.
    bool rounded_too_often = false;
    double lowest_curvature = 0.0;  // of all steps so far, if negative: then the kernel is not positive definite
    // The sum of squares of all steps, each times `largest`. (Squares of multipliers alone could overflow.) By this the
    // rounding errors of scores grow.
    double path = 0.0;
    std::uint64_t touched[(kMostPairSamples + 63) / 64] = {};  // a bit for each multiplier: whether it moved
};

}  // namespace dagmar
