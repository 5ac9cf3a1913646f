// Centring samples on the values that features have in many samples, such as the 0 of pixels and indicators.
//
// Samples centred on their mean have no zeros; samples centred on usual values have many, which the core skips.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "samples/samples.hpp"

namespace dagmar {

// The centre: for each feature its usual value, or its mean if it has none. Returns nothing if centred samples would
// have too few zeros to skip, or would be far from the origin; then the mean is the better centre.
template <class S>
std::optional<std::vector<double>> usual_centre(const SomeRows<S>& x, std::span<const double> mean);

}  // namespace dagmar
