#include "samples/sparse_lanes.hpp"

#include <algorithm>
#include <numeric>

#include "base/integers.hpp"

namespace dagmar {
namespace {

// A feature is common if it occurs in at least one of 16 lanes: then panels cost less than a list.
constexpr std::size_t kCommon = 16;
// The most numbers that panels may hold per nonzero.
constexpr std::size_t kMostPerNonzero = 8;
// With more than this many features per nonzero, a table of all features would be too large: places are searched.
constexpr std::size_t kWide = 8;

template <class Visit>
void for_each_feature(const SparseView& x, std::span<const std::int64_t> samples, const Visit& visit) {
    for (const std::int64_t i : samples)
        for (std::int32_t t = x.indptr[i]; t < x.indptr[i + 1]; ++t) visit(x.indices[t]);
}

// The features that occur, ascending, and their counts.
std::vector<Occurrence> occurrences(const SparseView& x, std::span<const std::int64_t> samples, bool wide) {
    std::vector<Occurrence> found;
    if (wide) {
        std::vector<std::int32_t> all;
        for_each_feature(x, samples, [&](std::int32_t f) { all.push_back(f); });
        std::sort(all.begin(), all.end());
        for (const std::int32_t f : all) {
            if (found.empty() || found.back().feature != f) found.push_back({f, 0});
            ++found.back().count;
        }
        return found;
    }
    std::vector<std::size_t> count(x.d, 0);
    for_each_feature(x, samples, [&](std::int32_t f) { ++count[usize(f)]; });
    for (std::size_t f = 0; f < x.d; ++f)
        if (count[f]) found.push_back({static_cast<std::int32_t>(f), count[f]});
    return found;
}

// The smallest count of a common feature.
std::size_t least_common(const std::vector<Occurrence>& found, std::size_t n_lanes) {
    std::vector<std::size_t> counts;
    std::size_t n_nonzeros = 0;
    for (const Occurrence& o : found) {
        n_nonzeros += o.count;
        if (o.count * kCommon >= n_lanes) counts.push_back(o.count);
    }
    const std::size_t most = n_nonzeros * kMostPerNonzero / std::max<std::size_t>(1, n_lanes);
    if (counts.size() <= most) return std::max<std::size_t>(1, (n_lanes + kCommon - 1) / kCommon);
    // There is room for the `most` most frequent ones. Features as frequent as the next one are left out too.
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(most), counts.end(),
                     std::greater<>());
    return counts[most] + 1;
}

}  // namespace

std::vector<std::int32_t> common_features(const std::vector<Occurrence>& found, std::size_t n_lanes) {
    const std::size_t least = least_common(found, n_lanes);
    std::vector<std::int32_t> common;
    for (const Occurrence& o : found)
        if (o.count >= least) common.push_back(o.feature);
    return common;
}

FeaturePlaces::FeaturePlaces(const SparseView& x, std::span<const std::int64_t> samples, std::size_t n_lanes,
                             std::optional<std::span<const std::int32_t>> common) {
    std::size_t n_nonzeros = 0;
    for (const std::int64_t i : samples) n_nonzeros += usize(x.indptr[i + 1] - x.indptr[i]);
    wide_ = x.d / kWide > n_nonzeros;
    const std::vector<Occurrence> found = occurrences(x, samples, wide_);
    std::vector<std::int32_t> own;
    if (!common) common = own = common_features(found, n_lanes);
    const auto is_common = [&](const Occurrence& o) {
        return std::binary_search(common->begin(), common->end(), o.feature);
    };
    n_common_ = usize(std::count_if(found.begin(), found.end(), is_common));
    n_rare_ = found.size() - n_common_;
    if (!wide_) place_.assign(x.d, kNone);
    std::int32_t next_common = 0, next_rare = static_cast<std::int32_t>(n_common_);
    for (const Occurrence& o : found) {
        const std::int32_t place = is_common(o) ? next_common++ : next_rare++;
        if (wide_) {
            occurring_.push_back(o.feature);
            place_.push_back(place);
        } else {
            place_[usize(o.feature)] = place;
        }
    }
}

std::int32_t FeaturePlaces::find(std::int32_t feature) const {
    if (!wide_) return place_[usize(feature)];
    const auto at = std::lower_bound(occurring_.begin(), occurring_.end(), feature);
    return at != occurring_.end() && *at == feature ? place_[usize(at - occurring_.begin())] : kNone;
}

template <class T>
void SparseRows<T>::load(const SparseView& x, std::span<const std::int64_t> samples, const FeaturePlaces& places,
                         double scale, const Simd<T>& simd) {
    const auto n_common = static_cast<std::int32_t>(places.n_common());
    begin_.assign(1, 0);
    middle_.clear();
    value_.clear();
    feature_.clear();
    std::size_t n_nonzeros = 0;
    for (const std::int64_t i : samples) n_nonzeros += usize(x.indptr[i + 1] - x.indptr[i]);
    value_.reserve(n_nonzeros);
    feature_.reserve(n_nonzeros);
    norm_.assign(samples.size(), T(0));
    std::vector<T> value;  // of rare features
    std::vector<std::int32_t> feature;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        value.clear();
        feature.clear();
        T outside = 0;
        for (std::int32_t t = x.indptr[samples[i]]; t < x.indptr[samples[i] + 1]; ++t) {
            const T v = static_cast<T>(x.data[t] * scale);
            const std::int32_t place = places.find(x.indices[t]);
            if (place == FeaturePlaces::kNone) {
                outside += v * v;
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
        middle_.push_back(value_.size());
        value_.insert(value_.end(), value.begin(), value.end());
        feature_.insert(feature_.end(), feature.begin(), feature.end());
        begin_.push_back(value_.size());
    }
}

template <class T>
void SparseLanes<T>::load(const SparseRows<T>& rows, std::span<const Placed> placed, std::size_t n_lanes,
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
        const SparsePart<T> common = rows.common(i), rare = rows.rare(i);
        T* panel = panels + lane / kLanes * kLanes * n_common_ + lane % kLanes;
        for (std::size_t t = 0; t < common.n; ++t) panel[usize(common.feature[t]) * kLanes] = common.value[t];
        for (std::size_t t = 0; t < rare.n; ++t) ++begin_[usize(rare.feature[t]) + 2];
    });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    entries_.resize(usize(begin_.back()));
    for_each([&](std::size_t i, std::size_t lane) {
        const SparsePart<T> rare = rows.rare(i);
        for (std::size_t t = 0; t < rare.n; ++t)
            entries_[usize(begin_[usize(rare.feature[t]) + 1]++)] = {static_cast<std::int32_t>(lane), rare.value[t]};
    });
}

template <class T>
template <class I>
void SparseLanes<T>::dots(const Simd<T>& simd, const SparseRows<T>& rows, const I* asked, std::size_t n_asked,
                          std::size_t begin, std::size_t end, T* const* out) const {
    constexpr std::size_t at_once = kWorking;
    Nonzeros<T> common[at_once];
    for (std::size_t first = 0; first < n_asked; first += at_once) {
        const std::size_t count = std::min(at_once, n_asked - first);
        for (std::size_t q = 0; q < count; ++q) {
            const SparsePart<T> part = rows.common(usize(asked[first + q]));
            common[q] = {part.value, part.feature, part.n, out[first + q]};
        }
        simd.dots_of_nonzeros(common, count, panels_.data() + begin * n_common_, (end - begin) / kLanes, n_common_);
        for (std::size_t q = 0; q < count; ++q)
            add_rare(rows.rare(usize(asked[first + q])), begin, end, out[first + q]);
    }
}

template <class T>
void SparseLanes<T>::add_rare(const SparsePart<T>& row, std::size_t begin, std::size_t end, T* out) const {
    const bool all = begin == 0 && end == n_lanes_;
    const auto before = [](const Entry& e, std::size_t lane) { return usize(e.lane) < lane; };
    for (std::size_t t = 0; t < row.n; ++t) {
        const T value = row.value[t];
        const Entry* from = entries_.data() + begin_[usize(row.feature[t])];
        const Entry* to = entries_.data() + begin_[usize(row.feature[t]) + 1];
        if (!all) {
            from = std::lower_bound(from, to, begin, before);
            to = std::lower_bound(from, to, end, before);
        }
        for (; from < to; ++from) out[usize(from->lane) - begin] += value * from->value;
    }
}

template class SparseRows<float>;
template class SparseRows<double>;
template class SparseLanes<float>;
template class SparseLanes<double>;
template void SparseLanes<float>::dots(const Simd<float>&, const SparseRows<float>&, const std::int32_t*, std::size_t,
                                       std::size_t, std::size_t, float* const*) const;
template void SparseLanes<double>::dots(const Simd<double>&, const SparseRows<double>&, const std::int32_t*,
                                        std::size_t, std::size_t, std::size_t, double* const*) const;

}  // namespace dagmar
