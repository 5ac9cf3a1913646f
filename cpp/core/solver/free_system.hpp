// The linear system behind a step of all free samples at once.
//
// In terms of s lambda, the solver's problem over the free samples alone is
//
//     minimise over step    1/2 step' K step - scores' step
//     subject to            sum step = 0,   low <= at + step <= high
//
// Without the bounds, its answer solves a linear system: K step + mu 1 = scores, sum step = 0. The samples go in this
// direction up to the first bound; or further, those that would leave their bounds staying there, if the objective
// falls by more. Samples at a bound stay, and the others go on.
#pragma once

#include <cstddef>
#include <vector>

#include "base/memory.hpp"
#include "simd/simd.hpp"

namespace dagmar {

struct FreeSamples {
    explicit FreeSamples(std::size_t n) : stride(padded(n)), kernel(zeroed_array<double>(n * stride)) {}
    std::size_t stride;
    Aligned<double> kernel;  // n rows, padded with zeros
    std::vector<double> scores, at, low, high;
    std::size_t n() const { return at.size(); }
    const double* row(std::size_t i) const { return kernel.get() + i * stride; }
};

// What a direction for n samples costs, in products of rounds: each one, and the first, which factors the matrix. (That
// takes a third of the products that stand here. But a step that is made later gains more: with n^3 / 3, fits at large
// caps took 3 % longer in the mean over 14 sets.)
inline double cost_of_direction(std::size_t n) { return 32.0 * static_cast<double>(n * n); }
inline double cost_of_first_direction(std::size_t n) {
    return static_cast<double>(n * n) * static_cast<double>(n) / 2.0 + cost_of_direction(n);
}

// Moves `at`, and the scores along with it, within a limit of products, but in one direction at least. Where the
// problem is flat but for the error of kernel values, the step is only as long as the objective is certain to fall.
// Returns whether the objective is lower.
bool step_free(FreeSamples& free, double kernel_error, double products, const Simd<double>& simd);

}  // namespace dagmar
