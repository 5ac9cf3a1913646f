// Sparse samples: dot products or distances over common features in panels and lists of the others, then the kernel
// function.
#pragma once

#include "gram/gram.hpp"
#include "samples/sparse_lanes.hpp"

namespace dagmar {

template <class T>
class SparseGram final : public GramRows<T> {
   public:
    SparseGram(const SparseView& x, const Problem& problem, const Simd<T>& simd)
        : GramRows<T>(problem, simd), x_(x), order_(problem.order) {
        std::size_t n_lanes = 0;
        for (std::size_t c = 0; c < this->n_classes(); ++c) n_lanes += padded(this->class_size(c));
        const FeaturePlaces places(x, order_, n_lanes, problem.common);
        rows_.load(x, order_, places, problem.kernel.scale, simd);
        place_classes(n_lanes, places);
        norms_.assign(n_lanes, T(0));
        sizes_.assign(problem.kernel.of_differences() ? n_lanes : 0, T(0));
        for (std::size_t c = 0, at = 0; c < this->n_classes(); at += padded(this->class_size(c)), ++c) {
            first_norm_.push_back(at);
            for (std::size_t k = 0; k < this->class_size(c); ++k) {
                norms_[at + k] = rows_.norm(this->class_start()[c] + k);
                if (!sizes_.empty()) sizes_[at + k] = rows_.size(this->class_start()[c] + k);
            }
        }
        if (problem.kernel.by_differences) no_norms_.assign(n_lanes, T(0));
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
              GramScratch<T>&) const override {
        const std::size_t lanes = padded(this->class_size(c));
        const Kernel kernel = this->kernel().with_gamma(gamma);
        if (kernel.by_differences && kernel.of_distance()) {
            for (std::size_t q = 0; q < n_asked; ++q) {
                differences(usize(asked[q]), c, out[q]);
                kernel.finish(simd_, out[q], no_norms_.data(), T(0), lanes);
            }
            return;
        }
        const Place& place = place_[c];
        groups_[place.group].sums(kernel, simd_, rows_, asked, n_asked, place.lane, place.lane + lanes, out);
        for (std::size_t q = 0; q < n_asked; ++q) {
            const std::size_t row = usize(asked[q]);
            if (kernel.of_differences()) to_distances(out[q], sizes_.data() + first_norm_[c], rows_.size(row), lanes);
            kernel.finish(simd_, out[q], norms_.data() + first_norm_[c], rows_.norm(row), lanes);
        }
    }

    T diagonal(std::size_t sample) const override { return this->diagonal_value(rows_.norm(sample)); }

   private:
    struct Place {
        std::size_t group, lane;
    };

    // Every group has a table of all features. One class per group is best, but where there are many classes and
    // features, the tables must not take more memory than the samples here: as rows and in lanes, four words per
    // nonzero.
    void place_classes(std::size_t n_lanes, const FeaturePlaces& places) {
        const std::size_t n_groups = std::clamp<std::size_t>(4 * rows_.n_nonzeros() / (places.n_rare() + 1), 1,
                                                             std::max<std::size_t>(1, this->n_classes()));
        const std::size_t per_group = (n_lanes + n_groups - 1) / n_groups;
        std::vector<Placed> placed;
        std::size_t lanes = 0;
        for (std::size_t c = 0; c < this->n_classes(); ++c) {
            place_.push_back({groups_.size(), lanes});
            placed.push_back({this->class_start()[c], this->class_size(c), lanes});
            lanes += padded(this->class_size(c));
            if (n_groups < this->n_classes() && lanes < per_group && c + 1 < this->n_classes()) continue;
            groups_.emplace_back().load(rows_, placed, lanes, places);
            placed.clear();
            lanes = 0;
        }
    }

    // -|a - b|^2 / 2, as in FloatSamples::differences; other distances as they are.
    void differences(std::size_t sample, std::size_t c, T* out) const {
        const std::size_t start = this->class_start()[c], n = this->class_size(c);
        const Kernel& kernel = this->kernel();
        const double factor = kernel.of_differences() ? kernel.scale : -0.5 * kernel.scale * kernel.scale;
        std::fill(out + n, out + padded(n), T(0));
        for (std::size_t k = 0; k < n; ++k) {
            const double distance = compare_rows(kernel, x_, usize(order_[sample]), x_, usize(order_[start + k]));
            out[k] = static_cast<T>(distance * factor);
        }
    }

    using GramRows<T>::simd_;
    SparseView x_;
    std::span<const std::int64_t> order_;
    SparseRows<T> rows_;
    std::vector<SparseLanes<T>> groups_;
    std::vector<Place> place_;             // of each class
    std::vector<std::size_t> first_norm_;  // of each class
    std::vector<T> norms_, sizes_;         // padded
    std::vector<T> no_norms_;              // zeros, for distances by differences
};

}  // namespace dagmar
