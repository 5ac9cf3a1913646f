#include "samples/sparse_lanes.hpp"

#include <functional>

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

}  // namespace

std::vector<std::int32_t> common_features(const std::vector<Occurrence>& found, std::size_t n_lanes) {
    std::vector<std::size_t> counts;
    std::size_t n_nonzeros = 0;
    for (const Occurrence& o : found) {
        n_nonzeros += o.count;
        if (o.count * kCommon >= n_lanes) counts.push_back(o.count);
    }
    std::size_t least = std::max<std::size_t>(1, (n_lanes + kCommon - 1) / kCommon);
    const std::size_t most = n_nonzeros * kMostPerNonzero / std::max<std::size_t>(1, n_lanes);
    if (counts.size() > most) {
        // There is room for the `most` most frequent ones. Features as frequent as the next one are left out too.
        std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(most), counts.end(),
                         std::greater<>());
        least = counts[most] + 1;
    }
    std::vector<std::int32_t> common;
    for (const Occurrence& o : found)
        if (o.count >= least) common.push_back(o.feature);
    return common;
}

FeaturePlaces::FeaturePlaces(const SparseView& x, std::span<const std::int64_t> samples, std::size_t n_lanes,
                             std::optional<std::span<const std::int32_t>> common) {
    wide_ = x.d / kWide > n_stored(x, samples);
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

}  // namespace dagmar
