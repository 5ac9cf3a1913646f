// Dense samples as floats: dot products or distances over panels, then the kernel function.
#pragma once

#include "gram/gram.hpp"

namespace dagmar {

// One of the two kinds of samples that DenseGram may have (gram/dense.hpp). Panels hold samples minus the centre and
// times the kernel's scale.
template <class T, class S>
class FloatSamples {
   public:
    FloatSamples(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd)
        : x_(x), order_(problem.order), centre_(problem.centre), kernel_(problem.kernel), simd_(simd), d_(x.d),
          most_few_(static_cast<std::size_t>(kFewNonzeros * static_cast<double>(d_))), rows_(order_.size()),
          norms_(order_.size()), values_(aligned_array<T>(order_.size() * stride())),
          features_(aligned_array<std::int32_t>(order_.size() * most_few_)) {}

    std::size_t n_features() const { return d_; }
    T norm(std::size_t sample) const { return norms_[sample]; }

    Columns<T> columns(std::size_t lanes) const {
        return {aligned_array<T>(lanes * d_), aligned_array<T>(lanes), lanes};
    }

    // Writes samples, at most kLanes, to the panel of `to` that begins with this lane; its other lanes become zero.
    void pack(std::span<const std::int32_t> samples, Columns<T>& to, std::size_t lane) const {
        const auto rows = aligned_array<T>(kLanes * stride());
        for (std::size_t k = 0; k < samples.size(); ++k) gather(usize(samples[k]), rows.get() + k * stride());
        pack_rows(rows.get(), samples.size(), to, lane);
    }

    // Packs adjacent samples, and keeps them as rows: the nonzeros if they are few, else all numbers. Zeros may be left
    // out of products only.
    void load(std::span<const std::int32_t> samples, Columns<T>& to, std::size_t lane) {
        T* rows = values_.get() + usize(samples.front()) * stride();
        for (std::size_t k = 0; k < samples.size(); ++k) gather(usize(samples[k]), rows + k * stride());
        pack_rows(rows, samples.size(), to, lane);
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const std::size_t sample = usize(samples[k]);
            T* row = rows + k * stride();
            std::int32_t* features = features_.get() + sample * most_few_;
            std::size_t n = d_ - usize(std::count(row, row + d_, T(0)));
            if (n > most_few_ || kernel_.of_differences()) n = d_;
            for (std::size_t f = 0, at = 0; n < d_ && at < n; ++f) {  // without a branch: it would be unpredictable
                const T value = row[at] = row[f];
                features[at] = static_cast<std::int32_t>(f);
                at += value != T(0) ? 1 : 0;
            }
            rows_[sample] = {row, features, n, nullptr};
            norms_[sample] = to.norms[lane + k];
        }
    }

    // Numbers that are multiplied in products with these samples, on average.
    double products(std::size_t first, std::size_t end) const {
        double n = 0.0;
        for (std::size_t sample = first; sample < end; ++sample) n += static_cast<double>(rows_[sample].n);
        return n / std::max(1.0, static_cast<double>(end - first));
    }

    // out[q][k] = K(asked[q], lane first + k) for some lanes of some columns.
    void rows(const Columns<T>& columns, std::size_t first, std::size_t lanes, std::span<const std::int32_t> asked,
              double gamma, T* const* out, GramScratch<T>& scratch) const {
        const Kernel kernel = kernel_.with_gamma(gamma);
        const T* panels = columns.panels.get() + first * d_;
        if (kernel.by_differences && kernel.type == KernelType::rbf) {
            const std::vector<T> no_norms(lanes, T(0));
            std::vector<T> row(d_);
            for (std::size_t q = 0; q < asked.size(); ++q) {
                gather(usize(asked[q]), row.data());
                differences(row.data(), panels, lanes, out[q]);
                kernel.finish(simd_, out[q], no_norms.data(), T(0), lanes);
            }
            return;
        }
        scratch.full.clear();
        scratch.few.clear();
        scratch.to.clear();
        for (std::size_t q = 0; q < asked.size(); ++q) {
            const Nonzeros<T>& row = rows_[usize(asked[q])];
            if (row.n == d_) {
                scratch.full.push_back(row.value);
                scratch.to.push_back(out[q]);
            } else {
                scratch.few.push_back({row.value, row.feature, row.n, out[q]});
            }
        }
        const auto* passes = kernel.passes(simd_);
        const auto sums = passes ? passes->rows : simd_.dots;
        if (!scratch.full.empty())
            sums(scratch.full.data(), scratch.full.size(), panels, lanes / kLanes, d_, scratch.to.data());
        if (!scratch.few.empty())
            simd_.dots_of_nonzeros(scratch.few.data(), scratch.few.size(), panels, lanes / kLanes, d_);
        for (std::size_t q = 0; q < asked.size(); ++q)
            kernel.finish(simd_, out[q], columns.norms.get() + first, norms_[usize(asked[q])], lanes);
    }

   private:
    // Between rows that are read side by side: rows of a power of two would share few places of the first-level cache.
    std::size_t stride() const { return d_ + kLanes; }

    void pack_rows(const T* rows, std::size_t n, Columns<T>& to, std::size_t lane) const {
        T* panel = to.panels.get() + lane * d_;
        simd_.transpose(rows, stride(), n, d_, panel, kLanes);
        simd_.norms(panel, 1, d_, to.norms.get() + lane);
    }

    // A sample as in its panel, from the user's row: in the panel each feature is in another cache line.
    void gather(std::size_t sample, T* row) const {
        const S* from = x_.row(usize(order_[sample]));
        const double scale = kernel_.scale;
        if (centre_.empty())
            for (std::size_t f = 0; f < d_; ++f) row[f] = static_cast<T>(static_cast<double>(from[f]) * scale);
        else
            for (std::size_t f = 0; f < d_; ++f)
                row[f] = static_cast<T>((static_cast<double>(from[f]) - centre_[f]) * scale);
    }

    // -|a - b|^2 / 2 of a row and all lanes of some panels: beside norms of 0, the kernel function takes that for a dot
    // product and finds |a - b|^2.
    void differences(const T* row, const T* panels, std::size_t lanes, T* out) const {
        for (std::size_t first = 0; first < lanes; first += kLanes) {
            T sums[kLanes] = {};
            const T* panel = panels + first * d_;
            for (std::size_t f = 0; f < d_; ++f)
                for (std::size_t lane = 0; lane < kLanes; ++lane) {
                    const T difference = row[f] - panel[f * kLanes + lane];
                    sums[lane] += difference * difference;
                }
            for (std::size_t lane = 0; lane < kLanes; ++lane) out[first + lane] = T(-0.5) * sums[lane];
        }
    }

    DenseView<S> x_;
    std::span<const std::int64_t> order_;
    std::span<const double> centre_;
    Kernel kernel_;
    const Simd<T>& simd_;
    std::size_t d_, most_few_;       // features; nonzeros that are few
    std::vector<Nonzeros<T>> rows_;  // of each sample, in what follows
    std::vector<T> norms_;
    Aligned<T> values_;
    Aligned<std::int32_t> features_;  // of rows with few nonzeros
};

}  // namespace dagmar
