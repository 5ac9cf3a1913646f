// Dense samples as integer codes (integers/codec.hpp): products of small integers, which are faster than those of
// floats, and exact. Features without codes are multiplied in float beside them; most of their values should be the
// lowest one, which is 0 here.
#pragma once

#include "base/costs.hpp"
#include "gram/gram.hpp"
#include "integers/code_choice.hpp"
#include "integers/codec.hpp"

namespace dagmar {

// The other kind of samples that DenseGram may have, for an rbf kernel. Zero is the lowest value of each feature: many
// pixels are 0, and words of zeros are not multiplied.
template <class S>
class CodedSamples {
   public:
    CodedSamples(const DenseView<S>& x, const Problem& problem, const Simd<float>& simd,
                 const IntegerProducts& products)
        : x_(x), order_(problem.order), kernel_(problem.kernel), simd_(simd), codes_(problem.levels),
          codec_(products, {codes_.origin, codes_.origin + x.d}, {codes_.per_step, codes_.per_step + x.d}),
          n_words_(codec_.n_words()), norms_(order_.size()) {
        for (std::size_t f = 0; f < x.d; ++f) {
            if (codes_.highest[f] < 0) uncoded_.push_back(f);
            per_step_ = std::max(per_step_, codes_.per_step[f]);
        }
        const std::size_t n = norms_.size();
        if (mostly_zero()) {
            entries_.resize(n);
            entry_ = aligned_array<CodeEntry>(n * n_words_);
        } else {
            rows_ = aligned_array<std::uint32_t>(n * stride());
        }
        if (uncoded_.empty()) return;
        uncoded_rows_.resize(n);
        uncoded_norms_.resize(n);
        value_ = aligned_array<float>(n * uncoded_.size());
        feature_ = aligned_array<std::int32_t>(n * uncoded_.size());
    }

    std::size_t n_features() const { return x_.d; }

    Columns<float> columns(std::size_t lanes) const {
        return {aligned_array<float>(lanes * uncoded_.size()), aligned_array<float>(lanes), lanes,
                aligned_array<std::uint32_t>(lanes * n_words_), aligned_array<std::int32_t>(lanes)};
    }

    // As in FloatSamples.
    struct Room {
        std::vector<std::uint32_t> words;  // rows of a panel
        std::vector<float> uncoded;
        Coded coded[kLanes];
    };

    void pack(std::span<const std::int32_t> samples, Columns<float>& to, std::size_t lane, Room& room) const {
        const std::size_t n_uncoded = uncoded_.size();
        room.words.assign(kLanes * n_words_, 0);
        room.uncoded.assign(kLanes * n_uncoded, 0.0f);
        for (std::size_t k = 0; k < kLanes; ++k) {
            std::uint32_t* words = room.words.data() + k * n_words_;
            float* values = room.uncoded.data() + k * n_uncoded;
            room.coded[k] = {};
            if (k < samples.size()) {
                const S* from = x_.row(usize(order_[usize(samples[k])]));
                room.coded[k] = codec_.encode(from, words);
                for (std::size_t i = 0; i < n_uncoded; ++i)
                    values[i] = static_cast<float>(
                        (static_cast<double>(from[uncoded_[i]]) - codec_.origin(uncoded_[i])) * kernel_.scale);
            }
            codec_.set_lane(words, lane + k, to.words.get());
            to.code_norms[lane + k] = codec_.lane_norm(room.coded[k]);
            for (std::size_t i = 0; i < n_uncoded; ++i) to.panels[lane * n_uncoded + i * kLanes + k] = values[i];
        }
        // By the chain of the dot products, so that samples with the same values have a distance of 0.
        if (n_uncoded > 0) simd_.norms(to.panels.get() + lane * n_uncoded, 1, n_uncoded, to.norms.get() + lane);
    }

    struct Kept {
        explicit Kept(std::size_t sample) : first(sample) {}
        std::size_t first, n_entries = 0, n_uncoded = 0, n_nonzero_codes = 0;
    };

    void keep(std::span<const std::int32_t> samples, const Columns<float>& from, std::size_t lane, const Room& room,
              Kept& kept) {
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const std::size_t sample = usize(samples[k]);
            const std::uint32_t* words = room.words.data() + k * n_words_;
            norms_[sample] = codec_.row_norm(room.coded[k]);
            kept.n_nonzero_codes += nonzero_codes(words);
            if (entries_.empty())
                std::copy(words, words + n_words_, rows_.get() + sample * stride());
            else
                keep_entries(sample, words, kept);
            if (!uncoded_.empty()) {
                uncoded_norms_[sample] = from.norms[lane + k];
                keep_uncoded(sample, room.uncoded.data() + k * uncoded_.size(), kept);
            }
        }
    }

    // The same whatever the words of this processor are, and whether zeros are skipped: the steps of the solver depend
    // on it.
    double products(const std::vector<Kept>& of_class, double n_samples) const {
        const Costs cost;
        double codes = 0.0, uncoded = 0.0;
        for (const Kept& kept : of_class) {
            codes += static_cast<double>(kept.n_nonzero_codes);
            uncoded += static_cast<double>(kept.n_uncoded);
        }
        codes = std::min(cost.nonzero * codes / n_samples, static_cast<double>(x_.d));
        return codes / cost.byte_codes + cost.nonzero * uncoded / n_samples;
    }

    void rows(const Columns<float>& columns, std::size_t first, std::size_t lanes, std::span<const std::int32_t> asked,
              double gamma, float* const* out, GramScratch<float>& scratch) const {
        CodeRbf rbf{
            .of = {rows_.get(), stride(), norms_.data(), asked.data(), asked.size(),
                   columns.words.get() + first * n_words_, columns.code_norms.get() + first, lanes / kLanes, n_words_},
            .gamma = gamma / per_step_ / per_step_,
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
                           kernel_.with_gamma(gamma).unscale2(gamma)};
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

    void keep_entries(std::size_t sample, const std::uint32_t* words, Kept& kept) {
        CodeEntry* to = entry_.get() + kept.first * n_words_ + kept.n_entries;
        const std::size_t n = n_words_ - usize(std::count(words, words + n_words_, 0u));
        for (std::size_t w = 0, at = 0; at < n; ++w) {  // without a branch, which would be unpredictable
            to[at] = {words[w], static_cast<std::uint32_t>(w)};
            at += words[w] != 0 ? 1 : 0;
        }
        entries_[sample] = {to, n};
        kept.n_entries += n;
    }

    void keep_uncoded(std::size_t sample, const float* values, Kept& kept) {
        const std::size_t at = kept.first * uncoded_.size() + kept.n_uncoded;
        std::size_t n = 0;
        for (std::size_t i = 0; i < uncoded_.size(); ++i) {
            if (values[i] == 0.0f) continue;
            value_[at + n] = values[i];
            feature_[at + n++] = static_cast<std::int32_t>(i);
        }
        uncoded_rows_[sample] = {value_.get() + at, feature_.get() + at, n, nullptr};
        kept.n_uncoded += n;
    }

    DenseView<S> x_;
    std::span<const std::int64_t> order_;
    Kernel kernel_;
    const Simd<float>& simd_;
    FeatureCodes codes_;
    Codec codec_;
    std::size_t n_words_;
    double per_step_ = 0.0;
    std::vector<std::int32_t> norms_;   // of each sample
    Aligned<std::uint32_t> rows_;       // of each sample, if most words are not zero;
    std::vector<CodeEntries> entries_;  // else its nonzero words
    Aligned<CodeEntry> entry_;
    std::vector<std::size_t> uncoded_;  // features without codes
    std::vector<Nonzeros<float>> uncoded_rows_;
    std::vector<float> uncoded_norms_;
    Aligned<float> value_;
    Aligned<std::int32_t> feature_;
};

}  // namespace dagmar
