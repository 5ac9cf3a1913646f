#include "decide_rounding.hpp"

#include "integers.hpp"

namespace dagmar {

template <class T>
Allowance Rounding<T>::allowance(T norm2, bool exact_distances) const {
    if (exact_distances) return sizes_.allowance(0.0, 0.0, v_.longest);
    return sizes_.allowance(v_.bank.kernel.unscale2(static_cast<double>(norm2)), v_.largest_norm2, v_.longest);
}

namespace {

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
        else if constexpr (!sparse_samples && !sparse_pool)
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
    };
    std::visit(add_terms, x, bank.vectors);
    sum += lists.bias[m];
    check_value(sum);
    return sum;
}

template class Rounding<float>;
template class Rounding<double>;

}  // namespace dagmar
