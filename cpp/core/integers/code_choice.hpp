// Which features of training samples have integer codes, and whether that saves time.
//
// All samples of a problem are needed to know which features have codes. A part of the problem takes over what was
// found for the whole, so that kernel values have the same bits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "integers/survey.hpp"

namespace dagmar {

// What Problem::codes holds: three arrays of n_features.
struct FeatureCodes {
    explicit FeatureCodes(std::span<const double> all)
        : n(all.size() / 3), origin(all.data()), per_step(all.data() + n), highest(all.data() + 2 * n) {}
    std::size_t n;
    const double* origin;    // where the code of a feature is 0
    const double* per_step;  // 1 / step, the same for all features with codes that vary; else 0
    const double* highest;   // code; 0 for a feature that is the same in all samples, -1 for one without codes
};

// An anchor for each feature: 0 or half a step, if that fits all values of some samples, else the value of the first.
// (Values may be rounded; zero is not. Half a step: an even number of steps between -1 and 1.)
template <class S>
std::vector<double> anchors(const SomeRows<S>& some, double step);

// What Problem::codes holds, from the ranges of all samples on the lattice of `anchors`; nothing if codes would not
// save time. A feature has codes only if all values are on the lattice but for rounding: an error would have one sign
// for many samples, so that sums over them grow with their number. Some of the samples show how many zeros there are:
// values at the lowest have the code 0, and those at `centre` (empty for the origin) are zeros of float. For sums of
// differences, all features or none have codes.
template <class S>
std::optional<std::vector<double>> choose_codes(const SomeRows<S>& some, const FeatureRanges& ranges,
                                                const Lattice& lattice, std::span<const double> centre,
                                                bool differences);

}  // namespace dagmar
