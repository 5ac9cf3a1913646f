#include "gram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dagmar {

template <class T>
GramRows<T>::GramRows(const Problem& problem)
    : kernel_(problem.kernel), start_(problem.class_start), class_of_(start_.back()) {
    for (std::size_t c = 0; c < n_classes(); ++c)
        std::fill(class_of_.data() + start_[c], class_of_.data() + start_[c + 1], static_cast<std::uint32_t>(c));
}

template <class T>
T GramRows<T>::diagonal_value(const Simd<T>& simd, T norm) const {
    T values[kLanes], norms[kLanes];
    std::fill(values, values + kLanes, norm);
    std::fill(norms, norms + kLanes, norm);
    kernel_.finish(simd, values, norms, norm, kLanes);
    return values[0];
}

template <class T>
std::unique_ptr<GramRows<T>> make_gram(const Problem& problem, Level level, bool again) {
    const auto make = [&](const auto& view) -> std::unique_ptr<GramRows<T>> {
        if constexpr (std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            return sparse_gram<T>(view, problem, simd<T>(level));
        else if (problem.kernel.type == KernelType::precomputed)
            return precomputed_gram<T>(view, problem);
        else
            return dense_gram<T>(view, problem, simd<T>(level), again);
    };
    return std::visit(make, problem.x);
}

double rounding_of_rows(const GramRows<float>& coarse, const GramRows<double>& fine,
                        const std::vector<std::int32_t>& asked) {
    const std::size_t n = fine.class_size(0), width = padded(n);
    std::vector<float> a(width * asked.size());
    std::vector<double> b(width * asked.size());
    std::vector<float*> to_a;
    std::vector<double*> to_b;
    for (std::size_t q = 0; q < asked.size(); ++q) {
        to_a.push_back(a.data() + q * width);
        to_b.push_back(b.data() + q * width);
    }
    GramScratch<float> scratch_a;
    GramScratch<double> scratch_b;
    coarse.rows(asked.data(), asked.size(), 0, coarse.gamma(), to_a.data(), scratch_a);
    fine.rows(asked.data(), asked.size(), 0, fine.gamma(), to_b.data(), scratch_b);
    double largest = 0;
    for (std::size_t q = 0; q < asked.size(); ++q)
        for (std::size_t k = 0; k < n; ++k) {
            const double difference = std::abs(static_cast<double>(to_a[q][k]) - to_b[q][k]);
            if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
            largest = std::max(largest, difference);
        }
    return largest;
}

template class GramRows<float>;
template class GramRows<double>;
template std::unique_ptr<GramRows<float>> make_gram<float>(const Problem&, Level, bool);
template std::unique_ptr<GramRows<double>> make_gram<double>(const Problem&, Level, bool);

}  // namespace dagmar
