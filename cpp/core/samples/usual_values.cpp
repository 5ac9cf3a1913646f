#include "samples/usual_values.hpp"

#include <algorithm>

namespace dagmar {
namespace {

// With fewer features only 0 counts as usual: searching for other values would cost more than skipping them saves.
constexpr std::size_t kFewFeatures = 32;
// A value is usual if more than this share of the samples have it.
constexpr double kUsual = 0.2;
// If usual values are frequent enough to skip, a sample shares at least (1 - kFewNonzeros)^2 of its values with the
// next one on average; half of that allows for chance.
constexpr double kRepeated = 0.5 * (1.0 - kFewNonzeros) * (1.0 - kFewNonzeros);

template <class S>
bool mostly_zeros(const SomeRows<S>& x) {
    std::size_t nonzeros = 0;
    for (std::size_t i = 0; i < x.n(); ++i)
        for (std::size_t f = 0; f < x.d(); ++f) nonzeros += x.row(i)[f] != 0;
    return static_cast<double>(nonzeros) <= kFewNonzeros * static_cast<double>(x.n() * x.d());
}

// Whether successive samples often share values. This rejects most data quickly.
template <class S>
bool often_repeated(const SomeRows<S>& x) {
    const double needed = kRepeated * static_cast<double>(x.n() * x.d());
    std::size_t same = 0;
    for (std::size_t i = 1; i < x.n(); ++i) {
        const S *row = x.row(i), *before = x.row(i - 1);
        for (std::size_t f = 0; f < x.d(); ++f) same += row[f] == before[f];
        if (static_cast<double>(same) >= needed) return true;
        if (static_cast<double>(same + (x.n() - 1 - i) * x.d()) < needed) return false;
    }
    return false;
}

// The usual value of each feature, or its mean; nothing if usual values are too rare to skip.
template <class S>
std::optional<std::vector<double>> usual_values(const SomeRows<S>& x, std::span<const double> mean) {
    if (!often_repeated(x)) return std::nullopt;
    const std::size_t n = x.n(), d = x.d();
    // A value that most samples have is the lowest one (no ink, absent) or else the median.
    std::vector<S> value(x.row(0), x.row(0) + d), column(n);
    std::vector<std::size_t> count(d, 0);
    for (std::size_t i = 1; i < n; ++i)
        for (std::size_t f = 0; f < d; ++f) value[f] = x.row(i)[f] < value[f] ? x.row(i)[f] : value[f];
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t f = 0; f < d; ++f) count[f] += x.row(i)[f] == value[f];
    const auto most = static_cast<std::size_t>(kFewNonzeros * static_cast<double>(n * d)) + 2;
    std::size_t unusual = 0, usual = 0;  // numbers of values, over all features
    for (std::size_t f = 0; f < d; ++f) {
        if (2 * count[f] <= n) {
            for (std::size_t i = 0; i < n; ++i) column[i] = x.row(i)[f];
            const auto middle = column.begin() + static_cast<std::ptrdiff_t>(n / 2);
            std::nth_element(column.begin(), middle, column.end());
            const S median = *middle;
            const auto times = static_cast<std::size_t>(std::count(column.begin(), column.end(), median));
            if (times > count[f]) value[f] = median, count[f] = times;
        }
        if (!(static_cast<double>(count[f]) > kUsual * static_cast<double>(n))) count[f] = 0;
        usual += count[f];
        unusual += n - count[f];
        if (unusual > most) return std::nullopt;  // the other features cannot make up for it
    }
    const double share = static_cast<double>(usual) / static_cast<double>(d) / static_cast<double>(n);
    if (!(1.0 - share <= kFewNonzeros)) return std::nullopt;
    std::vector<double> centre(mean.begin(), mean.end());
    for (std::size_t f = 0; f < d; ++f)
        if (count[f]) centre[f] = static_cast<double>(value[f]);
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
    else if (mostly_zeros(x))
        centre.emplace(x.d(), 0.0);
    if (centre && is_far(x, mean, *centre)) return std::nullopt;
    return centre;
}

template std::optional<std::vector<double>> usual_centre(const SomeRows<float>&, std::span<const double>);
template std::optional<std::vector<double>> usual_centre(const SomeRows<double>&, std::span<const double>);

}  // namespace dagmar
