// Dense samples as integer codes (integers/codec.hpp): products of small integers, which are faster than those of
// floats, and exact. Features without codes are multiplied in float beside them; most of their values should be the
// lowest one, which is 0 here.
#pragma once

#include "base/costs.hpp"
#include "gram/gram.hpp"
#include "integers/code_choice.hpp"
#include "integers/codec.hpp"

namespace dagmar {

// The other kind of samples that DenseGram may have, for an rbf or Laplacian kernel. Zero is the lowest value of each
// feature: many pixels are 0, and words of zeros are not multiplied.
template <class S>
class CodedSamples {
   public:
    CodedSamples(const DenseView<S>& x, const Problem& problem, const Simd<float>& simd,
                 const IntegerProducts& products)
        : x_(x), order_(problem.order), kernel_(problem.kernel), simd_(simd), codes_(problem.codes),
          codec_(products, {codes_.origin, codes_.origin + x.d}, {codes_.per_step, codes_.per_step + x.d}),
          n_words_(codec_.n_words()), norms_(order_.size()), lane_norms_(order_.size()), n_nonzero_(order_.size()),
          rows_(aligned_array<std::uint32_t>(order_.size() * stride())) {
        for (std::size_t f = 0; f < x.d; ++f) {
            if (codes_.highest[f] < 0) uncoded_.push_back(f);
            per_step_ = std::max(per_step_, codes_.per_step[f]);
        }
        const std::size_t n = norms_.size();
        if (mostly_zero()) {
            entries_.resize(n);
            entry_ = aligned_array<CodeEntry>(n * n_words_);
        }
        if (uncoded_.empty()) return;
        uncoded_rows_.resize(n);
        uncoded_norms_.resize(n);
        value_ = aligned_array<float>(n * uncoded_.size());
        feature_ = aligned_array<std::int32_t>(n * uncoded_.size());
    }

    std::size_t n_features() const { return x_.d; }
    float norm(std::size_t) const { return 0.0f; }  // no rbf kernel needs it

    Columns<float> columns(std::size_t lanes) const {
        return {aligned_array<float>(lanes * uncoded_.size()), aligned_array<float>(lanes), lanes,
                aligned_array<std::uint32_t>(lanes * n_words_), aligned_array<std::int32_t>(lanes)};
    }

    void pack(std::span<const std::int32_t> samples, Columns<float>& to, std::size_t lane) const {
        float* panel = to.panels.get() + lane * uncoded_.size();
        std::fill_n(panel, kLanes * uncoded_.size(), 0.0f);
        for (std::size_t k = 0; k < kLanes; ++k) {
            const std::size_t sample = usize(samples[std::min(k, samples.size() - 1)]);
            codec_.set_lane(rows_.get() + sample * stride(), lane + k, to.words.get());
            to.code_norms[lane + k] = lane_norms_[sample];
            if (uncoded_.empty()) continue;
            const Nonzeros<float>& row = uncoded_rows_[sample];
            for (std::size_t t = 0; t < row.n; ++t) panel[usize(row.feature[t]) * kLanes + k] = row.value[t];
        }
        simd_.norms(panel, 1, uncoded_.size(), to.norms.get() + lane);
    }

    // As in FloatSamples.
    void load(std::span<const std::int32_t> samples, Columns<float>& to, std::size_t lane) {
        for (const std::int32_t s : samples) {
            const std::size_t sample = usize(s);
            const S* from = x_.row(usize(order_[sample]));
            std::uint32_t* words = rows_.get() + sample * stride();
            const Coded coded = codec_.encode(from, words);
            norms_[sample] = codec_.row_norm(coded);
            lane_norms_[sample] = codec_.lane_norm(coded);
            n_nonzero_[sample] = nonzero_codes(words);
            if (!entries_.empty()) load_entries(sample, words);
            if (!uncoded_.empty()) load_uncoded(sample, from);
        }
        pack(samples, to, lane);
        for (std::size_t k = 0; k < samples.size() && !uncoded_.empty(); ++k)
            uncoded_norms_[usize(samples[k])] = to.norms[lane + k];
    }

    // The same whatever the words of this processor are, and whether zeros are skipped: the steps of the solver depend
    // on it.
    double products(std::size_t first, std::size_t end) const {
        const Costs cost;
        const double n_samples = std::max(1.0, static_cast<double>(end - first));
        double codes = 0.0, uncoded = 0.0;
        for (std::size_t sample = first; sample < end; ++sample) {
            codes += static_cast<double>(n_nonzero_[sample]);
            if (!uncoded_.empty()) uncoded += static_cast<double>(uncoded_rows_[sample].n);
        }
        codes = std::min(cost.nonzero * codes / n_samples, static_cast<double>(x_.d));
        return codes / cost.byte_codes + cost.nonzero * uncoded / n_samples;
    }

    void rows(const Columns<float>& columns, std::size_t first, std::size_t lanes, std::span<const std::int32_t> asked,
              double gamma, float* const* out, GramScratch<float>& scratch) const {
        CodeRbf rbf{
            .of = {rows_.get(), stride(), norms_.data(), asked.data(), asked.size(),
                   columns.words.get() + first * n_words_, columns.code_norms.get() + first, lanes / kLanes, n_words_},
            .gamma = gamma / per_step_ / (kernel_.of_differences() ? 1.0 : per_step_),
            .entries = entries_.empty() ? nullptr : entries_.data()};
        if (!uncoded_.empty()) {
            scratch.few.clear();
            for (std::size_t q = 0; q < asked.size(); ++q) {
                Nonzeros<float> row = uncoded_rows_[usize(asked[q])];
                row.out = out[q];
                if (row.n > 0) scratch.few.push_back(row);
            }
            simd_.dots_of_nonzeros(scratch.few.data(), scratch.few.size(),
                                   columns.panels.get() + first * uncoded_.size(), lanes / kLanes, uncoded_.size());
            rbf.uncoded = {uncoded_rows_.data(), uncoded_norms_.data(), columns.norms.get() + first,
                           kernel_.unscale(gamma)};
        }
        codec_.products().rbf(rbf, {.rows = out});
    }

   private:
    // As in FloatSamples.
    std::size_t stride() const { return n_words_ + kLanes; }

    // Whether looking up nonzero words takes less time than multiplying all; some samples show how many there are.
    bool mostly_zero() const {
        constexpr std::size_t some = 64;
        const std::size_t n = norms_.size(), step = (n + some - 1) / some;
        std::vector<std::uint32_t> words(n_words_);
        std::size_t n_words = 0, n_nonzero = 0;
        for (std::size_t sample = 0; sample < n; sample += step, n_words += n_words_) {
            codec_.encode(x_.row(usize(order_[sample])), words.data());
            n_nonzero += n_words_ - usize(std::count(words.begin(), words.end(), 0u));
        }
        return Costs().nonzero * static_cast<double>(n_nonzero) < static_cast<double>(n_words);
    }

    std::size_t nonzero_codes(const std::uint32_t* words) const {
        const auto count = [](const auto* codes, std::size_t n) { return n - usize(std::count(codes, codes + n, 0)); };
        return codec_.bits() == 8 ? count(reinterpret_cast<const std::uint8_t*>(words), 4 * n_words_)
                                  : count(reinterpret_cast<const std::uint16_t*>(words), 2 * n_words_);
    }

    void load_entries(std::size_t sample, const std::uint32_t* words) {
        CodeEntry* to = entry_.get() + sample * n_words_;
        const std::size_t n = n_words_ - usize(std::count(words, words + n_words_, 0u));
        for (std::size_t w = 0, at = 0; at < n; ++w) {  // without a branch, which would be unpredictable
            to[at] = {words[w], static_cast<std::uint32_t>(w)};
            at += words[w] != 0 ? 1 : 0;
        }
        entries_[sample] = {to, n};
    }

    void load_uncoded(std::size_t sample, const S* from) {
        float* values = value_.get() + sample * uncoded_.size();
        std::int32_t* features = feature_.get() + sample * uncoded_.size();
        std::size_t n = 0;
        for (std::size_t i = 0; i < uncoded_.size(); ++i) {
            const std::size_t f = uncoded_[i];
            values[n] = static_cast<float>((static_cast<double>(from[f]) - codec_.origin(f)) * kernel_.scale);
            features[n] = static_cast<std::int32_t>(i);
            n += values[n] != 0.0f ? 1 : 0;
        }
        uncoded_rows_[sample] = {values, features, n, nullptr};
    }

    DenseView<S> x_;
    std::span<const std::int64_t> order_;
    Kernel kernel_;
    const Simd<float>& simd_;
    FeatureCodes codes_;
    Codec codec_;
    std::size_t n_words_;
    double per_step_ = 0.0;
    std::vector<std::int32_t> norms_, lane_norms_;  // of each sample
    std::vector<std::size_t> n_nonzero_;            // codes
    Aligned<std::uint32_t> rows_;
    std::vector<CodeEntries> entries_;  // nonzero words, if most are zero
    Aligned<CodeEntry> entry_;
    std::vector<std::size_t> uncoded_;  // features without codes
    std::vector<Nonzeros<float>> uncoded_rows_;
    std::vector<float> uncoded_norms_;
    Aligned<float> value_;
    Aligned<std::int32_t> feature_;
};

}  // namespace dagmar
