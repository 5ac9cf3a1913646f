#include "integers/survey.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

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
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t at_once = kAtOnce / std::max<std::size_t>(1, x.d) + 1;
    const FeatureRanges none{std::vector<double>(x.d, infinity), std::vector<double>(x.d, -infinity),
                             std::vector<double>(x.d, 0.0)};
    FeatureRanges all = none;
    std::mutex merging;
    spare.run((x.n + at_once - 1) / at_once, [&](std::size_t part) {
        FeatureRanges here = none;
        const std::size_t first = part * at_once, n = std::min(at_once, x.n - first);
        simd<S>(level).survey(x.row(first), n, x.d, lattice.anchor, lattice.step, here.low.data(), here.high.data(),
                              here.off.data());
        const std::lock_guard lock(merging);
        for (std::size_t f = 0; f < x.d; ++f) {
            all.low[f] = std::min(all.low[f], here.low[f]);
            all.high[f] = std::max(all.high[f], here.high[f]);
            all.off[f] = std::max(all.off[f], here.off[f]);
        }
    });
    return all;
}

template FeatureRanges survey(const DenseView<float>&, const Lattice&, Level, Spare&);
template FeatureRanges survey(const DenseView<double>&, const Lattice&, Level, Spare&);

}  // namespace dagmar
