#include "integers/survey.hpp"

#include <algorithm>
#include <limits>

#include "simd/simd.hpp"

namespace dagmar {
namespace {

// Numbers that a thread looks at, at a time: some hundredths of a millisecond.
constexpr std::size_t kAtOnce = std::size_t{1} << 15;

}  // namespace

double FeatureRanges::widest() const {
    double widest = 0;
    for (std::size_t f = 0; f < low.size(); ++f) widest = std::max(widest, high[f] - low[f]);
    return widest;
}

template <class S>
FeatureRanges survey(const DenseView<S>& x, const Lattice& lattice, Level level, Spare& spare) {
    const Simd<S>& vectors = simd<S>(level);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t at_once = kAtOnce / std::max<std::size_t>(1, x.d) + 1;
    std::vector<FeatureRanges> parts(std::max<std::size_t>(1, (x.n + at_once - 1) / at_once));
    spare.run(parts.size(), [&](std::size_t part) {
        const std::size_t first = part * at_once;
        const DenseView<S> rows{x.row(first), std::min(x.n - first, at_once), x.d};
        FeatureRanges here{std::vector<double>(x.d, infinity), std::vector<double>(x.d, -infinity),
                           std::vector<double>(x.d, 0.0)};
        for (std::size_t i = 0; i < rows.n; ++i) {
            vectors.widen(rows.row(i), x.d, here.low.data(), here.high.data());
            if (lattice.step > 0)
                vectors.compare_with_lattice(rows.row(i), x.d, lattice.anchor, lattice.step, here.off.data());
        }
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

template FeatureRanges survey(const DenseView<float>&, const Lattice&, Level, Spare&);
template FeatureRanges survey(const DenseView<double>&, const Lattice&, Level, Spare&);

}  // namespace dagmar
