// Sparse samples in lanes, for dot products or distances of other sparse rows with all of them.
//
// Most products of two texts come from a few *common* features, while most features are rare. Common features are
// stored in panels, zeros included, and vector instructions multiply them by the nonzeros of a row. A rare feature has
// a list of the lanes in which it occurs, and a row visits only the lists of its own features. A dot product is a sum
// over common features, then over rare ones, each in ascending order. So its bits depend on the two samples and on
// which features are common, but not on which of the two is the row. Kernels of differences likewise add up what the
// shared features of two samples take off the sum of their sizes (DistancePasses::shared_of_nonzeros).
#pragma once

#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "samples/kernel.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// The number of nonzeros of some samples.
inline std::size_t n_stored(const SparseView& x, std::span<const std::int64_t> samples) {
    std::size_t n = 0;
    for (const std::int64_t i : samples) n += usize(x.indptr[i + 1] - x.indptr[i]);
    return n;
}

// A feature, and the number of samples in which it occurs.
struct Occurrence {
    std::int32_t feature;
    std::size_t count;
};

// The common features among those that occur in some samples, if the samples take `n_lanes` lanes.
std::vector<std::int32_t> common_features(const std::vector<Occurrence>& found, std::size_t n_lanes);

// Numbers the features that occur in some samples: common ones 0 ... n_common-1, rare ones 0 ... n_rare-1. Its memory
// is proportional to the nonzeros of the samples, not to their columns.
class FeaturePlaces {
   public:
    // n_lanes: the number of lanes that the samples will take. common: the common features, ascending, if known.
    FeaturePlaces(const SparseView& x, std::span<const std::int64_t> samples, std::size_t n_lanes,
                  std::optional<std::span<const std::int32_t>> common = {});

    static constexpr std::int32_t kNone = -1;
    // The place of a common feature, n_common plus the place of a rare one, or kNone if it does not occur.
    std::int32_t find(std::int32_t feature) const {
        if (!wide_) return place_[usize(feature)];
        const auto at = std::lower_bound(occurring_.begin(), occurring_.end(), feature);
        return at != occurring_.end() && *at == feature ? place_[usize(at - occurring_.begin())] : kNone;
    }

    std::size_t n_common() const { return n_common_; }
    std::size_t n_rare() const { return n_rare_; }

   private:
    bool wide_;                            // far more features than nonzeros
    std::vector<std::int32_t> occurring_;  // if wide: the features that occur, ascending
    std::vector<std::int32_t> place_;      // of every feature; if wide, of those that occur
    std::size_t n_common_ = 0, n_rare_ = 0;
};

// Samples as rows of nonzeros, with places for features.
template <class T>
class SparseRows {
   public:
    // Replaces the rows by some samples, times scale. Features without a place count only in the norms.
    void load(const SparseView& x, std::span<const std::int64_t> samples, const FeaturePlaces& places, double scale,
              const Simd<T>& simd) {
        const auto n_common = static_cast<std::int32_t>(places.n_common());
        begin_.assign(1, 0);
        middle_.clear();
        value_.clear();
        feature_.clear();
        const std::size_t n_nonzeros = n_stored(x, samples);
        value_.reserve(n_nonzeros);
        feature_.reserve(n_nonzeros);
        norm_.assign(samples.size(), T(0));
        size_.assign(samples.size(), T(0));
        std::vector<T> value;  // of rare features
        std::vector<std::int32_t> feature;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            value.clear();
            feature.clear();
            T outside = 0, outside_size = 0;
            for (std::int32_t t = x.indptr[samples[i]]; t < x.indptr[samples[i] + 1]; ++t) {
                const T v = static_cast<T>(x.data[t] * scale);
                const std::int32_t place = places.find(x.indices[t]);
                if (place == FeaturePlaces::kNone) {
                    outside += v * v;
                    outside_size += std::abs(v);
                } else if (place < n_common) {
                    value_.push_back(v);
                    feature_.push_back(place);
                } else {
                    value.push_back(v);
                    feature.push_back(place - n_common);
                }
            }
            simd.norms_of_rows(value_.data() + begin_[i], 1, value_.size() - begin_[i], &norm_[i]);
            for (const T v : value) norm_[i] += v * v;
            norm_[i] += outside;
            for (std::size_t t = begin_[i]; t < value_.size(); ++t) size_[i] += std::abs(value_[t]);
            for (const T v : value) size_[i] += std::abs(v);
            size_[i] += outside_size;
            middle_.push_back(value_.size());
            value_.insert(value_.end(), value.begin(), value.end());
            feature_.insert(feature_.end(), feature.begin(), feature.end());
            begin_.push_back(value_.size());
        }
    }

    std::size_t n_nonzeros() const { return value_.size(); }
    Nonzeros<T> common(std::size_t i) const { return part(begin_[i], middle_[i]); }
    Nonzeros<T> rare(std::size_t i) const { return part(middle_[i], begin_[i + 1]); }
    // The squared norm, by the operations of a dot product, so that a sample's distance to itself is exactly zero.
    T norm(std::size_t i) const { return norm_[i]; }
    // The sum of |x_f|, likewise.
    T size(std::size_t i) const { return size_[i]; }

   private:
    Nonzeros<T> part(std::size_t from, std::size_t to) const {
        return {value_.data() + from, feature_.data() + from, to - from, nullptr};
    }

    std::vector<std::size_t> begin_, middle_;
    std::vector<T> value_, norm_, size_;
    std::vector<std::int32_t> feature_;
};

// What one sample shares with n others becomes their distances, from the sizes of both.
template <class T>
void to_distances(T* shared, const T* sizes, T size, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) shared[k] = std::max(T(0), size + sizes[k] - shared[k]);
}

// Rows first ... first+n-1 in lanes from `lane` on.
struct Placed {
    std::size_t first, n, lane;
};

template <class T>
class SparseLanes {
   public:
    // Replaces the lanes by some rows. `n_lanes` is a multiple of kLanes.
    void load(const SparseRows<T>& rows, std::span<const Placed> placed, std::size_t n_lanes,
              const FeaturePlaces& places) {
        n_common_ = places.n_common();
        n_lanes_ = n_lanes;
        T* panels = panels_.at_least(n_lanes * n_common_);
        std::fill(panels, panels + n_lanes * n_common_, T(0));
        // A counting sort: count the entries of each list, sum the counts to where lists begin, then place every entry.
        begin_.assign(places.n_rare() + 2, 0);
        const auto for_each = [&](const auto& visit) {
            for (const Placed& p : placed)
                for (std::size_t k = 0; k < p.n; ++k) visit(p.first + k, p.lane + k);
        };
        for_each([&](std::size_t i, std::size_t lane) {
            const Nonzeros<T> common = rows.common(i), rare = rows.rare(i);
            T* panel = panels + lane / kLanes * kLanes * n_common_ + lane % kLanes;
            for (std::size_t t = 0; t < common.n; ++t) panel[usize(common.feature[t]) * kLanes] = common.value[t];
            for (std::size_t t = 0; t < rare.n; ++t) ++begin_[usize(rare.feature[t]) + 2];
        });
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        entries_.resize(usize(begin_.back()));
        for_each([&](std::size_t i, std::size_t lane) {
            const Nonzeros<T> rare = rows.rare(i);
            for (std::size_t t = 0; t < rare.n; ++t)
                entries_[usize(begin_[usize(rare.feature[t]) + 1]++)] = {static_cast<std::int32_t>(lane),
                                                                         rare.value[t]};
        });
    }

    // out[q][lane - begin] = <rows of asked[q], lane> for the lanes begin ... end-1, whole panels; for a kernel of
    // differences, what they share (`to_distances`).
    void sums(const Kernel& kernel, const Simd<T>& simd, const SparseRows<T>& rows, const std::int32_t* asked,
              std::size_t n_asked, std::size_t begin, std::size_t end, T* const* out) const {
        constexpr std::size_t at_once = kWorking;
        const auto* passes = kernel.passes(simd);
        const auto of_common = passes ? passes->shared_of_nonzeros : simd.dots_of_nonzeros;
        Nonzeros<T> common[at_once];
        for (std::size_t first = 0; first < n_asked; first += at_once) {
            const std::size_t count = std::min(at_once, n_asked - first);
            for (std::size_t q = 0; q < count; ++q) {
                common[q] = rows.common(usize(asked[first + q]));
                common[q].out = out[first + q];
            }
            of_common(common, count, panels_.data() + begin * n_common_, (end - begin) / kLanes, n_common_);
            for (std::size_t q = 0; q < count; ++q)
                add_rare(kernel, rows.rare(usize(asked[first + q])), begin, end, out[first + q]);
        }
    }

   private:
    struct Entry {
        std::int32_t lane;
        T value;
    };
    // Lists that are empty between these lanes are left out first: how long the next list is cannot be predicted, but
    // most of those that are left have one entry.
    void add_rare(const Kernel& kernel, const Nonzeros<T>& row, std::size_t begin, std::size_t end, T* out) const {
        struct List {
            const Entry *from, *to;
            T value;
        };
        constexpr std::size_t at_once = 128;
        const bool all = begin == 0 && end == n_lanes_;
        const auto before = [](const Entry& e, std::size_t lane) { return usize(e.lane) < lane; };
        List lists[at_once];
        for (std::size_t t = 0; t < row.n;) {
            std::size_t n = 0;
            for (const std::size_t stop = std::min(row.n, t + at_once); t < stop; ++t) {
                const std::int32_t* bounds = begin_.data() + usize(row.feature[t]);
                lists[n] = {entries_.data() + bounds[0], entries_.data() + bounds[1], row.value[t]};
                n += bounds[0] < bounds[1];
            }
            for (std::size_t i = 0; i < n; ++i) {
                auto [from, to, value] = lists[i];
                if (!all) {
                    from = std::lower_bound(from, to, begin, before);
                    to = std::lower_bound(from, to, end, before);
                }
                if (kernel.of_differences())
                    for (; from < to; ++from) out[usize(from->lane) - begin] += kernel.shared(value, from->value);
                else
                    for (; from < to; ++from) out[usize(from->lane) - begin] += value * from->value;
            }
        }
    }

    std::size_t n_common_ = 0, n_lanes_ = 0;
    Buffer<T> panels_;
    std::vector<std::int32_t> begin_;  // where the list of each rare feature begins
    std::vector<Entry> entries_;       // lanes ascend within a list
};

}  // namespace dagmar
