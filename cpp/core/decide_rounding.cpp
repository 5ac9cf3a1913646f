#include "decide_rounding.hpp"

#include <algorithm>
#include <limits>

#include "integers.hpp"

namespace dagmar {

CoefficientSizes::CoefficientSizes(const Bank& bank)
    : bank_(bank), root_squares_(bank.lists.n_machines()), times_gamma_(root_squares_.size()),
      sizes_(root_squares_.size()), counts_(root_squares_.size()) {
    const auto& lists = bank.lists;
    const auto& gammas = bank.gammas;
    for (std::size_t m = 0; m < lists.n_machines(); ++m) {
        for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
            const double c = lists.coef[t], g = gammas.empty() ? 0.0 : gammas[usize(lists.index[t])];
            root_squares_[m] += c * c;
            times_gamma_[m] += c * g * c * g;
            sizes_[m] += std::abs(c);
        }
        root_squares_[m] = std::sqrt(root_squares_[m]);
        times_gamma_[m] = std::sqrt(times_gamma_[m]);
        // Adding a term rounds a partial sum, which one side of the machine alone can bring to half the sizes.
        counts_[m] = static_cast<double>(lists.begin[m + 1] - lists.begin[m]);
        sizes_[m] = sizes_[m] * std::max(1.0, std::sqrt(counts_[m]) / 2.0) + std::abs(lists.bias[m]);
    }
    if (!gammas.empty()) smallest_gamma_ = *std::min_element(gammas.begin(), gammas.end());
}

Allowance CoefficientSizes::allowance(double norm2, double largest_norm2, std::size_t n_features, Arithmetic by) const {
    const Kernel& kernel = bank_.kernel;
    const double largest = kernel.largest(norm2, largest_norm2), term = 2.0 * by.unit * largest;
    // A coefficient or a term below the range loses up to the smallest number.
    const double underflow = by.smallest * (1.0 + largest);
    if (bank_.gammas.empty()) return {8.0 * kernel.error(norm2, largest_norm2, n_features, by), 0.0, term, underflow};
    const ErrorByGamma error = error_by_gamma(smallest_gamma_, norm2, largest_norm2, n_features, by);
    return {8.0 * error.flat, 8.0 * error.slope, term, underflow};
}

template <class T>
Allowance Rounding<T>::allowance(T norm2) const {
    return sizes_.allowance(v_.bank.kernel.unscale2(static_cast<double>(norm2)), v_.largest_norm2, v_.d,
                            kArithmetic<T>);
}

template <class T>
double Rounding<T>::exact(const Samples& x, std::size_t i, std::size_t m) const {
    const auto& lists = v_.bank.lists;
    double sum = 0;
    const double* origin = origin_.data();
    const bool rbf = v_.bank.kernel.type == KernelType::rbf;
    const auto add_terms = [&](const auto& samples, const auto& pool) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(samples)>, SparseView> &&
                      !std::is_same_v<std::decay_t<decltype(pool)>, SparseView>)
            for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
                const std::size_t v = usize(lists.index[t]);
                const auto* a = samples.row(i);
                const auto* b = pool.row(v);
                double dot = 0, distance = 0;
                if (rbf)
                    for (std::size_t f = 0; f < v_.d; ++f) {
                        const double difference = static_cast<double>(a[f]) - static_cast<double>(b[f]);
                        distance += difference * difference;
                    }
                else
                    for (std::size_t f = 0; f < v_.d; ++f)
                        dot += (static_cast<double>(a[f]) - origin[f]) * (static_cast<double>(b[f]) - origin[f]);
                sum += lists.coef[t] * v_.bank.kernel_of(v).value(dot, distance);
            }
    };
    std::visit(add_terms, x, v_.bank.vectors);
    sum += lists.bias[m];
    check_value(sum);
    return sum;
}

template class Rounding<float>;
template class Rounding<double>;

}  // namespace dagmar
