// How far single precision is from double.
#pragma once

#include <span>

#include "base/parallel.hpp"
#include "samples/problem.hpp"

namespace dagmar {

// The largest difference between kernel values in single and in double precision over the samples of class 0, in the
// rows asked for. Infinity if one is not finite. Idle threads help.
double single_error(const Problem& problem, std::span<const std::int32_t> asked, Level level, Spare& spare);

}  // namespace dagmar
