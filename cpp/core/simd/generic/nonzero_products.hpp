// Dot products of rows that are mostly zero.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Panels at a time: eight registers of sums hide the latency of one row's products.
template <class T>
constexpr std::size_t kNonzeroPanels = std::max<std::size_t>(1, 8 / kPerPanel<T>);

// Nonzeros begin ... end-1 of a row against P panels, added to the sums of those before.
template <class T, std::size_t P>
inline void nonzeros_against(const Nonzeros<T>& row, std::size_t begin, std::size_t end, const T* panels,
                             std::size_t n_features, std::size_t at) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>, count = P * per;
    V sums[count];
    for (std::size_t p = 0; p < count; ++p) sums[p] = begin == 0 ? V{} : load<V>(row.out + at + p * width);
    for (std::size_t t = begin; t < end; ++t) {
        const V x = splat<V>(row.value[t]);
        const T* lanes = panels + static_cast<std::size_t>(row.feature[t]) * kLanes;
#pragma GCC unroll 32
        for (std::size_t p = 0; p < count; ++p)
            sums[p] += x * load<V>(lanes + p / per * n_features * kLanes + p % per * width);
    }
    for (std::size_t p = 0; p < count; ++p) store(row.out + at + p * width, sums[p]);
}

// Rows against P panels, in parts of the features that stay in the first-level cache while all rows pass over them.
template <class T, std::size_t P>
inline void nonzeros_in_parts(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_features,
                              std::size_t at) {
    constexpr std::size_t at_once = 128, part = (std::size_t{24} << 10) / (P * kLanes * sizeof(T));
    for (std::size_t first = 0; first < n_rows; first += at_once) {
        const std::size_t n = std::min(at_once, n_rows - first);
        std::size_t begin[at_once] = {};
        for (std::size_t last = part;; last += part) {
            for (std::size_t q = 0; q < n; ++q) {
                const Nonzeros<T>& row = rows[first + q];
                std::size_t end = begin[q];
                if (last >= n_features)
                    end = row.n;
                else
                    while (end < row.n && static_cast<std::size_t>(row.feature[end]) < last) ++end;
                if (end > begin[q] || end == 0) nonzeros_against<T, P>(row, begin[q], end, panels, n_features, at);
                begin[q] = end;
            }
            if (last >= n_features) break;
        }
    }
}

template <class T>
void dots_of_nonzeros(const Nonzeros<T>* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                      std::size_t n_features) {
    in_batches<kNonzeroPanels<T>>(n_panels, [&]<std::size_t P>(std::size_t first) {
        nonzeros_in_parts<T, P>(rows, n_rows, panels + first * n_features * kLanes, n_features, first * kLanes);
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
