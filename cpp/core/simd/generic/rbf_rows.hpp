// Weighted sums of rows of the Gaussian kernel, without storing a kernel value.
#pragma once

#include "simd/generic/kernels.hpp"
#include "simd/generic/nonzero_products.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Rows against P panels.
template <class T, std::size_t P>
inline void add_rbf_to(const WeightedRow<T>* rows, std::size_t n_rows, const T* panels, const T* norms,
                       std::size_t n_features, Vec<T> scale, T* sums) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, count = P * kPerPanel<T>;
    V all[count];
    for (std::size_t p = 0; p < count; ++p) all[p] = load<V>(sums + p * width);
    for (std::size_t q = 0; q < n_rows; ++q) {
        const Nonzeros<T>& row = rows[q].sample;
        V dots[count];
        for (std::size_t p = 0; p < count; ++p) dots[p] = V{};
        // Fetches this row's features in one of the next P panels: the prefetcher cannot predict which features a row
        // has. (Behind the last panels this fetches memory that is not used.)
        const std::size_t ahead = (P + q % P) * n_features * kLanes;
        for (std::size_t t = 0; t < row.n; ++t) {
            __builtin_prefetch(panels + ahead + static_cast<std::size_t>(row.feature[t]) * kLanes);
            add_nonzero<T, P>(row, t, panels, n_features, dots);
        }
        const V norm = splat<V>(rows[q].norm), coef = splat<V>(rows[q].coef);
#pragma GCC unroll 32
        for (std::size_t p = 0; p < count; ++p)
            all[p] += coef * gaussian<T>(dots[p], load<V>(norms + p * width), norm, scale);
    }
    for (std::size_t p = 0; p < count; ++p) store(sums + p * width, all[p]);
}

template <class T>
void add_rbf_rows(const WeightedRow<T>* rows, std::size_t n_rows, const T* panels, const T* norms, std::size_t n_panels,
                  std::size_t n_features, T gamma, T* sums) {
    const Vec<T> scale = splat<Vec<T>>(scale_of<T>(static_cast<double>(gamma)));
    in_batches<kNonzeroPanels<T>>(n_panels, [&]<std::size_t P>(std::size_t first) {
        add_rbf_to<T, P>(rows, n_rows, panels + first * n_features * kLanes, norms + first * kLanes, n_features, scale,
                         sums + first * kLanes);
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
