// Dense samples in panels, class by class.
#pragma once

#include "base/costs.hpp"
#include "gram/coded_samples.hpp"
#include "gram/float_samples.hpp"

namespace dagmar {

// Form: FloatSamples or CodedSamples.
template <class T, class Form>
class DenseGram final : public GramRows<T> {
   public:
    DenseGram(const Problem& problem, const Simd<T>& simd, Form form, Spare& spare)
        : GramRows<T>(problem, simd), form_(std::move(form)), first_(this->n_classes() + 1, 0) {
        for (std::size_t c = 0; c < this->n_classes(); ++c) first_[c + 1] = first_[c] + padded(this->class_size(c));
        all_ = form_.columns(first_.back());
        load(spare);
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
              GramScratch<T>& scratch) const override {
        rows_between(all_, first_[c], first_[c + 1] - first_[c], {asked, n_asked}, gamma, out, scratch);
    }

    // Strip by strip, each from its first panel on; what stands before that is known from the strips before.
    void within(std::size_t c, double gamma, T* out, std::size_t stride, GramScratch<T>& scratch) const override {
        const std::size_t n = this->class_size(c);
        std::int32_t asked[kStrip];
        T* to[kStrip];
        for (std::size_t first = 0; first < n; first += kStrip) {
            const std::size_t count = std::min(kStrip, n - first);
            std::iota(asked, asked + count, static_cast<std::int32_t>(this->class_start()[c] + first));
            for (std::size_t k = 0; k < count; ++k) to[k] = out + (first + k) * stride + first;
            rows_between(all_, first_[c] + first, padded(n) - first, {asked, count}, gamma, to, scratch);
            this->simd_.transpose(out + first, stride, first, count, out + first * stride, stride);
        }
    }

    bool has_columns() const override { return true; }

    Columns<T> columns(std::span<const std::int32_t> samples) const override {
        Columns<T> columns = form_.columns(padded(samples.size()));
        for (std::size_t lane = 0; lane < samples.size(); lane += kLanes)
            form_.pack(samples.subspan(lane, std::min(kLanes, samples.size() - lane)), columns, lane);
        return columns;
    }

    void rows_against(const Columns<T>& columns, const std::int32_t* asked, std::size_t n_asked, double gamma,
                      T* const* out, GramScratch<T>& scratch) const override {
        rows_between(columns, 0, columns.lanes, {asked, n_asked}, gamma, out, scratch);
    }

    // In tiles, which are computed and then added up.
    void add_rows(const std::int32_t* asked, const T* coef, std::size_t n_asked, std::size_t c, std::size_t first,
                  std::size_t lanes, double gamma, T* sums, GramScratch<T>& scratch) const override {
        const std::size_t begin = first_[c] + first, most = std::min(kAtOnce, n_asked);
        T* tile = scratch.tile.at_least(most * kTile);
        T* out[kAtOnce];
        for (std::size_t q = 0; q < most; ++q) out[q] = tile + q * kTile;
        for (std::size_t q = 0; q < n_asked; q += kAtOnce) {
            const std::span<const std::int32_t> some(asked + q, std::min(kAtOnce, n_asked - q));
            for (std::size_t at = 0; at < lanes; at += kTile) {
                const std::size_t n = std::min(kTile, lanes - at);
                form_.rows(all_, begin + at, n, some, gamma, out, scratch);
                this->simd_.weighted_rows(tile, kTile, nullptr, coef + q, some.size(), n, sums + at);
            }
        }
    }

    T diagonal(std::size_t sample) const override { return this->diagonal_value(form_.norm(sample)); }

    std::size_t n_features() const override { return form_.n_features(); }
    double products_of(std::size_t c) const override { return products_[c]; }

   private:
    // Rows computed together, and rows of a class within itself: multiples of the rows that are multiplied at a time.
    static constexpr std::size_t kAtOnce = 144, kStrip = 48;
    // Lanes of rows that are computed and added up at a time: they stay in the second-level cache.
    static constexpr std::size_t kTile = 512;
    // The time it takes to load a number, in products.
    static constexpr double kLoad = 16.0;

    void rows_between(const Columns<T>& columns, std::size_t first, std::size_t lanes,
                      std::span<const std::int32_t> asked, double gamma, T* const* out, GramScratch<T>& scratch) const {
        for (std::size_t at = 0; at < asked.size(); at += kAtOnce) {
            const auto some = asked.subspan(at, std::min(kAtOnce, asked.size() - at));
            form_.rows(columns, first, lanes, some, gamma, out + at, scratch);
        }
    }

    void load(Spare& spare) {
        std::vector<std::pair<std::size_t, std::size_t>> panels;  // class, and first of its samples
        for (std::size_t c = 0; c < this->n_classes(); ++c)
            for (std::size_t first = 0; first < this->class_size(c); first += kLanes) panels.emplace_back(c, first);
        // If several tasks follow, threads are awake.
        const double work = kLoad * static_cast<double>(this->n_samples() * form_.n_features());
        const std::size_t parts =
            parts_worth(work, panels.size(), this->n_classes() > 2 ? kWorthSharing : kWorthWaking);
        spare.run(parts, [&](std::size_t part) {
            std::int32_t samples[kLanes];
            for (std::size_t i = panels.size() * part / parts; i < panels.size() * (part + 1) / parts; ++i) {
                const auto [c, first] = panels[i];
                const std::size_t n = std::min(kLanes, this->class_size(c) - first);
                std::iota(samples, samples + n, static_cast<std::int32_t>(this->class_start()[c] + first));
                form_.load({samples, n}, all_, first_[c] + first);
            }
        });
        for (std::size_t c = 0; c < this->n_classes(); ++c)
            products_.push_back(form_.products(this->class_start()[c], this->class_start()[c + 1]));
    }

    Form form_;
    std::vector<std::size_t> first_;  // first lane of each class
    Columns<T> all_;
    std::vector<double> products_;
};

// The products of a problem's codes, if it has them and this level multiplies them fast; else null.
inline const IntegerProducts* products_of_codes(const Problem& problem, Level level) {
    if (problem.codes.empty() || !problem.kernel.has_codes() || problem.kernel.by_differences) return nullptr;
    const FeatureCodes codes(problem.codes);
    const bool differences = problem.kernel.of_differences();
    // Features without codes are multiplied beside the others, which differences are not made of.
    if (differences && *std::min_element(codes.highest, codes.highest + codes.n) < 0.0) return nullptr;
    const double highest = *std::max_element(codes.highest, codes.highest + codes.n);
    const IntegerProducts* bytes = highest <= Codec::highest(8) ? integer_products(level, 8, differences) : nullptr;
    return bytes ? bytes : integer_products(level, 16, differences);
}

template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const Problem& problem, Level level, Spare& spare) {
    const Simd<T>& simd = dagmar::simd<T>(level);
    if constexpr (std::is_same_v<T, float>)
        if (const IntegerProducts* products = x.n > 0 ? products_of_codes(problem, level) : nullptr) {
            using Form = CodedSamples<S>;
            return std::make_unique<DenseGram<T, Form>>(problem, simd, Form(x, problem, simd, *products), spare);
        }
    using Form = FloatSamples<T, S>;
    return std::make_unique<DenseGram<T, Form>>(problem, simd, Form(x, problem, simd), spare);
}

}  // namespace dagmar
