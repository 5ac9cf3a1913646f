// Dot products and norms of dense samples.
#pragma once

#include "simd/generic/rows_and_panels.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Row-major rows at any place, and panels.
template <class T>
struct DotOperands {
    const T* const* rows;
    std::size_t n_vectors;
    const T* panels;
    std::size_t n_panels, n_words;

    const T* row(std::size_t q) const { return rows[q]; }
};

// Sums of samples of this kind.
template <class Kind, class T>
void sums_of_rows(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                  std::size_t n_features, T* const* out) {
    every_row<Kind>(DotOperands<T>{rows, n_rows, panels, n_panels, n_features},
                    [&](std::size_t q, std::size_t lane, Vec<T> sums) { store(out[q] + lane, sums); });
}

template <class Kind, class T>
void sums_alone(const T* x, const T* const* rows, std::size_t n_rows, std::size_t n_features, T* out) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    const std::size_t whole = n_features / width * width;
    const auto dot_with = [&]<std::size_t Count>(std::size_t first) {
        V sums[Count] = {};
        for (std::size_t f = 0; f < whole; f += width) {
            const V lanes = load<V>(x + f);
#pragma GCC unroll 4
            for (std::size_t i = 0; i < Count; ++i)
                sums[i] = Kind::add_products(sums[i], lanes, load<V>(rows[first + i] + f));
        }
        for (std::size_t i = 0; i < Count; ++i) {
            T sum = 0;
            for (std::size_t u = 0; u < width; ++u) sum += sums[i][u];
            for (std::size_t f = whole; f < n_features; ++f) sum = Kind::add_product(sum, x[f], rows[first + i][f]);
            out[first + i] = sum;
        }
    };
    in_batches<4>(n_rows, dot_with);  // four rows hide the latency of the sums
}

template <class T>
void norms_of_rows(const T* rows, std::size_t n_rows, std::size_t n_features, T* out) {
    // As vectors of one value, so that the compiler fuses the same operations as in `dots`. Eight rows hide the
    // latency of the sums.
    using V = Vec<T>;
    const auto chains = [&]<std::size_t Count>(std::size_t first) {
        V sums[Count] = {};
        for (std::size_t f = 0; f < n_features; ++f)
#pragma GCC unroll 8
            for (std::size_t i = 0; i < Count; ++i) {
                const V x = splat<V>(rows[(first + i) * n_features + f]);
                sums[i] += x * x;
            }
        for (std::size_t i = 0; i < Count; ++i) out[first + i] = sums[i][0];
    };
    in_batches<8>(n_rows, chains);
}

template <class T>
void norms(const T* panels, std::size_t n_panels, std::size_t n_features, T* out) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    for (std::size_t p = 0; p < n_panels; ++p) {
        V sums[per] = {};
        for (std::size_t f = 0; f < n_features; ++f)
#pragma GCC unroll 8
            for (std::size_t u = 0; u < per; ++u) {
                const V x = load<V>(panels + (p * n_features + f) * kLanes + u * width);
                sums[u] += x * x;
            }
        for (std::size_t u = 0; u < per; ++u) store(out + p * kLanes + u * width, sums[u]);
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
