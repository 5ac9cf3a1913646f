// A step of all free samples at once, for problems where steps of a pair are far too short.
//
// In terms of s lambda, the solver's problem over the free samples alone is
//
//     minimise over step    1/2 step' K step - scores' step
//     subject to            sum step = 0,   low <= at + step <= high
//
// Without the bounds, its answer solves a linear system: K step + mu 1 = scores, sum step = 0. The samples go in this
// direction up to the first bound. Those that meet theirs stay there, and the others go on.
#pragma once

#include <cstddef>
#include <vector>

namespace dagmar {

struct FreeSamples {
    std::vector<double> kernel;  // n x n
    std::vector<double> scores, at, low, high;
    std::size_t n() const { return at.size(); }
};

// Number of operations of one direction for n samples.
inline double cost_of_direction(std::size_t n) {
    return static_cast<double>(n * n) * (static_cast<double>(n) / 3.0 + 8.0);
}

// Moves `at`, and the scores along with it, in at most so many operations, but in one direction at least. Where the
// problem is flat but for the error of kernel values, the step is only as long as the objective is certain to fall.
void step_free(FreeSamples& free, double kernel_error, double operations);

}  // namespace dagmar
