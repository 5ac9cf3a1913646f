// Dense samples: dot products over panels, then the kernel function.
#include <algorithm>

#include "gram.hpp"
#include "integers.hpp"

namespace dagmar {
namespace {

// Rows computed together.
constexpr std::size_t kAtOnce = 128;

template <class T, class S>
class DenseGram final : public GramRows<T> {
   public:
    DenseGram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd)
        : GramRows<T>(problem), simd_(simd), x_(x), order_(problem.order), centre_(problem.centre), d_(x.d) {
        const std::size_t n_classes = this->n_classes();
        const double* centre = centre_.empty() ? nullptr : centre_.data();
        first_.resize(n_classes + 1, 0);
        for (std::size_t c = 0; c < n_classes; ++c) first_[c + 1] = first_[c] + padded(this->class_size(c));
        panels_ = aligned_array<T>(first_.back() * d_);
        norms_ = zeroed_array<T>(first_.back());
        for (std::size_t c = 0; c < n_classes; ++c)
            pack_panels(x, problem.order.data() + this->class_start()[c], this->class_size(c), centre,
                        problem.kernel.scale, panels_.get() + first_[c] * d_);
        simd_.norms(panels_.get(), first_.back() / kLanes, d_, norms_.get());
        if (problem.kernel.by_differences) no_norms_ = zeroed_array<T>(first_.back());
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
              GramScratch<T>& scratch) const override {
        const Kernel kernel = this->kernel().with_gamma(gamma);
        const T *panels = panels_.get() + first_[c] * d_, *norms = norms_.get() + first_[c];
        const std::size_t lanes = first_[c + 1] - first_[c];
        for (std::size_t first = 0; first < n_asked; first += kAtOnce) {
            const std::size_t count = std::min(kAtOnce, n_asked - first);
            if (kernel.by_differences && kernel.type == KernelType::rbf) {
                T* row = scratch.rows.at_least(d_);
                for (std::size_t q = first; q < first + count; ++q) {
                    gather(usize(asked[q]), row);
                    differences(row, panels, lanes, out[q]);
                    kernel.finish(simd_, out[q], no_norms_.get(), T(0), lanes);
                }
                continue;
            }
            gather({asked + first, count}, scratch);
            scratch.full.clear();
            scratch.few.clear();
            scratch.to.clear();
            for (std::size_t q = 0; q < count; ++q) {
                const std::size_t n = scratch.nonzeros[q];
                if (n == d_) {
                    scratch.full.push_back(scratch.rows.data() + q * d_);
                    scratch.to.push_back(out[first + q]);
                } else {
                    scratch.few.push_back(
                        {scratch.rows.data() + q * d_, scratch.features.data() + q * d_, n, out[first + q]});
                }
            }
            if (!scratch.full.empty())
                simd_.dots(scratch.full.data(), scratch.full.size(), panels, lanes / kLanes, d_, scratch.to.data());
            if (!scratch.few.empty())
                simd_.dots_of_nonzeros(scratch.few.data(), scratch.few.size(), panels, lanes / kLanes, d_);
            for (std::size_t q = first; q < first + count; ++q)
                kernel.finish(simd_, out[q], norms, norms_[lane_of(usize(asked[q]))], lanes);
        }
    }

    T diagonal(std::size_t sample) const override { return this->diagonal_value(simd_, norms_[lane_of(sample)]); }

    // Measured: at 16 features keeping rows costs a little, at 256 it saves a fifth.
    bool worth_keeping() const override { return d_ > 24; }
    std::size_t working(std::size_t n_samples) const override {
        return n_samples * d_ * sizeof(T) > (std::size_t{1} << 20) ? kWorking : 2 * kLanes;
    }

   private:
    std::size_t lane_of(std::size_t sample) const {
        const std::size_t c = this->class_of(sample);
        return first_[c] + sample - this->class_start()[c];
    }
    // A sample as it stands in its panel, from the user's row: the panel has each feature in another cache line.
    void gather(std::size_t sample, T* row) const {
        const S* from = x_.row(usize(order_[sample]));
        const double scale = this->kernel().scale;
        if (centre_.empty())
            for (std::size_t f = 0; f < d_; ++f) row[f] = static_cast<T>(static_cast<double>(from[f]) * scale);
        else
            for (std::size_t f = 0; f < d_; ++f)
                row[f] = static_cast<T>((static_cast<double>(from[f]) - centre_[f]) * scale);
    }

    // The samples as rows in the scratch memory, of those with few nonzeros only these. The same samples may be there
    // still: tasks that share a class follow each other.
    void gather(std::span<const std::int32_t> asked, GramScratch<T>& scratch) const {
        if (std::equal(asked.begin(), asked.end(), scratch.samples.begin(), scratch.samples.end())) return;
        scratch.samples.clear();
        scratch.nonzeros.clear();
        T* row = scratch.rows.at_least(asked.size() * d_);
        std::int32_t* features = scratch.features.at_least(asked.size() * d_);
        for (const std::int32_t a : asked) {
            gather(usize(a), row);
            const std::size_t n = d_ - usize(std::count(row, row + d_, T(0)));
            const bool few = static_cast<double>(n) <= kFewNonzeros * static_cast<double>(d_);
            scratch.nonzeros.push_back(few ? squeeze(row, features) : d_);
            row += d_;
            features += d_;
        }
        scratch.samples.assign(asked.begin(), asked.end());
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

    // Moves the nonzeros of a row to its front and notes their features. Returns how many there are.
    std::size_t squeeze(T* row, std::int32_t* features) const {
        std::size_t n = 0;
        for (std::size_t f = 0; f < d_; ++f) {
            if (row[f] == T(0)) continue;
            row[n] = row[f];
            features[n++] = static_cast<std::int32_t>(f);
        }
        return n;
    }

    const Simd<T>& simd_;
    DenseView<S> x_;
    std::span<const std::int64_t> order_;
    std::span<const double> centre_;
    std::size_t d_;
    std::vector<std::size_t> first_;  // first lane of each class
    Aligned<T> panels_, norms_;
    Aligned<T> no_norms_;  // zeros, for distances by differences
};

}  // namespace

template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd) {
    return std::make_unique<DenseGram<T, S>>(x, problem, simd);
}

template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<float>&, const Problem&, const Simd<float>&);
template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<double>&, const Problem&, const Simd<float>&);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<float>&, const Problem&, const Simd<double>&);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<double>&, const Problem&, const Simd<double>&);

}  // namespace dagmar
