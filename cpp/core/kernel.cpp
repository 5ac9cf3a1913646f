#include "kernel.hpp"

#include <algorithm>
#include <cmath>

namespace dagmar {

template <class T>
void Kernel::finish(const Simd<T>& simd, T* dots, const T* norms, T norm, std::size_t n, const T* gammas) const {
    const T g = static_cast<T>(gamma), c = static_cast<T>(coef0);
    switch (type) {
        case KernelType::rbf:
            gammas ? simd.rbf_each(dots, norms, norm, gammas, n) : simd.rbf(dots, norms, norm, g, n);
            return;
        case KernelType::poly:
            for (std::size_t k = 0; k < n; ++k) {
                const T base = g * dots[k] + c;
                T power = 1;
                for (int e = 0; e < degree; ++e) power *= base;
                dots[k] = power;
            }
            return;
        case KernelType::sigmoid:
            for (std::size_t k = 0; k < n; ++k) dots[k] = std::tanh(g * dots[k] + c);
            return;
        case KernelType::linear:
        case KernelType::precomputed:
            return;
    }
}

double Kernel::value(double dot, double distance) const {
    switch (type) {
        case KernelType::rbf:
            return std::exp(-gamma * distance);
        case KernelType::poly: {
            double power = 1;
            for (int e = 0; e < degree; ++e) power *= gamma * dot + coef0;
            return power;
        }
        case KernelType::sigmoid:
            return std::tanh(gamma * dot + coef0);
        case KernelType::linear:
        case KernelType::precomputed:
            break;
    }
    return dot;
}

double Kernel::largest(double norm2_x, double norm2_z) const {
    const double dot = std::sqrt(norm2_x * norm2_z);
    if (type == KernelType::linear) return dot;
    if (type == KernelType::poly) return std::pow(std::abs(gamma) * dot + std::abs(coef0), degree);
    return 1.0;
}

namespace {

// The rounding of a value itself, beside the sums that average over many: measured at 0.7 units.
constexpr double kOwnRounding = 6.0;

double roundings_of(std::size_t n_features) {
    return std::sqrt(static_cast<double>(n_features)) + 2.0;  // two for the samples themselves
}

}  // namespace

Kernel::ByGamma Kernel::error_by_gamma(double norm2_x, double norm2_z, std::size_t n_features, double unit) const {
    // The norms take part in the distance; but far from all other samples the kernel all but vanishes.
    const double far = std::max(0.0, std::sqrt(norm2_x) - std::sqrt(norm2_z));
    const double flat = unit * std::exp(-gamma * far * far) / 8.0;
    return {kOwnRounding * flat, flat * std::max(norm2_x, norm2_z) * roundings_of(n_features)};
}

double Kernel::error(double norm2_x, double norm2_z, std::size_t n_features, double unit) const {
    const double dot = std::sqrt(norm2_x * norm2_z) * roundings_of(n_features);
    double scale = kOwnRounding;
    switch (type) {
        case KernelType::rbf: {
            const ByGamma by_gamma = error_by_gamma(norm2_x, norm2_z, n_features, unit);
            return by_gamma.flat + by_gamma.slope * gamma;
        }
        case KernelType::poly: {
            const double base = std::abs(gamma) * std::sqrt(norm2_x * norm2_z) + std::abs(coef0);
            scale = kOwnRounding * std::pow(base, degree) +
                    degree * std::abs(gamma) * std::pow(base, std::max(degree - 1, 0)) * dot;
            break;
        }
        case KernelType::sigmoid:
            scale = kOwnRounding + std::abs(gamma) * dot;
            break;
        case KernelType::linear:
            scale = dot;
            break;
        case KernelType::precomputed:
            break;
    }
    return unit * scale / 8.0;
}

template <class T, class S>
void pack_panels(const DenseView<S>& x, const std::int64_t* index, std::size_t n, const double* centre, T* panels) {
    for (std::size_t first = 0; first < n; first += kLanes) {
        T* panel = panels + first * x.d;
        const std::size_t count = std::min(kLanes, n - first);
        if (count < kLanes) std::fill(panel, panel + kLanes * x.d, T(0));
        for (std::size_t lane = 0; lane < count; ++lane) {
            const S* row = x.row(static_cast<std::size_t>(index[first + lane]));
            for (std::size_t f = 0; f < x.d; ++f)
                panel[f * kLanes + lane] =
                    static_cast<T>(centre ? static_cast<double>(row[f]) - centre[f] : static_cast<double>(row[f]));
        }
    }
}

template <class T>
GramRows<T>::GramRows(std::vector<std::size_t> start, const Kernel& kernel)
    : kernel_(kernel), start_(std::move(start)), class_of_(start_.back()) {
    for (std::size_t c = 0; c + 1 < start_.size(); ++c)
        std::fill(class_of_.begin() + static_cast<std::ptrdiff_t>(start_[c]),
                  class_of_.begin() + static_cast<std::ptrdiff_t>(start_[c + 1]), static_cast<std::uint32_t>(c));
}

namespace {

// Up to this share of nonzeros a row is multiplied by its nonzeros alone. The sums are the same to the bit.
// (FEW_NONZEROS in kernels.py keeps zeros where they are by the same share.)
constexpr double kFewNonzeros = 0.35;

template <class T>
class DenseGram final : public GramRows<T> {
   public:
    template <class S>
    DenseGram(const DenseView<S>& x, const std::int64_t* index, std::vector<std::size_t> start, const double* centre,
              const Kernel& kernel, const Simd<T>& simd)
        : GramRows<T>(std::move(start), kernel), simd_(simd), d_(x.d) {
        const std::size_t n_classes = this->n_classes();
        first_.resize(n_classes + 1, 0);
        for (std::size_t c = 0; c < n_classes; ++c) first_[c + 1] = first_[c] + padded(this->class_size(c));
        panels_ = aligned_array<T>(first_.back() * d_);
        norms_ = zeroed_array<T>(first_.back());
        for (std::size_t c = 0; c < n_classes; ++c)
            pack_panels(x, index + this->class_start()[c], this->class_size(c), centre, panels_.get() + first_[c] * d_);
        simd_.norms(panels_.get(), first_.back() / kLanes, d_, norms_.get());
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
              GramScratch<T>& scratch) const override {
        constexpr std::size_t at_once = kWorking;
        T* gathered = scratch.rows.at_least(std::min(at_once, n_asked) * d_);
        std::int32_t* features = scratch.features.at_least(std::min(at_once, n_asked) * d_);
        const Kernel kernel = this->with(gamma);
        const T *panels = panels_.get() + first_[c] * d_, *norms = norms_.get() + first_[c];
        const std::size_t lanes = first_[c + 1] - first_[c];
        const T* full[at_once];
        T* to[at_once];
        Nonzeros<T> few[at_once];
        for (std::size_t first = 0; first < n_asked; first += at_once) {
            const std::size_t count = std::min(at_once, n_asked - first);
            std::size_t n_full = 0, n_few = 0;
            for (std::size_t q = 0; q < count; ++q) {
                T* row = gathered + q * d_;
                gather(static_cast<std::size_t>(asked[first + q]), row);
                const std::size_t nonzeros = d_ - static_cast<std::size_t>(std::count(row, row + d_, T(0)));
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
                kernel.finish(simd_, out[first + q], norms, norms_[lane_of(static_cast<std::size_t>(asked[first + q]))],
                              lanes);
        }
    }

    T diagonal(std::size_t sample) const override {
        T value[kLanes] = {};
        std::fill(value, value + kLanes, norms_[lane_of(sample)]);
        T norms[kLanes];
        std::fill(norms, norms + kLanes, norms_[lane_of(sample)]);
        this->with(this->gamma()).finish(simd_, value, norms, norms[0], kLanes);
        return value[0];
    }

    bool worth_keeping() const override {
        return d_ > 24;
    }  // measured: at 16 features it costs a little, at 256 it saves a fifth
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
};

// Two sparse samples share few features, so the samples are kept feature by feature: a row visits, for each of its own
// features, only the samples that have it too. Every sum still runs over the features in ascending order.
template <class T>
class SparseGram final : public GramRows<T> {
   public:
    SparseGram(const SparseView& x, const std::int64_t* index, std::vector<std::size_t> start, const Kernel& kernel,
               const Simd<T>& simd)
        : GramRows<T>(std::move(start), kernel), simd_(simd), x_(x), index_(index),
          norms_(padded(this->n_samples()) + kLanes), begin_(x.d + 1, 0) {
        for (std::size_t k = 0; k < this->n_samples(); ++k) {
            T sum = 0;
            for_each(k, [&](std::size_t f, T value) {
                sum += value * value;
                ++begin_[f + 1];
            });
            norms_[k] = sum;
        }
        for (std::size_t f = 0; f < x.d; ++f) begin_[f + 1] += begin_[f];
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
        const Kernel kernel = this->with(gamma);
        for (std::size_t q = 0; q < n_asked; ++q) {
            const std::size_t sample = static_cast<std::size_t>(asked[q]);
            std::fill(out[q], out[q] + lanes, T(0));
            for_each(sample, [&](std::size_t f, T value) {
                const auto first = sample_.begin() + static_cast<std::ptrdiff_t>(begin_[f]),
                           last = sample_.begin() + static_cast<std::ptrdiff_t>(begin_[f + 1]);
                const auto from = std::lower_bound(first, last, static_cast<std::int32_t>(start));
                for (std::size_t t = static_cast<std::size_t>(from - sample_.begin()); t < begin_[f + 1]; ++t) {
                    const std::size_t k = static_cast<std::size_t>(sample_[t]);
                    if (k >= end) break;
                    out[q][k - start] += value * value_[t];
                }
            });
            kernel.finish(simd_, out[q], norms_.data() + start, norms_[sample], lanes);
        }
    }

    T diagonal(std::size_t sample) const override {
        T value[kLanes], norms[kLanes];
        std::fill(value, value + kLanes, norms_[sample]);
        std::fill(norms, norms + kLanes, norms_[sample]);
        this->with(this->gamma()).finish(simd_, value, norms, norms[0], kLanes);
        return value[0];
    }

   private:
    template <class Visit>
    void for_each(std::size_t sample, const Visit& visit) const {
        const std::size_t row = static_cast<std::size_t>(index_[sample]);
        for (std::int32_t t = x_.indptr[row]; t < x_.indptr[row + 1]; ++t)
            visit(static_cast<std::size_t>(x_.indices[t]), static_cast<T>(x_.data[t]));
    }

    const Simd<T>& simd_;
    SparseView x_;
    const std::int64_t* index_;
    std::vector<T> norms_;
    std::vector<std::size_t> begin_;    // of each feature in the lists below
    std::vector<std::int32_t> sample_;  // ascending
    std::vector<T> value_;
};

template <class T, class S>
class PrecomputedGram final : public GramRows<T> {
   public:
    PrecomputedGram(const DenseView<S>& gram, const std::int64_t* index, std::vector<std::size_t> start,
                    const Kernel& kernel)
        : GramRows<T>(std::move(start), kernel), gram_(gram), index_(index) {}

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double, T* const* out,
              GramScratch<T>&) const override {
        const std::size_t begin = this->class_start()[c], n = this->class_size(c);
        for (std::size_t q = 0; q < n_asked; ++q) {
            const S* row = gram_.row(static_cast<std::size_t>(index_[asked[q]]));
            for (std::size_t k = 0; k < n; ++k) out[q][k] = static_cast<T>(row[index_[begin + k]]);
            std::fill(out[q] + n, out[q] + padded(n), T(0));
        }
    }

    T diagonal(std::size_t sample) const override {
        const std::size_t i = static_cast<std::size_t>(index_[sample]);
        return static_cast<T>(gram_.row(i)[i]);
    }

    bool worth_keeping() const override { return false; }  // it stands in the matrix already

   private:
    DenseView<S> gram_;
    const std::int64_t* index_;
};

}  // namespace

template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const std::int64_t* index,
                                        std::vector<std::size_t> start, const double* centre, const Kernel& kernel,
                                        const Simd<T>& simd) {
    return std::make_unique<DenseGram<T>>(x, index, std::move(start), centre, kernel, simd);
}
template <class T>
std::unique_ptr<GramRows<T>> sparse_gram(const SparseView& x, const std::int64_t* index, std::vector<std::size_t> start,
                                         const Kernel& kernel, const Simd<T>& simd) {
    return std::make_unique<SparseGram<T>>(x, index, std::move(start), kernel, simd);
}
template <class T, class S>
std::unique_ptr<GramRows<T>> precomputed_gram(const DenseView<S>& gram, const std::int64_t* index,
                                              std::vector<std::size_t> start, const Kernel& kernel) {
    return std::make_unique<PrecomputedGram<T, S>>(gram, index, std::move(start), kernel);
}

double rounding_of_rows(const GramRows<float>& coarse, const GramRows<double>& fine,
                        const std::vector<std::int32_t>& asked) {
    const std::size_t n = fine.class_size(0), width = padded(n);
    std::vector<float> a(width * asked.size());
    std::vector<double> b(width * asked.size());
    std::vector<float*> to_a;
    std::vector<double*> to_b;
    for (std::size_t q = 0; q < asked.size(); ++q) {
        to_a.push_back(a.data() + q * width);
        to_b.push_back(b.data() + q * width);
    }
    GramScratch<float> scratch_a;
    GramScratch<double> scratch_b;
    coarse.rows(asked.data(), asked.size(), 0, coarse.gamma(), to_a.data(), scratch_a);
    fine.rows(asked.data(), asked.size(), 0, fine.gamma(), to_b.data(), scratch_b);
    double worst = 0;
    for (std::size_t q = 0; q < asked.size(); ++q) {
        double squares = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double difference = static_cast<double>(to_a[q][k]) - to_b[q][k];
            squares += difference * difference;
        }
        worst = std::max(worst, squares / static_cast<double>(n));
    }
    return std::sqrt(worst);
}

#define DAGMAR_FOR(T)                                                                              \
    template void Kernel::finish<T>(const Simd<T>&, T*, const T*, T, std::size_t, const T*) const; \
    template class GramRows<T>;                                                                    \
    template std::unique_ptr<GramRows<T>> sparse_gram<T>(const SparseView&, const std::int64_t*,   \
                                                         std::vector<std::size_t>, const Kernel&, const Simd<T>&);
#define DAGMAR_FOR_BOTH(T, S)                                                                                      \
    template void pack_panels<T, S>(const DenseView<S>&, const std::int64_t*, std::size_t, const double*, T*);     \
    template std::unique_ptr<GramRows<T>> dense_gram<T, S>(const DenseView<S>&, const std::int64_t*,               \
                                                           std::vector<std::size_t>, const double*, const Kernel&, \
                                                           const Simd<T>&);                                        \
    template std::unique_ptr<GramRows<T>> precomputed_gram<T, S>(const DenseView<S>&, const std::int64_t*,         \
                                                                 std::vector<std::size_t>, const Kernel&);
DAGMAR_FOR(float)
DAGMAR_FOR(double)
DAGMAR_FOR_BOTH(float, float)
DAGMAR_FOR_BOTH(float, double)
DAGMAR_FOR_BOTH(double, float)
DAGMAR_FOR_BOTH(double, double)

}  // namespace dagmar
