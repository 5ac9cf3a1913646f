#include "usual_values.hpp"

#include <algorithm>

#include "row_sums.hpp"

namespace dagmar {
namespace {

// The share of samples that must have a value for it to be usual.
constexpr double kUsual = 0.2;
// Where features have usual values often enough, a sample shares at least (1 - kFewNonzeros) squared of its values with
// the next one on average; half of that allows for chance.
constexpr double kRepeated = 0.5 * (1.0 - kFewNonzeros) * (1.0 - kFewNonzeros);

// Whether neighbours often have the same values. Nearly all data is told apart by this, most of it before the last row.
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

// usual_centre, wherever it is.
template <class S>
std::optional<std::vector<double>> usual_values(const SomeRows<S>& x, std::span<const double> mean) {
    if (!often_repeated(x)) return std::nullopt;
    const std::size_t n = x.n(), d = x.d();
    std::vector<S> value(x.row(0), x.row(0) + d), column(n);
    std::vector<std::size_t> count(d, 0);
    for (std::size_t i = 1; i < n; ++i)  // what is absent is low
        for (std::size_t f = 0; f < d; ++f) value[f] = x.row(i)[f] < value[f] ? x.row(i)[f] : value[f];
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t f = 0; f < d; ++f) count[f] += x.row(i)[f] == value[f];
    // Values that are not usual, over all features: with more than this, the rest need not be looked at.
    const auto most = static_cast<std::size_t>(kFewNonzeros * static_cast<double>(n * d)) + 2;
    std::size_t other_values = 0, usual_count = 0;
    for (std::size_t f = 0; f < d; ++f) {
        if (2 * count[f] <= n) {  // what most samples have is in the middle, and is the lowest elsewhere
            for (std::size_t i = 0; i < n; ++i) column[i] = x.row(i)[f];
            const auto middle = column.begin() + static_cast<std::ptrdiff_t>(n / 2);
            std::nth_element(column.begin(), middle, column.end());
            const S candidate = *middle;
            const auto times = static_cast<std::size_t>(std::count(column.begin(), column.end(), candidate));
            if (times > count[f]) value[f] = candidate, count[f] = times;
        }
        if (!(static_cast<double>(count[f]) > kUsual * static_cast<double>(n))) count[f] = 0;
        usual_count += count[f];
        other_values += n - count[f];
        if (other_values > most) return std::nullopt;
    }
    const double share = static_cast<double>(usual_count) / static_cast<double>(d) / static_cast<double>(n);
    if (!(1.0 - share <= kFewNonzeros)) return std::nullopt;
    std::vector<double> usual(mean.begin(), mean.end());
    for (std::size_t f = 0; f < d; ++f)
        if (count[f]) usual[f] = static_cast<double>(value[f]);
    return usual;
}

// Whether the mean is far from the centre, for the distance of the samples from there: then the difference between two
// samples is lost in the rounding of their products.
template <class S>
bool is_far(const SomeRows<S>& x, std::span<const double> mean, const std::vector<double>& centre) {
    double away = 0.0, norms = 0.0, norm = 0.0;
    row_sums<double>(best_level()).squared_norms(mean.data(), 1, x.d(), centre.data(), &away);
    for (std::size_t i = 0; i < x.n(); ++i) {
        row_sums<S>(best_level()).squared_norms(x.row(i), 1, x.d(), centre.data(), &norm);
        norms += norm;
    }
    return 2.0 * away > norms / static_cast<double>(x.n());
}

}  // namespace

template <class S>
std::optional<std::vector<double>> usual_centre(const SomeRows<S>& x, std::span<const double> mean, bool zeros_only) {
    auto centre = zeros_only ? std::optional(std::vector<double>(x.d(), 0.0)) : usual_values(x, mean);
    if (centre && is_far(x, mean, *centre)) return std::nullopt;
    return centre;
}

template std::optional<std::vector<double>> usual_centre(const SomeRows<float>&, std::span<const double>, bool);
template std::optional<std::vector<double>> usual_centre(const SomeRows<double>&, std::span<const double>, bool);

}  // namespace dagmar
