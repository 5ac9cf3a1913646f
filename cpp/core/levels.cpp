#include "levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "rbf_products.hpp"

namespace dagmar {
namespace {

// Features that are looked at for a step, and how many of them may have none before the search ends.
constexpr std::size_t kFeatures = 32, kFailures = 6;
// Levels of a feature, and how far from one a value may be for a step to be found.
constexpr double kMostLevels = 2048, kMostOff = 0x1p-10;
// Rows that a thread looks at, at a time.
constexpr std::size_t kRows = 256;
// How far values may be from their levels: kernel values stay as precise as those of single precision.
constexpr double kPrecise = 0x1p-21;
// Numbers beyond this would leave the range of the arithmetic.
constexpr double kWidest = 1e150;
// The squares of all levels of a sample must add up to less than this, so that distances are integers of 31 bits.
constexpr double kLargestSquares = 0x1p30;
// Features multiplied in the time of one in single precision: levels of one byte, and longer ones.
constexpr double kBytesFaster = 3.8, kWordsFaster = 1.9;
// What a nonzero costs, of a product, where zeros are skipped; what it costs to go through features without levels at
// all; and by which factor levels must be faster to be used.
constexpr double kNonzero = 1.5, kSeparately = 4.0, kWorth = 1.25;

double nearest(double x) {
    constexpr double whole = 0x1.8p52;  // added and taken away, it leaves the nearest integer
    return (x + whole) - whole;
}

bool is_level(double value, double n, double extent) {
    const double level = value * (n / extent);
    return std::abs(level - nearest(level)) <= kMostOff;
}

// The largest step of these values, lowest first; 0 if there is none.
double step_of(const std::vector<double>& values, double extent) {
    const auto between = std::find_if(values.begin(), values.end(), [&](double v) { return v > 0 && v < extent; });
    if (between == values.end()) return extent;
    // One value between the ends rules out nearly all steps, several of them at a time. (This rounds otherwise than
    // is_level does.)
    constexpr double least_off = kMostOff + 0x1p-30;
    constexpr std::size_t at_once = 16;
    static_assert(static_cast<std::size_t>(kMostLevels) % at_once == 0);
    const double place = *between / extent;
    double numbers[at_once];
    std::iota(numbers, numbers + at_once, 1.0);
    for (std::size_t first = 0; first < static_cast<std::size_t>(kMostLevels); first += at_once) {
        std::int64_t possible = 0;
        for (std::size_t k = 0; k < at_once; ++k) {
            const double level = numbers[k] * place;
            possible |= std::abs(level - nearest(level)) <= least_off ? 1 : 0;
        }
        for (std::size_t k = 0; possible && k < at_once; ++k) {
            const auto fits = [&](double value) { return is_level(value, numbers[k], extent); };
            if (std::all_of(values.begin(), values.end(), fits)) return extent / numbers[k];
        }
        for (double& n : numbers) n += at_once;
    }
    return 0.0;
}

}  // namespace

template <class S>
double common_step(const SomeRows<S>& x) {
    const std::size_t n_features = x.d();
    if (!level_products(best_level(), 0.0)) return 0.0;
    std::vector<double> steps, values;
    std::size_t failures = 0;
    for (std::size_t i = 0; i < kFeatures && i < n_features; ++i) {
        const std::size_t f = (2 * i + 1) * n_features / (2 * std::min(kFeatures, n_features));
        values.clear();
        for (std::size_t k = 0; k < x.n(); ++k) values.push_back(static_cast<double>(x.row(k)[f]));
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const double lowest = *low, extent = *high - *low;
        if (!(extent > 0) || !std::isfinite(extent)) continue;
        for (double& value : values) value -= lowest;
        const double step = step_of(values, extent);
        if (step > 0)
            steps.push_back(step);
        else if (++failures == kFailures && steps.empty())
            return 0.0;
    }
    // The step that most of these are multiples of; the largest of several.
    double best = 0.0;
    std::size_t most = 0;
    for (const double step : steps) {
        const auto is_multiple = [&](double other) {
            const double n = nearest(other / step);
            return n >= 1 && std::abs(other / step - n) <= 0x1p-20 * n;
        };
        const auto count = static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), is_multiple));
        if (count > most || (count == most && step > best)) best = step, most = count;
    }
    return 2 * most > steps.size() + failures ? best : 0.0;
}

template <class S>
std::vector<double> survey_levels(const DenseView<S>& x, const double* origin, double per_unit, Spare& spare) {
    const LevelProducts* products = level_products(best_level(), 0.0);
    if (!products) throw std::invalid_argument("this processor has no fast products of levels");
    const std::size_t d = x.d, n_parts = std::max<std::size_t>(1, (x.n + kRows - 1) / kRows);
    std::vector<std::vector<double>> parts(n_parts);
    spare.run(n_parts, [&](std::size_t part) {
        std::vector<double> all(3 * d, 0.0);
        double *low = all.data(), *high = low + d, *off = high + d;
        std::fill_n(low, d, std::numeric_limits<double>::infinity());
        std::fill_n(high, d, -std::numeric_limits<double>::infinity());
        const std::size_t first = part * kRows, count = std::min(x.n - first, kRows);
        const LevelSurvey to{origin, per_unit, low, high, off};
        if constexpr (std::is_same_v<S, float>)
            products->survey_floats(x.row(first), count, d, to);
        else
            products->survey_doubles(x.row(first), count, d, to);
        parts[part] = std::move(all);
    });
    std::vector<double> all = std::move(parts[0]);
    for (std::size_t part = 1; part < n_parts; ++part)
        for (std::size_t f = 0; f < d; ++f) {
            const double* here = parts[part].data();
            all[f] = std::min(all[f], here[f]);
            all[d + f] = std::max(all[d + f], here[d + f]);
            all[2 * d + f] = here[2 * d + f] <= all[2 * d + f] ? all[2 * d + f] : here[2 * d + f];
        }
    return all;
}

template <class S>
std::optional<std::vector<double>> choose_levels(const SomeRows<S>& some, std::span<const double> survey, double step,
                                                 double gamma, std::span<const double> centre) {
    const std::size_t d = some.d(), n = some.n();
    const double *lowest = survey.data(), *largest = lowest + d, *off = largest + d;
    // A value is at most so many steps from its level, and all features of a sample together are as precise as they
    // must be.
    const double most_off = std::min(0.01, kPrecise / (step * std::sqrt(gamma * static_cast<double>(d))));
    std::vector<double> highest(d);
    std::vector<std::uint8_t> has_levels(d);
    double squares = 0.0, highest_level = 0.0;
    std::size_t n_levels = 0;
    for (std::size_t f = 0; f < d; ++f) {
        const double extent = largest[f] - lowest[f];
        if (!(extent < kWidest)) return std::nullopt;
        highest[f] = std::nearbyint(extent / step);
        has_levels[f] = off[f] <= most_off;
        squares += highest[f] * (has_levels[f] ? highest[f] : 0.0 * highest[f]);  // not a number beyond the range
        if (has_levels[f]) ++n_levels, highest_level = std::max(highest_level, highest[f]);
    }
    if (!(squares < kLargestSquares)) return std::nullopt;
    const bool in_bytes = highest_level <= 255;
    const std::size_t per_word = in_bytes ? 4 : 2, n_words = (d + per_word - 1) / per_word;
    // Values that are not a level of 0, words of levels that are not all 0, and values that are not 0 in float.
    std::size_t without_levels = 0, words = 0, nonzeros = 0;
    std::vector<std::uint8_t> levels(n_words * per_word, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const S* row = some.row(i);
        for (std::size_t f = 0; f < d; ++f) levels[f] = static_cast<double>(row[f]) != lowest[f];
        for (std::size_t f = 0; f < d; ++f) without_levels += levels[f] & (has_levels[f] ^ 1u);
        for (std::size_t f = 0; f < d; ++f) levels[f] &= has_levels[f];
        if (in_bytes)
            for (std::size_t f = 0; f < levels.size(); f += 4)
                words += levels[f] | levels[f + 1] | levels[f + 2] | levels[f + 3];
        else
            for (std::size_t f = 0; f < levels.size(); f += 2) words += levels[f] | levels[f + 1];
        if (centre.empty())
            for (std::size_t f = 0; f < d; ++f) nonzeros += row[f] != S(0);
        else
            for (std::size_t f = 0; f < d; ++f) nonzeros += static_cast<double>(row[f]) != centre[f];
    }
    const auto per = [](std::size_t count, std::size_t of) {
        return kNonzero * static_cast<double>(count) / static_cast<double>(of);
    };
    const double faster = in_bytes ? kBytesFaster : kWordsFaster;
    double cost = static_cast<double>(n_levels) / faster * std::min(1.0, per(words, n * n_words));
    cost += per(without_levels, n) + (n_levels < d ? kSeparately : 0.0);
    const double share = static_cast<double>(nonzeros) / static_cast<double>(n * d);
    const double in_float = static_cast<double>(d) * (share <= kFewNonzeros ? kNonzero * share : 1.0);
    if (cost * kWorth > in_float) return std::nullopt;
    std::vector<double> all(lowest, lowest + d);
    for (std::size_t f = 0; f < d; ++f) all.push_back(has_levels[f] && highest[f] > 0 ? 1.0 / step : 0.0);
    for (std::size_t f = 0; f < d; ++f) all.push_back(has_levels[f] ? highest[f] : -1.0);
    return all;
}

template double common_step(const SomeRows<float>&);
template double common_step(const SomeRows<double>&);
template std::optional<std::vector<double>> choose_levels(const SomeRows<float>&, std::span<const double>, double,
                                                          double, std::span<const double>);
template std::optional<std::vector<double>> choose_levels(const SomeRows<double>&, std::span<const double>, double,
                                                          double, std::span<const double>);
template std::vector<double> survey_levels(const DenseView<float>&, const double*, double, Spare&);
template std::vector<double> survey_levels(const DenseView<double>&, const double*, double, Spare&);

}  // namespace dagmar
