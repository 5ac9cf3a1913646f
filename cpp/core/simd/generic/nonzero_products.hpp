// Sums over the nonzeros of rows that are mostly zero.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Panels at a time: eight registers of sums hide the latency of one row's products.
template <class T>
constexpr std::size_t kNonzeroPanels = std::max<std::size_t>(1, 8 / kPerPanel<T>);

template <class Kind, class T>
void sums_of_nonzeros(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                      std::size_t n_features) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    in_batches<kNonzeroPanels<T>>(n_panels, [&]<std::size_t P>(std::size_t first) {
        for (std::size_t q = 0; q < n_rows; ++q) {
            const Nonzeros<T>& row = rows[q];
            V sums[P * per] = {};
            for (std::size_t t = 0; t < row.n; ++t) {
                const V x = splat<V>(row.value[t]);
                const T* lanes = panels + (first * n_features + static_cast<std::size_t>(row.feature[t])) * kLanes;
#pragma GCC unroll 32
                for (std::size_t u = 0; u < P * per; ++u)
                    sums[u] =
                        Kind::add_shared(sums[u], load<V>(lanes + u / per * n_features * kLanes + u % per * width), x);
            }
            for (std::size_t u = 0; u < P * per; ++u) store(row.out + first * kLanes + u * width, sums[u]);
        }
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
