// The body of row_distances_<level>.cpp, which set DAGMAR_LEVEL (a namespace).
#include "row_distances.hpp"

namespace dagmar::DAGMAR_LEVEL {

void distances_of_rows(const double* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                       std::size_t n_features, double* out) {
    constexpr std::size_t chains = 8;  // one would wait for every addition; and they fill a register
    typedef double V __attribute__((vector_size(chains * sizeof(double)), aligned(alignof(double)), may_alias));
    for (std::size_t t = 0; t < n; ++t) {
        const double* row = rows + static_cast<std::size_t>(vectors[t]) * n_features;
        V sums{};
        std::size_t f = 0;
        for (; f + chains <= n_features; f += chains) {
            const V difference = *reinterpret_cast<const V*>(x + f) - *reinterpret_cast<const V*>(row + f);
            sums += difference * difference;
        }
        double sum = 0;
        for (; f < n_features; ++f) sum += (x[f] - row[f]) * (x[f] - row[f]);
        for (std::size_t u = 0; u < chains; ++u) sum += sums[u];
        out[t] = sum;
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
