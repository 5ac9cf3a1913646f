#include "decide/exact_values.hpp"

#include <algorithm>
#include <cmath>

#include "base/chains.hpp"
#include "base/integers.hpp"
#include "simd/simd.hpp"

namespace dagmar {
namespace {

// What the kernel is a function of, for two rows: their distance, <a,b> around the origin, or a Tanimoto value.
template <class A, class B>
double compare(const Kernel& kernel, const A* a, const B* b, const std::vector<double>& origin) {
    const auto at = [](const auto* row, std::size_t f) { return static_cast<double>(row[f]); };
    const auto distance = [&] {
        return sum_of_chains(origin.size(), [&](std::size_t f) { return kernel.term(at(a, f), at(b, f)); });
    };
    if (kernel.of_distance()) return distance();
    const double dot =
        sum_of_chains(origin.size(), [&](std::size_t f) { return (at(a, f) - origin[f]) * (at(b, f) - origin[f]); });
    return kernel.type == KernelType::tanimoto ? tanimoto(dot, distance()) : dot;
}

template <class View>
constexpr bool kSparse = std::is_same_v<View, SparseView>;

}  // namespace

ExactValues::ExactValues(const Bank& bank, Level level)
    : bank_(bank.whole ? *bank.whole : bank), level_(level), origin_(bank_.centre.begin(), bank_.centre.end()) {
    // Sparse vectors have no centre, and may have very many features.
    if (!std::holds_alternative<SparseView>(bank_.vectors)) origin_.resize(n_features(bank_.vectors), 0.0);
}

double ExactValues::value(const Samples& x, std::size_t i, std::size_t m) const {
    const Kernel& kernel = bank_.kernel;
    const auto& lists = bank_.lists;
    const auto sum_of_terms = [&](const auto& samples, const auto& pool) {
        using X = std::decay_t<decltype(samples)>;
        using Pool = std::decay_t<decltype(pool)>;
        if constexpr (std::is_same_v<X, DenseView<double>> && std::is_same_v<Pool, DenseView<double>>)
            if (kernel.of_distance()) return sum_by_distances(samples.row(i), pool, m);
        double sum = 0;
        for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
            const std::size_t v = usize(lists.index[t]);
            double found = 0;
            if constexpr (kSparse<X> && kSparse<Pool>)
                found = compare_rows(kernel, samples, i, pool, v);
            else if constexpr (!kSparse<X> && !kSparse<Pool>)  // one of each is refused before
                found = compare(kernel, samples.row(i), pool.row(v), origin_);
            sum += lists.coef[t] * bank_.kernel_of(v).value(found);
        }
        return sum;
    };
    const double value = std::visit(sum_of_terms, x, bank_.vectors) + lists.bias[m];
    check_value(value);
    return value;
}

double ExactValues::sum_by_distances(const double* x, const DenseView<double>& pool, std::size_t m) const {
    constexpr std::size_t at_once = 16 * kLanes;
    constexpr double faintest = -static_cast<double>(kFaintest<double>) * 0.693;  // SIMD returns zeros beyond it
    const auto& lists = bank_.lists;
    const Simd<double>& simd = dagmar::simd<double>(level_);
    const auto* passes = bank_.kernel.passes(simd);
    const auto find_distances = passes ? passes->exact : simd.row_distances;
    const auto begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    double distances[at_once], values[at_once], gamma[at_once], sum = 0;
    for (std::size_t first = begin; first < end; first += at_once) {
        const std::size_t n = std::min(at_once, end - first);
        std::fill(distances, distances + padded(n), 0.0);
        std::fill(gamma, gamma + padded(n), bank_.kernel.gamma);
        find_distances(x, pool.data, lists.index.data() + first, n, pool.d, distances);
        if (!bank_.gammas.empty())
            for (std::size_t t = 0; t < n; ++t) gamma[t] = bank_.gammas[usize(lists.index[first + t])];
        std::copy(distances, distances + padded(n), values);
        simd.decay_each(values, gamma, padded(n));
        for (std::size_t t = 0; t < n; ++t) {
            const double y = gamma[t] * distances[t];
            sum += lists.coef[first + t] * (y < faintest ? values[t] : std::exp(-y));
        }
    }
    return sum;
}

}  // namespace dagmar
