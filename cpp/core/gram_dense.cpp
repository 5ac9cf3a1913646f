// Dense samples: dot products over panels, then the kernel function.
#include <algorithm>

#include "gram.hpp"
#include "integers.hpp"

namespace dagmar {
namespace {

template <class T>
class DenseGram final : public GramRows<T> {
   public:
    template <class S>
    DenseGram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd)
        : GramRows<T>(problem), simd_(simd), d_(x.d) {
        const std::size_t n_classes = this->n_classes();
        const double* centre = problem.centre.empty() ? nullptr : problem.centre.data();
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
        constexpr std::size_t at_once = kWorking;
        T* gathered = scratch.rows.at_least(std::min(at_once, n_asked) * d_);
        std::int32_t* features = scratch.features.at_least(std::min(at_once, n_asked) * d_);
        const Kernel kernel = this->kernel().with_gamma(gamma);
        const T *panels = panels_.get() + first_[c] * d_, *norms = norms_.get() + first_[c];
        const std::size_t lanes = first_[c + 1] - first_[c];
        if (kernel.by_differences && kernel.type == KernelType::rbf) {
            for (std::size_t q = 0; q < n_asked; ++q) {
                gather(usize(asked[q]), gathered);
                differences(gathered, panels, lanes, out[q]);
                kernel.finish(simd_, out[q], no_norms_.get(), T(0), lanes);
            }
            return;
        }
        const T* full[at_once];
        T* to[at_once];
        Nonzeros<T> few[at_once];
        for (std::size_t first = 0; first < n_asked; first += at_once) {
            const std::size_t count = std::min(at_once, n_asked - first);
            std::size_t n_full = 0, n_few = 0;
            for (std::size_t q = 0; q < count; ++q) {
                T* row = gathered + q * d_;
                gather(usize(asked[first + q]), row);
                const std::size_t nonzeros = d_ - usize(std::count(row, row + d_, T(0)));
                if (static_cast<double>(nonzeros) > kFewNonzeros * static_cast<double>(d_)) {
                    full[n_full] = row;
                    to[n_full++] = out[first + q];
                } else {
                    few[n_few++] = squeeze(row, features + q * d_, out[first + q]);
                }
            }
            if (n_full) simd_.dots(full, n_full, panels, lanes / kLanes, d_, to);
            if (n_few) simd_.dots_of_nonzeros(few, n_few, panels, lanes / kLanes, d_);
            for (std::size_t q = 0; q < count; ++q)
                kernel.finish(simd_, out[first + q], norms, norms_[lane_of(usize(asked[first + q]))], lanes);
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
    void gather(std::size_t sample, T* row) const {
        const std::size_t at = lane_of(sample);
        const T* panel = panels_.get() + at / kLanes * kLanes * d_ + at % kLanes;
        for (std::size_t f = 0; f < d_; ++f) row[f] = panel[f * kLanes];
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

    // Moves the nonzeros of a row to its front and notes their features.
    Nonzeros<T> squeeze(T* row, std::int32_t* features, T* out) const {
        std::size_t n = 0;
        for (std::size_t f = 0; f < d_; ++f) {
            if (row[f] == T(0)) continue;
            row[n] = row[f];
            features[n++] = static_cast<std::int32_t>(f);
        }
        return {row, features, n, out};
    }

    const Simd<T>& simd_;
    std::size_t d_;
    std::vector<std::size_t> first_;  // first lane of each class
    Aligned<T> panels_, norms_;
    Aligned<T> no_norms_;  // zeros, for distances by differences
};

}  // namespace

template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd) {
    return std::make_unique<DenseGram<T>>(x, problem, simd);
}

template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<float>&, const Problem&, const Simd<float>&);
template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<double>&, const Problem&, const Simd<float>&);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<float>&, const Problem&, const Simd<double>&);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<double>&, const Problem&, const Simd<double>&);

}  // namespace dagmar
