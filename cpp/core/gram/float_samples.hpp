// Dense samples as floats: dot products over panels, then the kernel function.
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
          norms_(order_.size()), all_features_(d_) {
        std::iota(all_features_.begin(), all_features_.end(), 0);
        if (order_.size() * d_ * sizeof(T) > kMostKept) return;
        kept_rows_.resize(order_.size());
        values_ = aligned_array<T>(order_.size() * stride());
        features_ = aligned_array<std::int32_t>(order_.size() * d_);
    }

    std::size_t n_features() const { return d_; }

    Columns<T> columns(std::size_t lanes) const {
        return {aligned_array<T>(lanes * d_), aligned_array<T>(lanes), lanes};
    }

    // Scratch memory to pack samples.
    struct Room {
        Buffer<T> rows;
    };

    // Writes samples, at most kLanes, to the panel of `to` that begins with this lane; its other lanes become zero.
    void pack(std::span<const std::int32_t> samples, Columns<T>& to, std::size_t lane, Room& room) const {
        T *rows = room.rows.at_least(kLanes * stride()), *panel = to.panels.get() + lane * d_;
        for (std::size_t k = 0; k < samples.size(); ++k) gather(usize(samples[k]), rows + k * stride());
        simd_.transpose(rows, stride(), samples.size(), d_, panel, kLanes);
        simd_.norms(panel, 1, d_, to.norms.get() + lane);
    }

    // What is known of some samples that follow each other: the numbers that are multiplied in products with them.
    struct Kept {
        explicit Kept(std::size_t first_sample) : first(first_sample) {}
        std::size_t first, n_products = 0, n_values = 0, n_features = 0;
    };

    // Keeps what rows of samples need that were just packed.
    void keep(std::span<const std::int32_t> samples, const Columns<T>& from, std::size_t lane, const Room& room,
              Kept& kept) {
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const T* row = room.rows.data() + k * stride();
            const std::size_t length = length_of(row);
            norms_[usize(samples[k])] = from.norms[lane + k];
            kept.n_products += length;
            if (kept_rows_.empty()) continue;
            kept_rows_[usize(samples[k])] = squeeze(row, length, values_.get() + kept.first * stride() + kept.n_values,
                                                    features_.get() + kept.first * d_ + kept.n_features);
            kept.n_values += length == d_ ? stride() : length;
            kept.n_features += length == d_ ? 0 : length;
        }
    }

    static double products(const std::vector<Kept>& of_class, double n_samples) {
        double n = 0.0;
        for (const Kept& kept : of_class) n += static_cast<double>(kept.n_products);
        return n / n_samples;
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
        gather(asked, scratch);
        scratch.full.clear();
        scratch.few.clear();
        scratch.to.clear();
        for (std::size_t q = 0; q < asked.size(); ++q) {
            const Nonzeros<T>& row = scratch.gathered[q];
            if (row.n == d_) {
                scratch.full.push_back(row.value);
                scratch.to.push_back(out[q]);
            } else {
                scratch.few.push_back({row.value, row.feature, row.n, out[q]});
            }
        }
        if (!scratch.full.empty())
            simd_.dots(scratch.full.data(), scratch.full.size(), panels, lanes / kLanes, d_, scratch.to.data());
        if (!scratch.few.empty())
            simd_.dots_of_nonzeros(scratch.few.data(), scratch.few.size(), panels, lanes / kLanes, d_);
        for (std::size_t q = 0; q < asked.size(); ++q)
            kernel.finish(simd_, out[q], columns.norms.get() + first, norms_[usize(asked[q])], lanes);
    }

   private:
    // Samples of at most this many bytes are kept as rows, too, those with few nonzeros as these: packing them again
    // for every row takes as long as the products of mostly zero samples. Larger problems have longer kernel rows,
    // beside which it takes little time.
    static constexpr std::size_t kMostKept = std::size_t{64} << 20;

    // Between rows that are read side by side: rows of a power of two would share few places of the first-level cache.
    std::size_t stride() const { return d_ + kLanes; }

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

    // Samples as rows: those that are kept, or in the scratch memory. The same samples may be there still: tasks that
    // share a class follow each other.
    void gather(std::span<const std::int32_t> asked, GramScratch<T>& scratch) const {
        if (std::ranges::equal(asked, scratch.samples)) return;
        scratch.samples.clear();
        scratch.gathered.clear();
        if (!kept_rows_.empty()) {
            for (const std::int32_t sample : asked) scratch.gathered.push_back(kept_rows_[usize(sample)]);
            return scratch.samples.assign(asked.begin(), asked.end());
        }
        T *values = scratch.rows.at_least(asked.size() * stride() + d_), *row = values + asked.size() * stride();
        std::int32_t* features = scratch.features.at_least(asked.size() * d_);
        for (std::size_t q = 0; q < asked.size(); ++q) {
            gather(usize(asked[q]), row);
            scratch.gathered.push_back(squeeze(row, length_of(row), values + q * stride(), features + q * d_));
        }
        scratch.samples.assign(asked.begin(), asked.end());
    }

    // The numbers of a row that are multiplied: its nonzeros if they are few, else all.
    std::size_t length_of(const T* row) const {
        const std::size_t n = d_ - usize(std::count(row, row + d_, T(0)));
        return static_cast<double>(n) > kFewNonzeros * static_cast<double>(d_) ? d_ : n;
    }

    // Copies a row, or its nonzeros and their features, if it has n < d of them.
    Nonzeros<T> squeeze(const T* row, std::size_t n, T* values, std::int32_t* features) const {
        if (n == d_) {
            std::copy(row, row + d_, values);
            return {values, all_features_.data(), d_, nullptr};
        }
        for (std::size_t f = 0, at = 0; at < n; ++f) {  // without a branch, which would be unpredictable
            values[at] = row[f];
            features[at] = static_cast<std::int32_t>(f);
            at += row[f] != T(0) ? 1 : 0;
        }
        return {values, features, n, nullptr};
    }

    // Half the squared distances of a row from all lanes of some panels, negative: what a dot product is to samples
    // without a norm.
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
    std::size_t d_;
    std::vector<T> norms_;                    // of each sample
    std::vector<std::int32_t> all_features_;  // of a row with many nonzeros
    std::vector<Nonzeros<T>> kept_rows_;      // of each sample, in what follows; empty if they are not kept
    Aligned<T> values_;
    Aligned<std::int32_t> features_;  // of rows with few nonzeros
};

}  // namespace dagmar
