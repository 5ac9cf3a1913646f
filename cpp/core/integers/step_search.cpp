#include "integers/step_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dagmar {
namespace {

// Features that are looked at, spread evenly, and how many of the first may have no step before the search ends.
constexpr std::size_t kFeatures = 32, kFailures = 6;
// Steps between the lowest and the highest value of a feature: searching further takes longer than a small model takes
// to decide. And how far from a whole number of steps a value may be: few numbers pass by chance for several values.
constexpr double kMostSteps = 4096, kMostOff = 0x1p-10;

bool is_near_integer(double x, double off) { return std::abs(x - nearest_integer(x)) <= off; }

// The largest step of these values, of which the lowest is 0 and the highest is `extent`; 0 if there is none.
double step_of(const std::vector<double>& values, double extent) {
    const auto between = std::find_if(values.begin(), values.end(), [&](double v) { return v > 0 && v < extent; });
    if (between == values.end()) return extent;
    // One value between the ends rules out nearly all numbers of steps, several of them at a time. (This rounds
    // differently from `fits`.)
    constexpr std::size_t at_once = 16;
    static_assert(static_cast<std::size_t>(kMostSteps) % at_once == 0);
    const double place = *between / extent;
    double numbers[at_once];
    std::iota(numbers, numbers + at_once, 1.0);
    for (std::size_t first = 0; first < static_cast<std::size_t>(kMostSteps); first += at_once) {
        std::int64_t possible = 0;
        for (std::size_t k = 0; k < at_once; ++k)
            possible |= is_near_integer(numbers[k] * place, kMostOff + 0x1p-30) ? 1 : 0;
        for (std::size_t k = 0; possible && k < at_once; ++k) {
            const auto fits = [&](double value) { return is_near_integer(value * (numbers[k] / extent), kMostOff); };
            if (std::all_of(values.begin(), values.end(), fits)) return extent / numbers[k];
        }
        for (double& n : numbers) n += at_once;
    }
    return 0.0;
}

struct Feature {
    double step, extent;
};

// The relative error of steps and extents of values in single precision.
constexpr double kRounding = 0x1p-20;

bool is_multiple(double of, double step) {
    const double n = nearest_integer(of / step);
    return n >= 1 && std::abs(of / step - n) <= kRounding * n;
}

// Features with steps, among some of those that are not constant; how many have none.
struct Features {
    std::vector<Feature> found;
    std::size_t failures = 0;
};

// Ends early after this many failures, unless a step was found.
template <class S>
Features features_of(const SomeRows<S>& x, std::size_t most_failures) {
    const std::size_t d = x.d();
    Features all;
    std::vector<double> values(x.n());
    for (std::size_t i = 0; i < kFeatures && i < d; ++i) {
        const std::size_t f = (2 * i + 1) * d / (2 * std::min(kFeatures, d));
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(x.row(k)[f]);
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const double lowest = *low, extent = *high - *low;
        if (!(extent > 0) || !std::isfinite(extent)) continue;
        for (double& value : values) value -= lowest;
        if (const double step = step_of(values, extent); step > 0)
            all.found.push_back({step, extent});
        else if (++all.failures == most_failures && all.found.empty())
            break;
    }
    return all;
}

// The largest number that two steps are multiples of, if it is at least `least`; else 0.
double common_divisor(double a, double b, double least) {
    const double error = kRounding * b;
    while (b > least) {
        const double rest = std::abs(a - b * nearest_integer(a / b));
        a = b;
        b = rest;
    }
    return b <= error ? a : 0.0;
}

// The same step from the widest feature that has it: values may be rounded, and it shows the step most precisely.
double refined(double step, const std::vector<Feature>& found) {
    double widest = step;
    for (const Feature& one : found)
        if (one.extent > widest && is_multiple(one.step, step)) widest = one.extent;
    step = widest / nearest_integer(widest / step);
    // Most steps are parts of 1 or 2, such as 1/255 or 2/15; if it cannot be another number, the step is that.
    for (const double whole : {1.0, 2.0})
        if (is_multiple(whole, step)) return whole / nearest_integer(whole / step);
    return step;
}

}  // namespace

template <class S>
double common_step(const SomeRows<S>& x) {
    const auto [found, failures] = features_of(x, kFailures);
    // The step that most of these are multiples of; the largest of several.
    double best = 0.0;
    std::size_t most = 0;
    for (const Feature& one : found) {
        const double step = one.step;
        const auto fits = [&](const Feature& other) { return is_multiple(other.step, step); };
        const auto count = static_cast<std::size_t>(std::count_if(found.begin(), found.end(), fits));
        if (count > most || (count == most && one.step > best)) best = one.step, most = count;
    }
    return 2 * most > found.size() + failures ? refined(best, found) : 0.0;
}

template <class S>
double step_of_all(const SomeRows<S>& x) {
    const auto [found, failures] = features_of(x, 1);
    if (failures > 0 || found.empty()) return 0.0;
    double widest = 0.0, step = found[0].step;
    for (const Feature& one : found) widest = std::max(widest, one.extent);
    for (std::size_t i = 1; i < found.size() && step > 0; ++i)
        step = common_divisor(step, found[i].step, widest / kMostSteps);
    return step > 0 ? refined(step, found) : 0.0;
}

template double common_step(const SomeRows<float>&);
template double common_step(const SomeRows<double>&);
template double step_of_all(const SomeRows<float>&);
template double step_of_all(const SomeRows<double>&);

}  // namespace dagmar
