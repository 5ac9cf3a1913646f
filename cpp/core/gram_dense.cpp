// Dense samples: dot products over panels, then the kernel function.
#include <algorithm>

#include "gram.hpp"
#include "integers.hpp"

namespace dagmar {
namespace {

// Rows computed together.
constexpr std::size_t kAtOnce = 128;
// Samples of at most so many bytes are kept as rows, too. (Larger problems have longer rows of the kernel, and loading
// a sample again costs little beside them.)
constexpr std::size_t kMostKept = std::size_t{64} << 20;
// Between rows that are read side by side: rows of a power of two would share few places of the first-level cache.
constexpr std::size_t kApart = kLanes;

template <class T, class S>
class DenseGram final : public GramRows<T> {
   public:
    DenseGram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd, bool again)
        : GramRows<T>(problem), simd_(simd), x_(x), order_(problem.order), centre_(problem.centre), d_(x.d) {
        const std::size_t n_classes = this->n_classes();
        first_.resize(n_classes + 1, 0);
        for (std::size_t c = 0; c < n_classes; ++c) first_[c + 1] = first_[c] + padded(this->class_size(c));
        kept_ = again && this->n_samples() * d_ * sizeof(T) <= kMostKept;
        panels_ = aligned_array<T>((first_.back() + (kept_ ? this->n_samples() : 0)) * d_);
        norms_ = zeroed_array<T>(first_.back());
        begin_.push_back(first_.back() * d_);
        for (std::size_t c = 0; c < n_classes; ++c) load_class(c);
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
            if (!kept_) gather({asked + first, count}, scratch);
            scratch.full.clear();
            scratch.few.clear();
            scratch.to.clear();
            for (std::size_t q = 0; q < count; ++q) {
                const Nonzeros<T> row = kept_ ? kept_row(usize(asked[first + q])) : gathered_row(q, scratch);
                if (row.n == d_) {
                    scratch.full.push_back(row.value);
                    scratch.to.push_back(out[first + q]);
                } else {
                    scratch.few.push_back({row.value, row.feature, row.n, out[first + q]});
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

    // Of many features, computing a value twice is dear.
    std::size_t small_task() const override { return d_ >= 256 ? 512 : GramRows<T>::small_task(); }
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
    // Writes the panels of a class, and keeps its samples as rows.
    void load_class(std::size_t c) {
        const std::size_t apart = d_ + kApart, n = this->class_size(c);
        T* rows = loaded_.at_least(kLanes * apart);
        std::int32_t* features = loaded_features_.at_least(d_);
        for (std::size_t first = 0; first < n; first += kLanes) {
            const std::size_t count = std::min(kLanes, n - first);
            for (std::size_t lane = 0; lane < count; ++lane)
                gather(this->class_start()[c] + first + lane, rows + lane * apart);
            for (std::size_t lane = count; lane < kLanes; ++lane)
                std::fill(rows + lane * apart, rows + lane * apart + d_, T(0));
            T* panel = panels_.get() + (first_[c] + first) * d_;
            for (std::size_t f = 0; f < d_; ++f)
                for (std::size_t lane = 0; lane < kLanes; ++lane) panel[f * kLanes + lane] = rows[lane * apart + f];
            for (std::size_t lane = 0; kept_ && lane < count; ++lane) {
                T* row = rows + lane * apart;
                const std::size_t n_kept = squeeze_if_few(row, features);
                std::copy(row, row + n_kept, panels_.get() + begin_.back());
                begin_.push_back(begin_.back() + n_kept);
                begin_of_features_.push_back(features_.size());
                if (n_kept < d_) features_.insert(features_.end(), features, features + n_kept);
            }
        }
    }

    Nonzeros<T> kept_row(std::size_t sample) const {
        return {panels_.get() + begin_[sample], features_.data() + begin_of_features_[sample],
                begin_[sample + 1] - begin_[sample], nullptr};
    }
    Nonzeros<T> gathered_row(std::size_t q, const GramScratch<T>& scratch) const {
        return {scratch.rows.data() + q * d_, scratch.features.data() + q * d_, scratch.nonzeros[q], nullptr};
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
            scratch.nonzeros.push_back(squeeze_if_few(row, features));
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

    // Moves the nonzeros of a row to its front and notes their features, if they are few. Returns the length of the
    // row.
    std::size_t squeeze_if_few(T* row, std::int32_t* features) const {
        std::size_t n = d_ - usize(std::count(row, row + d_, T(0)));
        if (n == d_ || static_cast<double>(n) > kFewNonzeros * static_cast<double>(d_)) return d_;
        n = 0;
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
    // Behind the panels come the samples as rows, if they are kept, those with few nonzeros as these and their
    // features. (Both are one array: an allocator gives memory of several large ones back, and fresh memory is slow.)
    Aligned<T> panels_, norms_;
    bool kept_ = false;
    std::vector<std::int32_t> features_;
    std::vector<std::size_t> begin_, begin_of_features_;
    Buffer<T> loaded_;
    Buffer<std::int32_t> loaded_features_;
    Aligned<T> no_norms_;  // zeros, for distances by differences
};

}  // namespace

template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd,
                                        bool again) {
    return std::make_unique<DenseGram<T, S>>(x, problem, simd, again);
}

template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<float>&, const Problem&, const Simd<float>&, bool);
template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<double>&, const Problem&, const Simd<float>&,
                                                     bool);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<float>&, const Problem&, const Simd<double>&,
                                                      bool);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<double>&, const Problem&, const Simd<double>&,
                                                      bool);

}  // namespace dagmar
