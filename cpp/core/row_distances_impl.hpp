// The body of row_distances_<level>.cpp, which set DAGMAR_LEVEL (a namespace) and DAGMAR_BYTES (register width).
#include "row_distances.hpp"
#include "simd_vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

void distances_of_rows(const double* x, const double* rows, const std::int32_t* vectors, std::size_t n,
                       std::size_t n_features, double* out) {
    using V = Vec<double>;
    constexpr std::size_t chains = 8, width = kWidth<double>;  // one chain would wait for every addition
    for (std::size_t t = 0; t < n; ++t) {
        const double* row = rows + static_cast<std::size_t>(vectors[t]) * n_features;
        V sums[chains / width] = {};
        std::size_t f = 0;
        for (; f + chains <= n_features; f += chains)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < chains / width; ++u) {
                const V difference = load<V>(x + f + u * width) - load<V>(row + f + u * width);
                sums[u] += difference * difference;
            }
        double parts[chains], sum = 0;
        for (; f < n_features; ++f) sum += (x[f] - row[f]) * (x[f] - row[f]);
        for (std::size_t u = 0; u < chains / width; ++u) store(parts + u * width, sums[u]);
        for (std::size_t u = 0; u < chains; ++u) sum += parts[u];
        out[t] = sum;
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
