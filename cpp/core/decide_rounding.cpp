#include "decide_rounding.hpp"

#include <algorithm>
#include <cmath>

#include "integers.hpp"
#include "row_distances.hpp"

namespace dagmar {

template <class T>
Allowance Rounding<T>::allowance(T norm2) const {
    return sizes_.allowance(v_.bank.kernel.unscale2(static_cast<double>(norm2)), v_.largest_norm2, v_.longest);
}

template <class T>
Allowance Rounding<T>::allowance_of_levels(double off) const {
    Allowance allowance = sizes_.allowance(0.0, 0.0, v_.longest);
    allowance.off = off;
    return allowance;
}

namespace {

// Samples that share the vectors of a machine.
constexpr std::size_t kTogether = 4;

// The sum of term(0) ... term(n-1), in eight chains: one would wait for every addition.
template <class Term>
double sum_of_chains(std::size_t n, const Term& term) {
    constexpr std::size_t chains = 8;
    double sums[chains] = {};
    std::size_t f = 0;
    for (; f + chains <= n; f += chains)
        for (std::size_t u = 0; u < chains; ++u) sums[u] += term(f + u);
    double sum = 0;
    for (; f < n; ++f) sum += term(f);
    for (std::size_t u = 0; u < chains; ++u) sum += sums[u];
    return sum;
}

}  // namespace

template <class T>
double Rounding<T>::exact(const Samples& x, std::size_t i, std::size_t m) const {
    const Bank& bank = v_.bank.whole ? *v_.bank.whole : v_.bank;
    const auto& lists = bank.lists;
    double sum = 0;
    const double* origin = origin_.data();
    const bool rbf = bank.kernel.type == KernelType::rbf;
    const auto add_terms = [&](const auto& samples, const auto& pool) {
        constexpr bool sparse_samples = std::is_same_v<std::decay_t<decltype(samples)>, SparseView>;
        constexpr bool sparse_pool = std::is_same_v<std::decay_t<decltype(pool)>, SparseView>;
        if constexpr (sparse_samples && sparse_pool)
            for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
                const std::size_t v = usize(lists.index[t]);
                const auto [dot, distance] = compare_rows(samples, i, pool, v);
                sum += lists.coef[t] * bank.kernel_of(v).value(dot, distance);
            }
        else if constexpr (!sparse_samples && !sparse_pool) {
            if constexpr (std::is_same_v<std::decay_t<decltype(samples)>, DenseView<double>> &&
                          std::is_same_v<std::decay_t<decltype(pool)>, DenseView<double>>)
                if (rbf) {
                    const double* row = samples.row(i);
                    exact_rbf(&row, 1, pool, bank, m, &sum);
                    return;
                }
            for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
                const std::size_t v = usize(lists.index[t]);
                const auto* a = samples.row(i);
                const auto* b = pool.row(v);
                double dot = 0, distance = 0;
                const std::size_t d = pool.d;
                (rbf ? distance : dot) =
                    rbf ? sum_of_chains(d,
                                        [&](std::size_t f) {
                                            const double difference =
                                                static_cast<double>(a[f]) - static_cast<double>(b[f]);
                                            return difference * difference;
                                        })
                        : sum_of_chains(d, [&](std::size_t f) {
                              return (static_cast<double>(a[f]) - origin[f]) * (static_cast<double>(b[f]) - origin[f]);
                          });
                sum += lists.coef[t] * bank.kernel_of(v).value(dot, distance);
            }
        }
    };
    std::visit(add_terms, x, bank.vectors);
    sum += lists.bias[m];
    check_value(sum);
    return sum;
}

template <class T>
void Rounding<T>::exact_rbf(const double* const* x, std::size_t n_x, const DenseView<double>& pool, const Bank& bank,
                            std::size_t m, double* sums) const {
    constexpr std::size_t at_once = 16 * kLanes;
    constexpr double faintest = -static_cast<double>(kFaintest<double>) * 0.693;  // beyond it, SIMD has zeros
    const auto& lists = bank.lists;
    const auto begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    double distances[kTogether][at_once], values[at_once], gamma[at_once];
    double* out[kTogether];
    for (std::size_t s = 0; s < n_x; ++s) out[s] = distances[s];
    std::fill(sums, sums + n_x, 0.0);
    for (std::size_t first = begin; first < end; first += at_once) {
        const std::size_t n = std::min(at_once, end - first);
        row_distances(v_.level)(x, n_x, pool.data, lists.index.data() + first, n, pool.d, out);
        std::fill(gamma, gamma + padded(n), bank.kernel.gamma);
        if (!bank.gammas.empty())
            for (std::size_t t = 0; t < n; ++t) gamma[t] = bank.gammas[usize(lists.index[first + t])];
        for (std::size_t s = 0; s < n_x; ++s) {
            double* distance = distances[s];
            std::fill(distance + n, distance + padded(n), 0.0);
            std::fill(values, values + padded(n), 0.0);
            simd<double>(v_.level).rbf_each(values, distance, 0.0, gamma, padded(n));
            for (std::size_t t = 0; t < n; ++t) {
                const double y = gamma[t] * distance[t];
                sums[s] += lists.coef[first + t] * (y < faintest ? values[t] : std::exp(-y));
            }
        }
    }
}

template <class T>
bool Rounding<T>::answer(const Samples& x, const Threads& threads, std::vector<Question>& questions) const {
    if (questions.empty()) return true;
    std::sort(questions.begin(), questions.end(), [](const Question& a, const Question& b) {
        return a.machine != b.machine ? a.machine < b.machine : a.sample < b.sample;
    });
    const Bank& bank = v_.bank.whole ? *v_.bank.whole : v_.bank;
    const auto *samples = std::get_if<DenseView<double>>(&x), *pool = std::get_if<DenseView<double>>(&bank.vectors);
    const bool together = samples && pool && bank.kernel.type == KernelType::rbf;
    std::vector<std::size_t> begin;  // of questions to one machine, at most kTogether
    for (std::size_t q = 0; q < questions.size(); ++q)
        if (begin.empty() || !together || q == begin.back() + kTogether ||
            questions[q].machine != questions[begin.back()].machine)
            begin.push_back(q);
    begin.push_back(questions.size());
    Stop stop;
    return parallel_for(begin.size() - 1, threads, stop, [&](std::size_t piece, int) {
        const std::size_t first = begin[piece], n = begin[piece + 1] - first, m = questions[first].machine;
        if (!together) {
            questions[first].value = exact(x, questions[first].sample, m);
            return;
        }
        const double* rows[kTogether];
        double sums[kTogether];
        for (std::size_t s = 0; s < kTogether; ++s)  // three, and a copy of one, take the time of four
            rows[s] = samples->row(questions[first + std::min(s, n - 1)].sample);
        exact_rbf(rows, n == 3 ? kTogether : n, *pool, bank, m, sums);
        for (std::size_t s = 0; s < n; ++s) {
            questions[first + s].value = sums[s] + bank.lists.bias[m];
            check_value(questions[first + s].value);
        }
    });
}

template class Rounding<float>;
template class Rounding<double>;

}  // namespace dagmar
