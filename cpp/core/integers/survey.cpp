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
void widen(const S* __restrict row, std::size_t d, double* __restrict low, double* __restrict high) {
    for (std::size_t f = 0; f < d; ++f) {
        const double value = static_cast<double>(row[f]);
        low[f] = value < low[f] ? value : low[f];
        high[f] = value > high[f] ? value : high[f];
    }
}
// A value that single precision has rounded counts as one on the lattice.
template <class S>
void compare(const S* __restrict row, std::size_t d, const double* __restrict anchor, double step,
             double* __restrict off) {
    const double per_step = 1.0 / step;
    for (std::size_t f = 0; f < d; ++f) {
        const double value = static_cast<double>(row[f]), place = (value - anchor[f]) * per_step;
        const double nearest = nearest_integer(place), here = std::abs(place - nearest);
        const double rounded = static_cast<double>(static_cast<float>(anchor[f] + nearest * step));
        const double counted = rounded == value ? 0.0 : here;
        off[f] = counted > off[f] ? counted : off[f];
    }
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
        for (std::size_t i = 0; i < rows.n; ++i) widen(rows.row(i), x.d, here.low.data(), here.high.data());
        for (std::size_t i = 0; i < rows.n && lattice.step > 0; ++i)
            compare(rows.row(i), x.d, lattice.anchor, lattice.step, here.off.data());
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
