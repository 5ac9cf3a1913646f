#include "integers/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integers/step_search.hpp"

namespace dagmar {
namespace {

// Numbers that a thread looks at, at a time: some hundredths of a millisecond.
constexpr std::size_t kAtOnce = std::size_t{1} << 15;

// Plain loops over the features, which compilers turn into vector code.
template <class S>
void widen(const DenseView<S>& x, const Lattice& lattice, FeatureRanges& ranges) {
    const double* anchor = lattice.anchor;
    const double per_step = lattice.step > 0 ? 1.0 / lattice.step : 0.0;
    double *low = ranges.low.data(), *high = ranges.high.data(), *off = ranges.off.data();
    for (std::size_t i = 0; i < x.n; ++i) {
        const S* row = x.row(i);
        for (std::size_t f = 0; f < x.d; ++f) {
            const double value = static_cast<double>(row[f]);
            low[f] = value < low[f] ? value : low[f];
            high[f] = value > high[f] ? value : high[f];
        }
        for (std::size_t f = 0; f < x.d && per_step > 0; ++f) {
            const double place = (static_cast<double>(row[f]) - anchor[f]) * per_step;
            const double here = std::abs(place - nearest_integer(place));
            off[f] = here > off[f] ? here : off[f];
        }
    }
}

// Whether the values of a feature are on the lattice, but for those that single precision has rounded.
template <class S>
bool only_rounded(const DenseView<S>& x, std::size_t f, double anchor, double step) {
    for (std::size_t i = 0; i < x.n; ++i) {
        const double value = static_cast<double>(x.row(i)[f]), place = (value - anchor) / step;
        const double nearest = nearest_integer(place);
        if (std::abs(place - nearest) > kOnLattice &&
            static_cast<double>(static_cast<float>(anchor + nearest * step)) != value)
            return false;
    }
    return true;
}

}  // namespace

double FeatureRanges::widest() const {
    double widest = 0;
    for (std::size_t f = 0; f < low.size(); ++f) widest = std::max(widest, high[f] - low[f]);
    return widest;
}

template <class S>
FeatureRanges survey(const DenseView<S>& x, const Lattice& lattice, Spare& spare) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t at_once = kAtOnce / std::max<std::size_t>(1, x.d) + 1;
    std::vector<FeatureRanges> parts(std::max<std::size_t>(1, (x.n + at_once - 1) / at_once));
    spare.run(parts.size(), [&](std::size_t part) {
        const std::size_t first = part * at_once;
        const DenseView<S> rows{x.row(first), std::min(x.n - first, at_once), x.d};
        FeatureRanges here{std::vector<double>(x.d, infinity), std::vector<double>(x.d, -infinity),
                           std::vector<double>(x.d, 0.0)};
        widen(rows, lattice, here);
        for (std::size_t f = 0; f < x.d; ++f)
            if (here.off[f] > kOnLattice && only_rounded(rows, f, lattice.anchor[f], lattice.step)) here.off[f] = 0.0;
        parts[part] = std::move(here);
    });
    FeatureRanges all = std::move(parts[0]);
    for (std::size_t part = 1; part < parts.size(); ++part)
        for (std::size_t f = 0; f < x.d; ++f) {
            const FeatureRanges& here = parts[part];
            all.low[f] = std::min(all.low[f], here.low[f]);
            all.high[f] = std::max(all.high[f], here.high[f]);
            all.off[f] = std::max(all.off[f], here.off[f]);
        }
    return all;
}

template FeatureRanges survey(const DenseView<float>&, const Lattice&, Spare&);
template FeatureRanges survey(const DenseView<double>&, const Lattice&, Spare&);

}  // namespace dagmar
