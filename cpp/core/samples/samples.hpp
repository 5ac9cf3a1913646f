// Samples as Python holds them: views that own nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "base/integers.hpp"
#include "samples/kernel.hpp"
#include "simd/simd.hpp"

namespace dagmar {

// Row-major samples; for a precomputed kernel, rows of kernel values with the training samples.
template <class S>
struct DenseView {
    const S* data = nullptr;
    std::size_t n = 0, d = 0;
    const S* row(std::size_t i) const { return data + i * d; }
};

// Every `every`-th row, from the first one on.
template <class S>
struct SomeRows {
    DenseView<S> of;
    std::size_t every = 1;
    std::size_t n() const { return (of.n + every - 1) / every; }
    std::size_t d() const { return of.d; }
    const S* row(std::size_t i) const { return of.row(i * every); }
};

// Compressed sparse rows.
struct SparseView {
    const double* data = nullptr;
    const std::int32_t* indices = nullptr;
    const std::int32_t* indptr = nullptr;
    std::size_t n = 0, d = 0;
};

// Throws std::invalid_argument unless the rows stay inside their arrays of n_stored entries and the indices of each row
// ascend within the features.
void check(const SparseView& x, std::size_t n_stored);

using Samples = std::variant<DenseView<double>, DenseView<float>, SparseView>;

inline std::size_t n_samples(const Samples& x) {
    return std::visit([](const auto& view) { return view.n; }, x);
}
inline std::size_t n_features(const Samples& x) {
    return std::visit([](const auto& view) { return view.d; }, x);
}

// Calls a function with the view of dense samples.
template <class Visit>
void for_dense(const Samples& x, const Visit& visit) {
    const auto visit_dense = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>) visit(view);
    };
    std::visit(visit_dense, x);
}

// What a kernel is a function of, for row i of x and row k of z, in double precision: <x,z>, or the distance (from
// differences).
double compare_rows(const Kernel& kernel, const SparseView& x, std::size_t i, const SparseView& z, std::size_t k);

// Writes samples index[0 ... n-1] into panels, after subtracting the centre (unless null) and multiplying by the scale;
// lanes past n are zero.
template <class T, class S>
void pack_panels(const DenseView<S>& x, const std::int64_t* index, std::size_t n, const double* centre, double scale,
                 T* panels) {
    for (std::size_t first = 0; first < n; first += kLanes) {
        T* panel = panels + first * x.d;
        const std::size_t count = std::min(kLanes, n - first);
        if (count < kLanes) std::fill(panel, panel + kLanes * x.d, T(0));
        // A few features at a time: this part of the panel stays in the first-level cache until all lanes are written.
        constexpr std::size_t few = 128;
        for (std::size_t begin = 0; begin < x.d; begin += few)
            for (std::size_t lane = 0; lane < count; ++lane) {
                const S* row = x.row(usize(index[first + lane]));
                for (std::size_t f = begin; f < std::min(x.d, begin + few); ++f) {
                    const double value = static_cast<double>(row[f]);
                    panel[f * kLanes + lane] = static_cast<T>((centre ? value - centre[f] : value) * scale);
                }
            }
    }
}

}  // namespace dagmar
