// Dense samples: dot products over panels, then the kernel function.
#include <algorithm>
#include <numeric>

#include "gram.hpp"
#include "integers.hpp"
#include "row_sums.hpp"

namespace dagmar {
namespace {

// Rows computed together: a multiple of the rows that are multiplied at a time.
constexpr std::size_t kAtOnce = 144;
// Panels that a thread loads at a time.
constexpr std::size_t kPiece = 4;
// Samples of at most so many bytes are kept as rows, too. (Larger problems have longer rows of the kernel, and loading
// a sample again costs little beside them.)
constexpr std::size_t kMostKept = std::size_t{64} << 20;
// Between rows that are read side by side: rows of a power of two would share few places of the first-level cache.
constexpr std::size_t kApart = kLanes;

template <class T, class S>
class DenseGram final : public GramRows<T> {
   public:
    DenseGram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd, Spare& spare, bool again)
        : GramRows<T>(problem, simd), x_(x), order_(problem.order), centre_(problem.centre), d_(x.d) {
        const std::size_t n_classes = this->n_classes(), n = this->n_samples();
        first_.resize(n_classes + 1, 0);
        for (std::size_t c = 0; c < n_classes; ++c) first_[c + 1] = first_[c] + padded(this->class_size(c));
        kept_ = again && n * d_ * sizeof(T) <= kMostKept;
        panels_ = aligned_array<T>(first_.back() * d_ + (kept_ ? n * (d_ + kApart) : 0));
        norms_ = aligned_array<T>(first_.back());
        diagonal_.resize(n);
        if (kept_) kept_rows_.resize(n);
        all_features_.resize(d_);
        std::iota(all_features_.begin(), all_features_.end(), 0);
        load(spare);
        if (problem.kernel.by_differences) no_norms_ = zeroed_array<T>(first_.back());
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
              GramScratch<T>& scratch) const override {
        rows_between(0, first_[c + 1] - first_[c], asked, n_asked, c, gamma, out, scratch);
    }

    void within(std::size_t c, double gamma, T* out, std::size_t stride, GramScratch<T>& scratch) const override {
        this->within_by_strips(c, gamma, out, stride, scratch);
    }

    bool has_columns() const override { return true; }

    Columns<T> columns(std::span<const std::int32_t> samples) const override {
        const std::size_t lanes = padded(samples.size()), apart = d_ + kApart;
        Columns<T> columns{aligned_array<T>(lanes * d_), aligned_array<T>(lanes), lanes};
        Buffer<T> memory;
        T* rows = memory.at_least(kLanes * apart);
        for (std::size_t first = 0; first < lanes; first += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const bool is_padding = first + lane >= samples.size();
                const std::size_t sample = is_padding ? 0 : usize(samples[first + lane]);
                columns.norms[first + lane] = is_padding ? T(0) : norms_[lane_of(sample)];
                if (!is_padding) gather(sample, rows + lane * apart);
            }
            to_panel(rows, std::min(kLanes, samples.size() - first), columns.panels.get() + first * d_);
        }
        return columns;
    }

    void rows_against(const Columns<T>& columns, const std::int32_t* asked, std::size_t n_asked, double gamma,
                      T* const* out, GramScratch<T>& scratch) const override {
        rows_of_panels(columns.panels.get(), columns.norms.get(), columns.lanes, asked, n_asked, gamma, out, scratch);
    }

    void add_rows(const std::int32_t* asked, const T* coef, std::size_t n_asked, std::size_t c, std::size_t first,
                  std::size_t lanes, double gamma, T* sums, GramScratch<T>& scratch) const override {
        const std::size_t begin = first_[c] + first;
        const bool by_products = this->kernel().type == KernelType::rbf && !this->kernel().by_differences;
        for (std::size_t at_row = 0; at_row < n_asked; at_row += kAtOnce) {
            const std::size_t count = std::min(kAtOnce, n_asked - at_row);
            if (by_products)
                add_rbf_rows({asked + at_row, count}, coef + at_row, begin, lanes, gamma, sums, scratch);
            else
                this->add_in_tiles({asked + at_row, count}, coef + at_row, c, first, lanes, gamma, sums, scratch);
        }
    }

    T diagonal(std::size_t sample) const override { return diagonal_[sample]; }

    // Of many features, computing a value twice is dear.
    std::size_t small_task() const override { return d_ >= 256 ? 512 : GramRows<T>::small_task(); }
    double products_of(std::size_t c) const override {
        return static_cast<double>(products_[c]) / static_cast<double>(this->class_size(c));
    }
    std::size_t working(std::size_t n_samples) const override {
        return n_samples * d_ * sizeof(T) > (std::size_t{1} << 20) ? kWorking : 2 * kLanes;
    }

   private:
    std::size_t lane_of(std::size_t sample) const {
        const std::size_t c = this->class_of(sample);
        return first_[c] + sample - this->class_start()[c];
    }
    void rows_between(std::size_t first, std::size_t lanes, const std::int32_t* asked, std::size_t n_asked,
                      std::size_t c, double gamma, T* const* out, GramScratch<T>& scratch) const override {
        const std::size_t begin = first_[c] + first;
        rows_of_panels(panels_.get() + begin * d_, norms_.get() + begin, lanes, asked, n_asked, gamma, out, scratch);
    }

    // The kernel values of the samples asked for with those of some panels.
    void rows_of_panels(const T* panels, const T* norms, std::size_t lanes, const std::int32_t* asked,
                        std::size_t n_asked, double gamma, T* const* out, GramScratch<T>& scratch) const {
        const Kernel kernel = this->kernel().with_gamma(gamma);
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
                const Nonzeros<T> row = kept_ ? kept_rows_[usize(asked[first + q])] : gathered_row(q, scratch);
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

    // add_rows of at most kAtOnce samples, for the lanes from `begin` on.
    void add_rbf_rows(std::span<const std::int32_t> asked, const T* coef, std::size_t begin, std::size_t lanes,
                      double gamma, T* sums, GramScratch<T>& scratch) const {
        if (!kept_) gather(asked, scratch);
        scratch.weighted.clear();
        for (std::size_t q = 0; q < asked.size(); ++q) {
            Nonzeros<T> row = kept_ ? kept_rows_[usize(asked[q])] : gathered_row(q, scratch);
            if (row.n == d_) row.feature = all_features_.data();
            scratch.weighted.push_back({row, norms_[lane_of(usize(asked[q]))], coef[q]});
        }
        simd_.add_rbf_rows(scratch.weighted.data(), asked.size(), panels_.get() + begin * d_, norms_.get() + begin,
                           lanes / kLanes, d_, static_cast<T>(gamma), sums);
    }

    // Other lanes of the panel become zero.
    void to_panel(const T* rows, std::size_t n_rows, T* panel) const {
        simd_.transpose(rows, d_ + kApart, n_rows, d_, panel, kLanes);
    }

    // Some panels of a class.
    struct Piece {
        std::size_t c, first, n;  // samples of the class
    };

    // Writes the panels of all classes, and keeps their samples as rows.
    void load(Spare& spare) {
        const std::size_t at_once = kPiece * kLanes;
        std::vector<Piece> pieces;
        for (std::size_t c = 0; c < this->n_classes(); ++c)
            for (std::size_t first = 0; first < this->class_size(c); first += at_once)
                pieces.push_back({c, first, std::min(at_once, this->class_size(c) - first)});
        if (kept_) features_.resize(pieces.size());
        std::vector<std::size_t> products(pieces.size());
        const std::size_t parts = this->parts_to_load(pieces.size(), d_);
        spare.run(parts, [&](std::size_t part) {
            Buffer<T> rows;
            Buffer<std::int32_t> features;
            if (!kept_) rows.at_least(kLanes * (d_ + kApart));
            if (kept_) features.at_least(at_once * d_);
            for (std::size_t i = pieces.size() * part / parts; i < pieces.size() * (part + 1) / parts; ++i)
                products[i] = load(pieces[i], rows.data(), features.data(), i);
        });
        products_.assign(this->n_classes(), 0);
        for (std::size_t i = 0; i < pieces.size(); ++i) products_[pieces[i].c] += products[i];
    }

    // `rows` (unless they are kept) and `features` (if they are) are scratch memory. Returns the numbers that are
    // multiplied in products with these samples.
    std::size_t load(const Piece& piece, T* rows, std::int32_t* features, std::size_t number) {
        const auto [c, begin, n] = piece;
        const std::size_t apart = d_ + kApart;
        T* kept = panels_.get() + first_.back() * d_ + (this->class_start()[c] + begin) * apart;
        std::size_t n_features = 0, products = 0;
        for (std::size_t first = begin; first < begin + n; first += kLanes) {
            const std::size_t count = std::min(kLanes, begin + n - first), sample = this->class_start()[c] + first;
            if (kept_) rows = kept;  // where most of them stay
            for (std::size_t lane = 0; lane < count; ++lane) {
                if (first + lane + 1 < begin + n) prefetch(sample + lane + 1);
                gather(sample + lane, rows + lane * apart);
            }
            T *panel = panels_.get() + (first_[c] + first) * d_, *norms = norms_.get() + first_[c] + first;
            to_panel(rows, count, panel);
            simd_.norms(panel, 1, d_, norms);
            for (std::size_t lane = 0; lane < count; ++lane) {
                diagonal_[sample + lane] = this->diagonal_value(norms[lane]);
                T* row = rows + lane * apart;
                const std::size_t length = length_of(row);
                products += length;
                if (!kept_) continue;
                if (length < d_) squeeze(row, features + n_features);
                if (row != kept) std::copy(row, row + length, kept);
                kept_rows_[sample + lane] = {kept, nullptr, length, nullptr};
                kept += length == d_ ? apart : length;
                if (length < d_) n_features += length;
            }
        }
        if (n_features == 0) return products;
        features_[number].assign(features, features + n_features);
        const std::int32_t* feature = features_[number].data();
        for (std::size_t k = 0; k < n; ++k) {
            Nonzeros<T>& row = kept_rows_[this->class_start()[c] + begin + k];
            if (row.n == d_) continue;
            row.feature = feature;
            feature += row.n;
        }
        return products;
    }

    Nonzeros<T> gathered_row(std::size_t q, const GramScratch<T>& scratch) const {
        return {scratch.rows.data() + q * (d_ + kApart), scratch.features.data() + q * d_, scratch.nonzeros[q],
                nullptr};
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

    // Asks for the user's row of a sample: the rows of a class do not follow each other, so no processor foresees it.
    void prefetch(std::size_t sample) const {
        const S* from = x_.row(usize(order_[sample]));
        for (std::size_t f = 0; f < d_; f += 64 / sizeof(S)) __builtin_prefetch(from + f);
    }

    // The samples as rows in the scratch memory, of those with few nonzeros only these. The same samples may be there
    // still: tasks that share a class follow each other.
    void gather(std::span<const std::int32_t> asked, GramScratch<T>& scratch) const {
        if (std::equal(asked.begin(), asked.end(), scratch.samples.begin(), scratch.samples.end())) return;
        scratch.samples.clear();
        scratch.nonzeros.clear();
        T* row = scratch.rows.at_least(asked.size() * (d_ + kApart));
        std::int32_t* features = scratch.features.at_least(asked.size() * d_);
        for (const std::int32_t a : asked) {
            gather(usize(a), row);
            scratch.nonzeros.push_back(length_of(row));
            if (scratch.nonzeros.back() < d_) squeeze(row, features);
            row += d_ + kApart;
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

    // The numbers of a row that are multiplied: its nonzeros if they are few, else all.
    std::size_t length_of(const T* row) const {
        const std::size_t n = counts_.count_nonzero(row, d_);
        return static_cast<double>(n) > kFewNonzeros * static_cast<double>(d_) ? d_ : n;
    }

    // Moves the nonzeros of a row to its front and notes their features.
    void squeeze(T* row, std::int32_t* features) const {
        std::size_t n = 0;
        for (std::size_t f = 0; f < d_; ++f) {  // without a branch, which no processor could foresee
            const T value = row[f];
            row[n] = value;
            features[n] = static_cast<std::int32_t>(f);
            n += value != T(0) ? 1 : 0;
        }
    }

    using GramRows<T>::simd_;
    const RowSums<T>& counts_ = row_sums<T>(best_level());
    DenseView<S> x_;
    std::span<const std::int64_t> order_;
    std::span<const double> centre_;
    std::size_t d_;
    std::vector<std::size_t> first_;  // first lane of each class
    // Behind the panels come the samples as rows, if they are kept, those with few nonzeros as these. (Both are one
    // array: an allocator gives memory of several large ones back, and fresh memory is slow.)
    Aligned<T> panels_, norms_;
    std::vector<T> diagonal_;
    bool kept_ = false;
    std::vector<std::size_t> products_;  // numbers that are multiplied in a product, over all samples of each class
    std::vector<Nonzeros<T>> kept_rows_;
    std::vector<std::vector<std::int32_t>> features_;  // of the kept rows with few nonzeros, piece by piece
    std::vector<std::int32_t> all_features_;           // of a row with many
    Aligned<T> no_norms_;                              // zeros, for distances by differences
};

}  // namespace

template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const Problem& problem, const Simd<T>& simd,
                                        Spare& spare, bool again) {
    return std::make_unique<DenseGram<T, S>>(x, problem, simd, spare, again);
}

template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<float>&, const Problem&, const Simd<float>&,
                                                     Spare&, bool);
template std::unique_ptr<GramRows<float>> dense_gram(const DenseView<double>&, const Problem&, const Simd<float>&,
                                                     Spare&, bool);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<float>&, const Problem&, const Simd<double>&,
                                                      Spare&, bool);
template std::unique_ptr<GramRows<double>> dense_gram(const DenseView<double>&, const Problem&, const Simd<double>&,
                                                      Spare&, bool);

}  // namespace dagmar
