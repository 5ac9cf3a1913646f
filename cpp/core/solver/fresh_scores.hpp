// Scores from the multipliers alone, in double precision, with kernel rows that pass through a small buffer.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "gram/gram.hpp"

namespace dagmar {

struct BoxProblem;

// The scores (solver.hpp) of some places of a task over these classes, or of more. Costs a kernel row over these places
// in double precision per support vector, of which a few megabytes are held at a time.
void fresh_scores(const GramRows<double>& gram, std::span<const std::int32_t> classes, double gamma,
                  const Simd<double>& simd, const BoxProblem& problem, const std::vector<double>& lambda,
                  const std::vector<std::int32_t>& places, Spare& spare, std::vector<double>& scores);

// The scores of a few places, in double precision, from the samples themselves: costs a kernel row over the support
// vectors per place, of which a few megabytes are held at a time. `problem` has the samples, `box` the rest.
void sampled_scores(const Problem& problem, std::span<const std::int32_t> classes, double gamma, Level level,
                    const BoxProblem& box, const std::vector<double>& lambda, const std::vector<std::int32_t>& places,
                    Spare& spare, std::vector<double>& scores);

}  // namespace dagmar
