// The range of every feature, and how far its values are from multiples of a step.
#pragma once

#include <vector>

#include "base/level.hpp"
#include "base/parallel.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// Values that are `step` apart, one of which is `anchor[f]` for feature f. A step of 0: only ranges are asked for.
struct Lattice {
    const double* anchor;
    double step;
};

struct FeatureRanges {
    std::vector<double> low, high;
    // How far a value is from the lattice at most, in steps.
    std::vector<double> off;

    double widest() const;
};

// Values this close to the lattice, in steps, are on it: steps and anchors are rounded to double, and so are values.
constexpr double kOnLattice = 0x1p-30;

// A value that is its lattice point rounded to single precision has a distance of 0: single precision rounds any number
// like that. Idle threads help.
template <class S>
FeatureRanges survey(const DenseView<S>& x, const Lattice& lattice, Level level, Spare& spare);

}  // namespace dagmar
