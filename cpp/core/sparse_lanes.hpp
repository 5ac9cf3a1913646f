// Sparse samples side by side, for dot products of other sparse rows with all of them.
//
// Most products of two texts come from a few *common* features, while most features are rare. So the common ones stand
// in panels, zeros included, and vector instructions multiply them by the nonzeros of a row. Every other feature has a
// list of the lanes that have it, and a row visits only the lists of its own features. A dot product is a sum over the
// common features, then over the others, each in ascending order: its bits depend on the two samples and on which
// features are common, and not on which of the two is the row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory.hpp"
#include "samples.hpp"

namespace dagmar {

// A feature that occurs, and in how many samples.
struct Occurrence {
    std::int32_t feature;
    std::size_t count;
};

// Of the features that occur in some samples, those that are common if the samples take `n_lanes` lanes.
std::vector<std::int32_t> common_features(const std::vector<Occurrence>& found, std::size_t n_lanes);

// The places of features, by how often they occur in some samples: common ones have 0 ... n_common-1, and the others
// that occur have 0 ... n_rare-1. Memory follows the nonzeros of the samples, not their columns.
class FeaturePlaces {
   public:
    // n_lanes: how many lanes the samples will take. common: which features are common, ascending, if it is known.
    FeaturePlaces(const SparseView& x, std::span<const std::int64_t> samples, std::size_t n_lanes,
                  std::optional<std::span<const std::int32_t>> common = {});

    static constexpr std::int32_t kNone = -1;
    // The place of a common feature, n_common plus the place of another one, or kNone if it does not occur.
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

// Samples as rows of nonzeros at the places of their features.
template <class T>
class SparseRows {
   public:
    // Replaces what it held by some samples, times scale. Features without a place count for the norms only.
    void load(const SparseView& x, std::span<const std::int64_t> samples, const FeaturePlaces& places, double scale,
              const Simd<T>& simd);

    std::size_t n_nonzeros() const { return value_.size(); }
    SparsePart<T> common(std::size_t i) const { return part(begin_[i], middle_[i]); }
    SparsePart<T> rare(std::size_t i) const { return part(middle_[i], begin_[i + 1]); }
    // Squared, by the operations of a dot product, so that a sample's distance to itself is exactly zero.
    T norm(std::size_t i) const { return norm_[i]; }

   private:
    SparsePart<T> part(std::size_t from, std::size_t to) const {
        return {value_.data() + from, feature_.data() + from, to - from};
    }

    std::vector<std::size_t> begin_, middle_;
    std::vector<T> value_, norm_;
    std::vector<std::int32_t> feature_;
};

// Rows first ... first+n-1 in lanes that begin with lane `lane`.
struct Placed {
    std::size_t first, n, lane;
};

template <class T>
class SparseLanes {
   public:
    // Replaces what it held by some rows. `n_lanes` is a multiple of kLanes.
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
    std::vector<std::int32_t> begin_;  // of the list of every rare feature
    std::vector<Entry> entries_;       // lanes ascend within a list
};

}  // namespace dagmar
