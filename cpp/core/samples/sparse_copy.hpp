// The nonzeros of dense samples.
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
#include "samples/samples.hpp"

namespace dagmar {

// Some dense samples as sparse ones.
struct SparseCopy {
    std::vector<double> data;
    std::vector<std::int32_t> indices, indptr;
    std::vector<std::int64_t> order;  // 0, 1, ...: each sample is a row of its own
    std::size_t n_features = 0;

    SparseView view() const {
        return {.data = data.data(),
                .indices = indices.data(),
                .indptr = indptr.data(),
                .n = order.size(),
                .d = n_features};
    }
};

template <class S>
std::size_t count_nonzeros(const S* row, std::size_t n) {
    std::size_t count = 0;
    for (std::size_t f = 0; f < n; ++f) count += row[f] != S(0) ? 1 : 0;
    return count;
}

template <class S>
SparseCopy copy_nonzeros(const DenseView<S>& x, std::span<const std::int64_t> samples, Spare& spare) {
    const std::size_t n = samples.size(), parts = parts_worth(static_cast<double>(n * x.d), n);
    const auto in_parts = [&](const auto& work) {
        spare.run(parts, [&](std::size_t part) {
            for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i) work(i, x.row(usize(samples[i])));
        });
    };
    std::vector<std::size_t> count(n, 0);
    in_parts([&](std::size_t i, const S* row) { count[i] = count_nonzeros(row, x.d); });
    SparseCopy copy{.data = {}, .indices = {}, .indptr = {0}, .order = std::vector<std::int64_t>(n), .n_features = x.d};
    std::iota(copy.order.begin(), copy.order.end(), std::int64_t{0});
    std::size_t total = 0;
    for (const std::size_t one : count) {
        total += one;
        if (total > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw std::invalid_argument("the samples have more nonzeros than can be numbered");
        copy.indptr.push_back(static_cast<std::int32_t>(total));
    }
    copy.data.resize(total);
    copy.indices.resize(total);
    in_parts([&](std::size_t i, const S* row) {
        constexpr std::size_t some = 16;  // features that are mostly zero together
        std::size_t at = usize(copy.indptr[i]);
        for (std::size_t first = 0; first < x.d; first += some) {
            const std::size_t end = std::min(x.d, first + some);
            if (count_nonzeros(row + first, end - first) == 0) continue;
            for (std::size_t f = first; f < end; ++f) {
                if (row[f] == S(0)) continue;
                copy.data[at] = static_cast<double>(row[f]);
                copy.indices[at++] = static_cast<std::int32_t>(f);
            }
        }
    });
    return copy;
}

}  // namespace dagmar
