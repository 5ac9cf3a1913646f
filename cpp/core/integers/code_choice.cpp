#include "integers/code_choice.hpp"

#include <algorithm>
#include <cmath>

#include "base/costs.hpp"
#include "integers/step_search.hpp"

namespace dagmar {
namespace {

// How far from the lattice a value may be for an anchor to be taken, in steps: the value may be rounded.
constexpr double kNearAnchor = 0x1p-10;
// Numbers beyond this would leave the range of the arithmetic.
constexpr double kWidest = 1e150;
// The squares of all codes of a sample must add up to less than this, so that distances are integers of 31 bits.
constexpr double kLargestSquares = 0x1p30;
// What it costs to go through features without codes at all, in products; and by which factor codes must be faster to
// be used.
constexpr double kSeparately = 4.0, kWorth = 1.25;

}  // namespace

template <class S>
std::vector<double> anchors(const SomeRows<S>& some, double step) {
    const auto fits = [&](std::size_t f, double anchor) {
        for (std::size_t i = 0; i < some.n(); ++i) {
            const double place = (static_cast<double>(some.row(i)[f]) - anchor) / step;
            if (!(std::abs(place - nearest_integer(place)) <= kNearAnchor)) return false;
        }
        return true;
    };
    std::vector<double> anchor(some.d());
    for (std::size_t f = 0; f < anchor.size(); ++f)
        anchor[f] = fits(f, 0.0) ? 0.0 : fits(f, 0.5 * step) ? 0.5 * step : static_cast<double>(some.row(0)[f]);
    return anchor;
}

template <class S>
std::optional<std::vector<double>> choose_codes(const SomeRows<S>& some, const FeatureRanges& ranges,
                                                const Lattice& lattice, std::span<const double> centre,
                                                bool differences) {
    const std::size_t d = some.d(), n = some.n();
    std::vector<double> origin(d), highest(d);
    std::vector<std::uint8_t> has_codes(d);
    double squares = 0.0, highest_code = 0.0;
    std::size_t n_coded = 0;
    for (std::size_t f = 0; f < d; ++f) {
        const double extent = ranges.high[f] - ranges.low[f];
        if (!(extent < kWidest)) return std::nullopt;
        highest[f] = std::nearbyint(extent / lattice.step);
        has_codes[f] = ranges.off[f] <= kOnLattice;
        origin[f] = ranges.low[f];
        if (has_codes[f])
            origin[f] =
                lattice.anchor[f] + nearest_integer((origin[f] - lattice.anchor[f]) / lattice.step) * lattice.step;
        squares += highest[f] * (has_codes[f] ? highest[f] : 0.0 * highest[f]);  // NaN beyond the range
        if (has_codes[f]) ++n_coded, highest_code = std::max(highest_code, highest[f]);
    }
    if (!(squares < kLargestSquares) || (differences && n_coded < d)) return std::nullopt;
    const bool in_bytes = highest_code <= 255;
    const std::size_t per_word = in_bytes ? 4 : 2, n_words = (d + per_word - 1) / per_word;
    // Values of features without codes that are not the lowest, words that are not zero, and values that are not zero
    // in float.
    std::size_t uncoded = 0, words = 0, nonzeros = 0;
    std::vector<std::uint8_t> is_nonzero(n_words * per_word, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const S* row = some.row(i);
        for (std::size_t f = 0; f < d; ++f) {
            const double value = static_cast<double>(row[f]);
            const bool above_lowest = value != ranges.low[f];
            uncoded += above_lowest && !has_codes[f];
            is_nonzero[f] = above_lowest && has_codes[f];
            nonzeros += value != (centre.empty() ? 0.0 : centre[f]);
        }
        for (std::size_t f = 0; f < is_nonzero.size(); f += per_word)
            words +=
                std::any_of(&is_nonzero[f], &is_nonzero[f] + per_word, [](std::uint8_t here) { return here != 0; });
    }
    // Kernel values differ in their last bits between codes and floats, so this must not depend on the instruction set.
    const Costs cost;
    const auto per = [&](std::size_t count, std::size_t of) {
        return cost.nonzero * static_cast<double>(count) / static_cast<double>(of);
    };
    const double faster = in_bytes ? cost.byte_codes : cost.word_codes;
    double in_codes = static_cast<double>(n_coded) / faster * std::min(1.0, per(words, n * n_words));
    in_codes += per(uncoded, n) + (n_coded < d ? kSeparately : 0.0);
    const double share = static_cast<double>(nonzeros) / static_cast<double>(n * d);
    const double in_float = static_cast<double>(d) * (differences             ? cost.difference
                                                      : share <= kFewNonzeros ? cost.nonzero * share
                                                                              : 1.0);
    if (in_codes * kWorth > in_float) return std::nullopt;
    std::vector<double> all = std::move(origin);
    for (std::size_t f = 0; f < d; ++f) all.push_back(has_codes[f] && highest[f] > 0 ? 1.0 / lattice.step : 0.0);
    for (std::size_t f = 0; f < d; ++f) all.push_back(has_codes[f] ? highest[f] : -1.0);
    return all;
}

template std::vector<double> anchors(const SomeRows<float>&, double);
template std::vector<double> anchors(const SomeRows<double>&, double);
template std::optional<std::vector<double>> choose_codes(const SomeRows<float>&, const FeatureRanges&, const Lattice&,
                                                         std::span<const double>, bool);
template std::optional<std::vector<double>> choose_codes(const SomeRows<double>&, const FeatureRanges&, const Lattice&,
                                                         std::span<const double>, bool);

}  // namespace dagmar
