// Sparse samples in lanes, for dot products of other sparse rows with all of them.
//
// Most products of two texts come from a few *common* features, while most features are rare. Common features are
// stored in panels, zeros included, and vector instructions multiply them by the nonzeros of a row. A rare feature has
// a list of the lanes in which it occurs, and a row visits only the lists of its own features. A dot product is a sum
// over common features, then over rare ones, each in ascending order. So its bits depend on the two samples and on
// which features are common, but not on which of the two is the row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "samples/samples.hpp"

namespace dagmar {

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
    std::int32_t find(std::int32_t feature) const;

    std::size_t n_common() const { return n_common_; }
    std::size_t n_rare() const { return n_rare_; }

   private:
    bool wide_;                            // far more features than nonzeros
    std::vector<std::int32_t> occurring_;  // if wide: the features that occur, ascending
    std::vector<std::int32_t> place_;      // of every feature; if wide, of those that occur
    std::size_t n_common_ = 0, n_rare_ = 0;
};

// Some features of a row, by their places.
template <class T>
struct SparsePart {
    const T* value;
    const std::int32_t* feature;
    std::size_t n;
};

// Samples as rows of nonzeros, with places for features.
template <class T>
class SparseRows {
   public:
    // Replaces the rows by some samples, times scale. Features without a place count only in the norms.
    void load(const SparseView& x, std::span<const std::int64_t> samples, const FeaturePlaces& places, double scale,
              const Simd<T>& simd);

    std::size_t n_nonzeros() const { return value_.size(); }
    SparsePart<T> common(std::size_t i) const { return part(begin_[i], middle_[i]); }
    SparsePart<T> rare(std::size_t i) const { return part(middle_[i], begin_[i + 1]); }
    // The squared norm, by the operations of a dot product, so that a sample's distance to itself is exactly zero.
    T norm(std::size_t i) const { return norm_[i]; }

   private:
    SparsePart<T> part(std::size_t from, std::size_t to) const {
        return {value_.data() + from, feature_.data() + from, to - from};
    }

    std::vector<std::size_t> begin_, middle_;
    std::vector<T> value_, norm_;
    std::vector<std::int32_t> feature_;
};

// Rows first ... first+n-1 in lanes from `lane` on.
struct Placed {
    std::size_t first, n, lane;
};

template <class T>
class SparseLanes {
   public:
    // Replaces the lanes by some rows. `n_lanes` is a multiple of kLanes.
    void load(const SparseRows<T>& rows, std::span<const Placed> placed, std::size_t n_lanes,
              const FeaturePlaces& places);

    // out[q][lane - begin] = <rows of asked[q], lane> for the lanes begin ... end-1, whole panels.
    template <class I>
    void dots(const Simd<T>& simd, const SparseRows<T>& rows, const I* asked, std::size_t n_asked, std::size_t begin,
              std::size_t end, T* const* out) const;

   private:
    struct Entry {
        std::int32_t lane;
        T value;
    };
    void add_rare(const SparsePart<T>& row, std::size_t begin, std::size_t end, T* out) const;

    std::size_t n_common_ = 0, n_lanes_ = 0;
    Buffer<T> panels_;
    std::vector<std::int32_t> begin_;  // where the list of each rare feature begins
    std::vector<Entry> entries_;       // lanes ascend within a list
};

}  // namespace dagmar
