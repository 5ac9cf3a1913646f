// Sparse samples. Two of them share few features, so the samples are stored feature by feature: a row visits, for each
// of its own features, only the samples that have that feature too. Every sum still runs over ascending features. Where
// there are many more features than nonzeros, those that occur are renumbered, so that memory follows the nonzeros.
#include <algorithm>

#include "gram.hpp"
#include "integers.hpp"

namespace dagmar {
namespace {

template <class T>
class SparseGram final : public GramRows<T> {
   public:
    SparseGram(const SparseView& x, const Problem& problem, const Simd<T>& simd)
        : GramRows<T>(problem), simd_(simd), x_(x), order_(problem.order), norms_(padded(this->n_samples()) + kLanes),
          no_norms_(problem.kernel.by_differences ? norms_.size() : 0) {
        const std::size_t n_features = renumber();
        begin_.assign(n_features + 1, 0);
        for (std::size_t k = 0; k < this->n_samples(); ++k) {
            T sum = 0;
            for_each(k, [&](std::size_t f, T value) {
                sum += value * value;
                ++begin_[f + 1];
            });
            norms_[k] = sum;
        }
        for (std::size_t f = 0; f < n_features; ++f) begin_[f + 1] += begin_[f];
        sample_.resize(begin_.back());
        value_.resize(begin_.back());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (std::size_t k = 0; k < this->n_samples(); ++k)
            for_each(k, [&](std::size_t f, T value) {
                sample_[next[f]] = static_cast<std::int32_t>(k);
                value_[next[f]++] = value;
            });
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
              GramScratch<T>&) const override {
        const std::size_t start = this->class_start()[c], end = this->class_start()[c + 1], lanes = padded(end - start);
        const Kernel kernel = this->kernel().with_gamma(gamma);
        for (std::size_t q = 0; q < n_asked; ++q) {
            const std::size_t sample = usize(asked[q]);
            std::fill(out[q], out[q] + lanes, T(0));
            if (kernel.by_differences && kernel.type == KernelType::rbf) {
                const double scale2 = kernel.scale * kernel.scale;
                for (std::size_t k = start; k < end; ++k) {
                    const auto pair = compare_rows(x_, usize(order_[sample]), x_, usize(order_[k]));
                    out[q][k - start] = static_cast<T>(-0.5 * pair.distance * scale2);
                }
                kernel.finish(simd_, out[q], no_norms_.data(), T(0), lanes);
                continue;
            }
            for_each(sample, [&](std::size_t f, T value) {
                const std::int32_t* list = sample_.data();
                const std::int32_t* from =
                    std::lower_bound(list + begin_[f], list + begin_[f + 1], static_cast<std::int32_t>(start));
                for (std::size_t t = usize(from - list); t < begin_[f + 1]; ++t) {
                    const std::size_t k = usize(sample_[t]);
                    if (k >= end) break;
                    out[q][k - start] += value * value_[t];
                }
            });
            kernel.finish(simd_, out[q], norms_.data() + start, norms_[sample], lanes);
        }
    }

    T diagonal(std::size_t sample) const override { return this->diagonal_value(simd_, norms_[sample]); }

   private:
    std::size_t length(std::size_t sample) const {
        const std::size_t row = usize(order_[sample]);
        return usize(x_.indptr[row + 1] - x_.indptr[row]);
    }

    const std::int32_t* features(std::size_t sample) const { return x_.indices + x_.indptr[order_[sample]]; }

    // Gives the features that occur the numbers 0, 1, ... in their order, if most features do not occur. Returns how
    // many features there are then.
    std::size_t renumber() {
        constexpr std::size_t wide = 8;  // features per nonzero
        place_begin_.assign(1, 0);
        for (std::size_t k = 0; k < this->n_samples(); ++k) place_begin_.push_back(place_begin_.back() + length(k));
        if (x_.d / wide <= place_begin_.back()) {
            place_begin_.clear();
            return x_.d;
        }
        place_.reserve(place_begin_.back());
        for (std::size_t k = 0; k < this->n_samples(); ++k)
            place_.insert(place_.end(), features(k), features(k) + length(k));
        std::vector<std::int32_t> occurring = place_;
        std::sort(occurring.begin(), occurring.end());
        occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
        for (std::int32_t& f : place_)
            f = static_cast<std::int32_t>(std::lower_bound(occurring.begin(), occurring.end(), f) - occurring.begin());
        return occurring.size();
    }

    template <class Visit>
    void for_each(std::size_t sample, const Visit& visit) const {
        const std::int32_t* feature = place_begin_.empty() ? features(sample) : place_.data() + place_begin_[sample];
        const double* value = x_.data + x_.indptr[order_[sample]];
        const std::size_t n = length(sample);
        for (std::size_t t = 0; t < n; ++t) visit(usize(feature[t]), static_cast<T>(value[t] * this->kernel().scale));
    }

    const Simd<T>& simd_;
    SparseView x_;
    std::span<const std::int64_t> order_;
    std::vector<T> norms_, no_norms_;       // no_norms_: zeros, for distances by differences
    std::vector<std::size_t> place_begin_;  // of each sample in place_; empty if features keep their numbers
    std::vector<std::int32_t> place_;       // the new numbers of the features of each sample
    std::vector<std::size_t> begin_;        // of each feature in the lists below
    std::vector<std::int32_t> sample_;      // ascending
    std::vector<T> value_;
};

}  // namespace

template <class T>
std::unique_ptr<GramRows<T>> sparse_gram(const SparseView& x, const Problem& problem, const Simd<T>& simd) {
    return std::make_unique<SparseGram<T>>(x, problem, simd);
}

template std::unique_ptr<GramRows<float>> sparse_gram(const SparseView&, const Problem&, const Simd<float>&);
template std::unique_ptr<GramRows<double>> sparse_gram(const SparseView&, const Problem&, const Simd<double>&);

}  // namespace dagmar
