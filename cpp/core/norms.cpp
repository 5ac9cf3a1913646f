#include "norms.hpp"

#include <algorithm>

namespace dagmar {
namespace {

// Sums side by side, to hide the latency of additions.
constexpr std::size_t kSums = 8;
// Numbers of samples that are worth another thread.
constexpr std::size_t kWorthAThread = std::size_t{1} << 17;

template <class Term>
double sum_of_squares(std::size_t n, const Term& term) {
    double sums[kSums] = {};
    std::size_t f = 0;
    for (; f + kSums <= n; f += kSums)
        for (std::size_t u = 0; u < kSums; ++u) sums[u] += term(f + u) * term(f + u);
    for (std::size_t u = 0; f < n; ++f, ++u) sums[u] += term(f) * term(f);
    for (std::size_t u = 1; u < kSums; ++u) sums[0] += sums[u];
    return sums[0];
}

template <class S>
double squared_norm(const DenseView<S>& x, std::size_t i, std::span<const double> centre) {
    const S* row = x.row(i);
    if (centre.empty()) return sum_of_squares(x.d, [&](std::size_t f) { return static_cast<double>(row[f]); });
    return sum_of_squares(x.d, [&](std::size_t f) { return static_cast<double>(row[f]) - centre[f]; });
}

}  // namespace

template <class S>
void squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare, double* out) {
    const std::size_t parts = std::max<std::size_t>(1, x.n * x.d / kWorthAThread);
    spare.run(parts, [&](std::size_t part) {
        for (std::size_t i = x.n * part / parts; i < x.n * (part + 1) / parts; ++i) out[i] = squared_norm(x, i, centre);
    });
}

template void squared_norms(const DenseView<float>&, std::span<const double>, Spare&, double*);
template void squared_norms(const DenseView<double>&, std::span<const double>, Spare&, double*);

}  // namespace dagmar
