// Features of training samples as multiples of one step, their levels: pixels, counts, indicators.
//
// All samples of a problem are needed to say which features have levels; a part of the problem takes over what was
// found for the whole, so that kernel values have the same bits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "samples.hpp"

namespace dagmar {

// The step that most features of some samples have in common; 0 if there is none, or if this processor has no use for
// it.
template <class S>
double common_step(const SomeRows<S>& x);

// Of each feature: the lowest and the highest value, and how far a value is from a whole number of steps from `origin`
// at most, in steps. Three arrays of n_features, one after the other. Idle threads help.
template <class S>
std::vector<double> survey_levels(const DenseView<S>& x, const double* origin, double per_unit, Spare& spare);

// What Problem::levels holds, from what survey_levels told of all samples; nothing if products of levels would not save
// time, or are not precise enough for this gamma. Some of the samples tell how many zeros there are: values at the
// lowest are levels of 0, and those at `centre` (empty for the origin) are zeros of float.
template <class S>
std::optional<std::vector<double>> choose_levels(const SomeRows<S>& some, std::span<const double> survey, double step,
                                                 double gamma, std::span<const double> centre);

// What Problem::levels holds: three arrays of n_features.
struct Levels {
    explicit Levels(std::span<const double> all)
        : n(all.size() / 3), origin(all.data()), per_unit(all.data() + n), highest(all.data() + 2 * n) {}
    std::size_t n;
    const double* origin;    // where a feature has the level 0
    const double* per_unit;  // levels, the same for all features that have some, else 0
    const double* highest;   // level; 0 for a feature that is the same in all samples, -1 for one without levels
};

}  // namespace dagmar
