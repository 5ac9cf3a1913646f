#include "samples/samples.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/costs.hpp"
#include "base/integers.hpp"
#include "base/memory.hpp"

namespace dagmar {

void check(const SparseView& x, std::size_t n_stored) {
    if (x.indptr[0] != 0 || !std::is_sorted(x.indptr, x.indptr + x.n + 1) || usize(x.indptr[x.n]) > n_stored)
        throw std::invalid_argument("indptr of the sparse samples must ascend from 0 to at most the stored entries");
    const std::int64_t d = static_cast<std::int64_t>(std::min(x.d, std::size_t{1} << 31));
    for (std::size_t i = 0; i < x.n; ++i) {
        std::int64_t before = -1;
        for (std::int32_t t = x.indptr[i]; t < x.indptr[i + 1]; ++t) {
            const std::int64_t f = x.indices[t];
            if (f <= before || f >= d)
                throw std::invalid_argument("indices of sparse row " + std::to_string(i) +
                                            " must ascend, without duplicates, from 0 to below " + std::to_string(x.d));
            before = f;
        }
    }
}

DotAndDistance compare_rows(const SparseView& x, std::size_t i, const SparseView& z, std::size_t k) {
    DotAndDistance sum{0.0, 0.0};
    std::int32_t a = x.indptr[i], b = z.indptr[k];
    const std::int32_t end_a = x.indptr[i + 1], end_b = z.indptr[k + 1];
    while (a < end_a || b < end_b) {  // merge two ascending lists
        const bool from_a = a < end_a && (b == end_b || x.indices[a] <= z.indices[b]);
        const bool from_b = b < end_b && (a == end_a || z.indices[b] <= x.indices[a]);
        const double in_a = from_a ? x.data[a] : 0.0, in_b = from_b ? z.data[b] : 0.0;
        sum.dot += in_a * in_b;
        sum.distance += (in_a - in_b) * (in_a - in_b);
        a += from_a;
        b += from_b;
    }
    return sum;
}

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

template <class S>
void copy_rows(const DenseView<S>& x, std::span<const std::int64_t> index, Spare& spare, S* out) {
    const std::size_t n = index.size(), parts = parts_worth(static_cast<double>(n * x.d), n);
    spare.run(parts, [&](std::size_t part) {
        for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i)
            std::copy_n(x.row(usize(index[i])), x.d, out + i * x.d);
    });
}

template void pack_panels(const DenseView<float>&, const std::int64_t*, std::size_t, const double*, double, float*);
template void pack_panels(const DenseView<double>&, const std::int64_t*, std::size_t, const double*, double, float*);
template void pack_panels(const DenseView<float>&, const std::int64_t*, std::size_t, const double*, double, double*);
template void pack_panels(const DenseView<double>&, const std::int64_t*, std::size_t, const double*, double, double*);
template void copy_rows(const DenseView<float>&, std::span<const std::int64_t>, Spare&, float*);
template void copy_rows(const DenseView<double>&, std::span<const std::int64_t>, Spare&, double*);

}  // namespace dagmar
