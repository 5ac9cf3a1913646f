// The values that features have in many samples, such as the 0 of pixels and indicators: samples that are centred on
// them have many zeros, which the core skips.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "samples.hpp"

namespace dagmar {

// The value that each feature has in many of these samples, or else its mean; nothing if too few features would be
// zero after centring for the core to skip them, or if the samples would be far from the origin then. With
// `zeros_only` the value is 0.
template <class S>
std::optional<std::vector<double>> usual_centre(const SomeRows<S>& x, std::span<const double> mean, bool zeros_only);

}  // namespace dagmar
