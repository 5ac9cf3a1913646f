#include "samples/usual_values.hpp"

#include <algorithm>

#include "samples/sparse_copy.hpp"

namespace dagmar {
namespace {

// With fewer features only 0 counts as usual: searching for other values would cost more than skipping them saves.
constexpr std::size_t kFewFeatures = 32;
// A value is usual if more than this share of the samples have it.
constexpr double kUsual = 0.2;
// If usual values are frequent enough to skip, a sample shares at least (1 - kFewNonzeros)^2 of its values with the
// next one on average; half of that allows for chance. This rejects most data quickly.
constexpr double kRepeated = 0.5 * (1.0 - kFewNonzeros) * (1.0 - kFewNonzeros);

// The usual value of each feature, or its mean; nothing if usual values are too rare to skip.
template <class S>
std::optional<std::vector<double>> usual_values(const SomeRows<S>& x, std::span<const double> mean) {
    const std::size_t n = x.n(), d = x.d();
    std::size_t repeated = 0, usual = 0;
    for (std::size_t i = 1; i < n; ++i)
        for (std::size_t f = 0; f < d; ++f) repeated += x.row(i)[f] == x.row(i - 1)[f];
    if (static_cast<double>(repeated) < kRepeated * static_cast<double>(n * d)) return std::nullopt;
    std::vector<double> centre(mean.begin(), mean.end());
    std::vector<S> column(n);
    const auto times = [&](S value) { return usize(std::count(column.begin(), column.end(), value)); };
    for (std::size_t f = 0; f < d; ++f) {
        for (std::size_t i = 0; i < n; ++i) column[i] = x.row(i)[f];
        const auto middle = column.begin() + static_cast<std::ptrdiff_t>(n / 2);
        std::nth_element(column.begin(), middle, column.end());
        // A value that most samples have is the lowest one (no ink, absent) or else the median.
        const S lowest = *std::min_element(column.begin(), middle + 1), median = *middle;
        const S value = times(median) > times(lowest) ? median : lowest;
        if (!(static_cast<double>(times(value)) > kUsual * static_cast<double>(n))) continue;
        usual += times(value);
        centre[f] = static_cast<double>(value);
    }
    const double share = static_cast<double>(usual) / static_cast<double>(d) / static_cast<double>(n);
    if (!(1.0 - share <= kFewNonzeros)) return std::nullopt;
    return centre;
}

template <class T>
double distance2(const T* x, const std::vector<double>& centre) {
    double sum = 0.0;
    for (std::size_t f = 0; f < centre.size(); ++f) {
        const double away = static_cast<double>(x[f]) - centre[f];
        sum += away * away;
    }
    return sum;
}

// Whether the mean is far from the centre, compared with the spread of the samples: then the difference between two
// samples is lost in the rounding of their products.
template <class S>
bool is_far(const SomeRows<S>& x, std::span<const double> mean, const std::vector<double>& centre) {
    double norms = 0.0;
    for (std::size_t i = 0; i < x.n(); ++i) norms += distance2(x.row(i), centre);
    return 2.0 * distance2(mean.data(), centre) > norms / static_cast<double>(x.n());
}

}  // namespace

template <class S>
std::optional<std::vector<double>> usual_centre(const SomeRows<S>& x, std::span<const double> mean) {
    std::optional<std::vector<double>> centre;
    if (x.d() >= kFewFeatures)
        centre = usual_values(x, mean);
    else if (mostly_zeros(x, kFewNonzeros))
        centre.emplace(x.d(), 0.0);
    if (centre && is_far(x, mean, *centre)) return std::nullopt;
    return centre;
}

template std::optional<std::vector<double>> usual_centre(const SomeRows<float>&, std::span<const double>);
template std::optional<std::vector<double>> usual_centre(const SomeRows<double>&, std::span<const double>);

}  // namespace dagmar
