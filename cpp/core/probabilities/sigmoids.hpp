// Sigmoids: from the value v of a machine to the probability 1 / (1 + exp(slope v + offset)) of its positive side.
//
// Slope and offset minimise the log loss on held-out values (Platt 1999), by Newton's method with a line search (Lin,
// Lin & Weng 2007). The targets are (n + 1) / (n + 2) and 1 / (n + 2) in place of 1 and 0, where n counts the samples
// of that side. So the minimum is finite, even if the values separate the sides.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "simd/probabilities.hpp"

namespace dagmar {

// Probabilities of a machine are kept this far from 0 and 1, as in LIBSVM, by a limit of the exponent.
constexpr double kSmallestProbability = 1e-7;
inline const double kLargestExponent = std::log(1.0 / kSmallestProbability - 1.0);

struct Sigmoids {
    std::span<const double> slope, offset;  // of each machine
};

// Held-out values of machines, one machine after the other.
struct HeldOut {
    std::span<const std::int64_t> begin;  // of each machine, and the end
    std::span<const double> value;        // finite
    std::span<const bool> positive;
    std::span<const double> weight;  // how many samples each sample counts for
};

// A line for each machine; a machine without values gets the probability 1/2.
std::vector<Line> fit_sigmoids(const HeldOut& values, Level level, const Threads& threads);

}  // namespace dagmar
