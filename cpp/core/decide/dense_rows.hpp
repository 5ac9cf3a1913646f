// The rows of a bank's dense vectors, centred and scaled, and the nonzeros of those that are mostly zero.
#pragma once

#include <algorithm>
#include <vector>

#include "base/integers.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "integers/quantized_vectors.hpp"
#include "model/bank.hpp"

namespace dagmar {

// Writes sample i of x, minus a centre and times the kernel's scale, to a row.
template <class T>
void load_row(const Samples& x, std::size_t i, const std::vector<double>& centre, double scale, T* row) {
    for_dense(x, [&](const auto& view) {
        const auto* from = view.row(i);
        for (std::size_t f = 0; f < centre.size(); ++f)
            row[f] = static_cast<T>((static_cast<double>(from[f]) - centre[f]) * scale);
    });
}

// Immutable after construction.
template <class T>
class DenseRows {
   public:
    // Rows of vectors that are centred already have a centre of zeros.
    DenseRows(const Bank& bank, const std::vector<double>& centre, const Simd<T>& simd, const Threads& threads)
        : norms(bank.lists.n_vectors()), d_(centre.size()),
          // Rows a multiple of 2 KB apart would share few places of the first-level cache.
          stride_(d_ * sizeof(T) % 2048 == 0 ? d_ + kLanes : d_), rows_(aligned_array<T>(norms.size() * stride_)) {
        // Rows that a thread loads at a time: some hundredths of a millisecond of work.
        const std::size_t at_once = (std::size_t{1} << 15) / std::max<std::size_t>(1, d_) + 1;
        share_out(norms.size(), at_once, threads, [&](std::size_t begin, std::size_t end) {
            constexpr std::size_t few = 8;  // rows that are still in the first-level cache for their norms
            for (std::size_t first = begin; first < end; first += few) {
                const std::size_t last = std::min(end, first + few);
                for (std::size_t v = first; v < last; ++v) {
                    T* row = rows_.get() + v * stride_;
                    load_row(bank.vectors, v, centre, bank.kernel.scale, row);
                    std::fill(row + d_, row + stride_, T(0));
                }
                simd.norms_of_rows(row(first), last - first, stride_, norms.data() + first);
            }
        });
        // If none of 32 vectors is mostly zero, few of the others are.
        const std::size_t n = norms.size(), step = (n + 31) / 32;
        bool any = false;
        if (bank.kernel.of_differences()) most_ = 0;  // zeros may be left out of products only
        for (std::size_t v = 0; v < n && !any; v += step) any = n_nonzero(v) <= most_;
        if (any) {
            nonzeros_.resize(n);
            value_ = aligned_array<T>(n * most_);
            feature_ = aligned_array<std::int32_t>(n * most_);
            share_out(n, at_once, threads, [&](std::size_t begin, std::size_t end) {
                for (std::size_t v = begin; v < end; ++v) find_nonzeros(v);
            });
        }
        std::size_t n_products = 0, n_few = 0;
        for (std::size_t v = 0; v < n; ++v) {
            n_products += nonzeros(v) ? nonzeros(v)->n : d_;
            n_few += nonzeros(v) && nonzeros(v)->n > 0;
        }
        products = static_cast<double>(n_products) / static_cast<double>(std::max<std::size_t>(1, n));
        if (n_few == 0) nonzeros_.clear();
    }

    const T* row(std::size_t v) const { return rows_.get() + v * stride_; }
    std::size_t stride() const { return stride_; }  // from row to row

    // The nonzeros of a vector that is mostly zero; else null.
    const Nonzeros<T>* nonzeros(std::size_t v) const {
        return nonzeros_.empty() || !nonzeros_[v].value ? nullptr : &nonzeros_[v];
    }
    bool has_nonzeros() const { return !nonzeros_.empty(); }

    std::vector<T> norms;  // squared
    double products = 0;   // of a vector with a sample, on average: its features, or its nonzeros if they are few

   private:
    std::size_t n_nonzero(std::size_t v) const { return d_ - usize(std::count(row(v), row(v) + d_, T(0))); }

    void find_nonzeros(std::size_t v) {
        const std::size_t n = n_nonzero(v);
        if (n > most_) return;
        T* value = value_.get() + v * most_;
        std::int32_t* feature = feature_.get() + v * most_;
        nonzeros_[v] = {value, feature, n, nullptr};
        // Zeros are written, too, and then overwritten: a branch would be unpredictable.
        const T* from = row(v);
        for (std::size_t f = 0, at = 0; at < n; ++f) {
            value[at] = from[f];
            feature[at] = static_cast<std::int32_t>(f);
            at += from[f] != T(0);
        }
    }

    std::size_t d_, stride_;
    std::size_t most_ = static_cast<std::size_t>(kFewNonzeros * static_cast<double>(d_));  // nonzeros that are few
    Aligned<T> rows_;
    std::vector<Nonzeros<T>> nonzeros_;  // per vector, null where it has many; empty if all have
    Aligned<T> value_;                   // most_ places for each vector
    Aligned<std::int32_t> feature_;
};

}  // namespace dagmar
