#include "decide/rounding.hpp"

#include <algorithm>
#include <cmath>

#include "base/integers.hpp"
#include "simd/simd.hpp"

namespace dagmar {
namespace {

constexpr std::size_t kTogether = 4;  // samples that share the vectors of a machine

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

template <class A, class B>
double distance_of(const A* a, const B* b, std::size_t d) {
    return sum_of_chains(d, [&](std::size_t f) {
        const double difference = static_cast<double>(a[f]) - static_cast<double>(b[f]);
        return difference * difference;
    });
}

template <class A, class B>
double dot_of(const A* a, const B* b, const std::vector<double>& origin) {
    return sum_of_chains(origin.size(), [&](std::size_t f) {
        return (static_cast<double>(a[f]) - origin[f]) * (static_cast<double>(b[f]) - origin[f]);
    });
}

template <class View>
constexpr bool kSparse = std::is_same_v<View, SparseView>;

}  // namespace

template <class T>
Rounding<T>::Rounding(const Vectors<T>& vectors, const Threads& threads)
    : v_(vectors), whole_(vectors.bank.whole ? *vectors.bank.whole : vectors.bank),
      sizes_(vectors.bank, kArithmetic<T>, threads), origin_(whole_.centre.begin(), whole_.centre.end()) {
    // Sparse vectors have no centre, and may have very many features.
    if (!std::holds_alternative<SparseView>(whole_.vectors)) origin_.resize(n_features(whole_.vectors), 0.0);
}

template <class T>
double Rounding<T>::exact(const Samples& x, std::size_t i, std::size_t m) const {
    const auto visit = [&](const auto& samples, const auto& pool) { return terms(samples, i, pool, m); };
    const double value = std::visit(visit, x, whole_.vectors) + whole_.lists.bias[m];
    check_value(value);
    return value;
}

template <class T>
template <class X, class Pool>
double Rounding<T>::terms(const X& x, std::size_t i, const Pool& pool, std::size_t m) const {
    const bool rbf = whole_.kernel.type == KernelType::rbf;
    double sum = 0;
    if constexpr (std::is_same_v<X, DenseView<double>> && std::is_same_v<Pool, DenseView<double>>)
        if (rbf) {
            const double* row = x.row(i);
            rbf_terms(&row, 1, pool, m, &sum);
            return sum;
        }
    const auto& lists = whole_.lists;
    for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
        const std::size_t v = usize(lists.index[t]);
        DotAndDistance found{};
        if constexpr (kSparse<X> && kSparse<Pool>)
            found = compare_rows(x, i, pool, v);
        else if constexpr (!kSparse<X> && !kSparse<Pool>)  // one of each is refused before
            (rbf ? found.distance : found.dot) =
                rbf ? distance_of(x.row(i), pool.row(v), pool.d) : dot_of(x.row(i), pool.row(v), origin_);
        sum += lists.coef[t] * whole_.kernel_of(v).value(found.dot, found.distance);
    }
    return sum;
}

template <class T>
void Rounding<T>::rbf_terms(const double* const* x, std::size_t n_x, const DenseView<double>& pool, std::size_t m,
                            double* sums) const {
    constexpr std::size_t at_once = 16 * kLanes;
    constexpr double faintest = -static_cast<double>(kFaintest<double>) * 0.693;  // SIMD returns zeros beyond it
    const auto& lists = whole_.lists;
    const auto begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    double distances[kTogether][at_once], values[at_once], gamma[at_once];
    double* out[kTogether];
    for (std::size_t s = 0; s < n_x; ++s) out[s] = distances[s];
    std::fill(sums, sums + n_x, 0.0);
    for (std::size_t first = begin; first < end; first += at_once) {
        const std::size_t n = std::min(at_once, end - first);
        simd<double>(v_.level).row_distances(x, n_x, pool.data, lists.index.data() + first, n, pool.d, out);
        std::fill(gamma, gamma + padded(n), whole_.kernel.gamma);
        if (!whole_.gammas.empty())
            for (std::size_t t = 0; t < n; ++t) gamma[t] = whole_.gammas[usize(lists.index[first + t])];
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
    const auto *samples = std::get_if<DenseView<double>>(&x), *pool = std::get_if<DenseView<double>>(&whole_.vectors);
    const bool together = samples && pool && whole_.kernel.type == KernelType::rbf;
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
        for (std::size_t s = 0; s < kTogether; ++s)  // three samples and a copy of one take the time of four
            rows[s] = samples->row(questions[first + std::min(s, n - 1)].sample);
        rbf_terms(rows, n == 3 ? kTogether : n, *pool, m, sums);
        for (std::size_t s = 0; s < n; ++s) {
            questions[first + s].value = sums[s] + whole_.lists.bias[m];
            check_value(questions[first + s].value);
        }
    });
}

template class Rounding<float>;
template class Rounding<double>;

}  // namespace dagmar
