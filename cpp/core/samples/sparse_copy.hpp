// The nonzeros of dense samples: where most numbers are zeros, lists of nonzeros take less time and memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/costs.hpp"
#include "base/integers.hpp"
#include "base/parallel.hpp"
#include "samples/kernel.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// Dense samples are handled as sparse ones, if their kernel skips zeros (`Kernel::skips_zeros`), with more numbers than
// this (2 MiB) and at most this share of nonzeros: lists of samples by feature are then shorter than panels of all
// samples. With fingerprints of 2048 bits, of which 3 % are 1, training takes a quarter of the time and of the memory.
// Sums of differences have no other way to leave zeros out; but 50 integer codes take the time of one nonzero.
constexpr std::size_t kDenseNumbers = std::size_t{1} << 18;
constexpr double sparse_share(KernelType kernel) { return kernel == KernelType::laplacian ? 1.0 / 100.0 : 1.0 / 16.0; }

// Some dense samples as sparse ones; sample k is row k.
struct SparseCopy {
    std::vector<double> data;
    std::vector<std::int32_t> indices, indptr;
    std::size_t n_features = 0;

    SparseView view() const {
        return {.data = data.data(),
                .indices = indices.data(),
                .indptr = indptr.data(),
                .n = indptr.size() - 1,
                .d = n_features};
    }
};

template <class S>
std::size_t count_nonzeros(const S* row, std::size_t n) {
    std::size_t count = 0;
    for (std::size_t f = 0; f < n; ++f) count += row[f] != S(0) ? 1 : 0;
    return count;
}

// Whether at most this share of the numbers of some samples are not zero.
template <class S>
bool mostly_zeros(const SomeRows<S>& x, double share) {
    std::size_t n_nonzeros = 0;
    for (std::size_t i = 0; i < x.n(); ++i) n_nonzeros += count_nonzeros(x.row(i), x.d());
    return static_cast<double>(n_nonzeros) <= share * static_cast<double>(x.n() * x.d());
}

// Whether samples of a kernel that skips zeros are handled as sparse ones; some of them show how many zeros there are.
template <class S>
bool serves_as_sparse(const DenseView<S>& x, KernelType kernel) {
    constexpr std::size_t some = 256;
    return x.n * x.d > kDenseNumbers && mostly_zeros(SomeRows<S>{x, x.n / some + 1}, sparse_share(kernel));
}

template <class S>
SparseCopy copy_nonzeros(const DenseView<S>& x, std::span<const std::int64_t> samples, Spare& spare) {
    const std::size_t n = samples.size(), parts = parts_worth(static_cast<double>(n * x.d), n);
    struct Part {
        std::vector<double> data;
        std::vector<std::int32_t> indices;
        std::vector<std::size_t> counts;  // of each sample
    };
    std::vector<Part> found(parts);  // reading all samples twice, to count first, would take longer
    const auto begin_of = [&](std::size_t part) { return n * part / parts; };
    spare.run(parts, [&](std::size_t p) {
        constexpr std::size_t some = 16;  // features that are mostly zero together
        Part& part = found[p];
        for (std::size_t i = begin_of(p); i < begin_of(p + 1); ++i) {
            const S* row = x.row(usize(samples[i]));
            const std::size_t before = part.data.size();
            for (std::size_t first = 0; first < x.d; first += some) {
                const std::size_t end = std::min(x.d, first + some);
                if (count_nonzeros(row + first, end - first) == 0) continue;
                for (std::size_t f = first; f < end; ++f) {
                    if (row[f] == S(0)) continue;
                    part.data.push_back(static_cast<double>(row[f]));
                    part.indices.push_back(static_cast<std::int32_t>(f));
                }
            }
            part.counts.push_back(part.data.size() - before);
        }
    });
    SparseCopy copy{.data = {}, .indices = {}, .indptr = {0}, .n_features = x.d};
    copy.indptr.reserve(n + 1);
    std::size_t total = 0;
    for (const Part& part : found)
        for (const std::size_t count : part.counts) {
            total += count;
            if (total > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                throw std::invalid_argument("the samples have more nonzeros than can be numbered");
            copy.indptr.push_back(static_cast<std::int32_t>(total));
        }
    copy.data.reserve(total);
    copy.indices.reserve(total);
    for (Part& part : found) {
        copy.data.insert(copy.data.end(), part.data.begin(), part.data.end());
        copy.indices.insert(copy.indices.end(), part.indices.begin(), part.indices.end());
        part = {};
    }
    return copy;
}

// Some samples as sparse ones: as they are given, or a copy if they are dense. The ids must outlive it.
class AsSparse {
   public:
    AsSparse(const Samples& x, std::span<const std::int64_t> ids, Spare& spare) : ids_(ids) {
        if (const auto* view = std::get_if<SparseView>(&x)) {
            view_ = *view;
            return;
        }
        for_dense(x, [&](const auto& view) { copy_ = copy_nonzeros(view, ids, spare); });
        view_ = copy_.view();
        every_.resize(ids.size());
        std::iota(every_.begin(), every_.end(), std::int64_t{0});
        ids_ = every_;
    }
    AsSparse(const AsSparse&) = delete;
    AsSparse& operator=(const AsSparse&) = delete;

    const SparseView& view() const { return view_; }
    std::span<const std::int64_t> ids() const { return ids_; }  // in this view

   private:
    SparseView view_;
    std::span<const std::int64_t> ids_;
    SparseCopy copy_;
    std::vector<std::int64_t> every_;
};

}  // namespace dagmar
