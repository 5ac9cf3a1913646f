#include "levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

double nearest(double x) {
    constexpr double whole = 0x1.8p52;  // added and taken away, it leaves the nearest integer
    return (x + whole) - whole;
}

// The largest step of these values, lowest first; 0 if there is none.
double step_of(const std::vector<double>& values, double extent) {
    for (double n = 1; n <= kMostLevels; ++n) {
        const auto is_level = [&](double value) {
            const double level = value * (n / extent);
            return std::abs(level - nearest(level)) <= kMostOff;
        };
        if (std::all_of(values.begin(), values.end(), is_level)) return extent / n;
    }
    return 0.0;
}

}  // namespace

double common_step(const double* x, std::size_t n_samples, std::size_t n_features) {
    if (!level_products(best_level(), 0.0)) return 0.0;
    std::vector<double> steps, values;
    std::size_t failures = 0;
    for (std::size_t i = 0; i < kFeatures && i < n_features; ++i) {
        const std::size_t f = (2 * i + 1) * n_features / (2 * std::min(kFeatures, n_features));
        values.clear();
        for (std::size_t k = 0; k < n_samples; ++k) values.push_back(x[k * n_features + f]);
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

template std::vector<double> survey_levels(const DenseView<float>&, const double*, double, Spare&);
template std::vector<double> survey_levels(const DenseView<double>&, const double*, double, Spare&);

}  // namespace dagmar
