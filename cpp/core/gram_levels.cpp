// Dense samples with an rbf kernel as levels (levels.hpp): products of small integers, which are faster than float ones
// and exact. Features without levels are multiplied in float beside them; most of their values should be the lowest
// one, which is 0 here.
#include <algorithm>
#include <cmath>

#include "gram.hpp"
#include "integers.hpp"
#include "levels.hpp"
#include "rbf_products.hpp"

namespace dagmar {
namespace {

// Panels that a thread loads at a time.
constexpr std::size_t kPiece = 4;
// Between rows that are read side by side: rows of a power of two would share few places of the first-level cache.
constexpr std::size_t kApart = kLanes;
// What a word that is looked up costs of one that is read in order, and the samples that tell how many are not 0.
constexpr double kLookedUp = 1.5;
constexpr std::size_t kSome = 64;
// Levels that are multiplied in the time of a float.
constexpr double kFaster = 4.0;
// Rows that are added up at a time.
constexpr std::size_t kAtOnce = 144;

template <class S>
class LevelGram final : public GramRows<float> {
   public:
    LevelGram(const DenseView<S>& x, const Problem& problem, const Simd<float>& simd, const LevelProducts& products,
              Spare& spare)
        : GramRows<float>(problem, simd), x_(x), order_(problem.order), levels_(problem.levels), by_(products),
          n_words_((x.d * usize(products.bits) + 31) / 32) {
        for (std::size_t f = 0; f < x.d; ++f) {
            if (levels_.highest[f] < 0) rest_.push_back(f);
            per_unit_ = std::max(per_unit_, levels_.per_unit[f]);
        }
        first_.resize(n_classes() + 1, 0);
        for (std::size_t c = 0; c < n_classes(); ++c) first_[c + 1] = first_[c] + padded(class_size(c));
        looks_up_ = share_of_words() * kLookedUp < 1.0;
        const std::size_t n = n_samples(), lanes = first_.back();
        panels_ = aligned_array<std::uint32_t>(lanes * n_words_);
        lane_norms_ = aligned_array<std::int32_t>(lanes);
        row_norms_.resize(n);
        if (looks_up_)
            entries_.resize(n);
        else
            rows_ = aligned_array<std::uint32_t>(n * stride());
        if (!rest_.empty()) {
            rest_panels_ = aligned_array<float>(lanes * rest_.size());
            rest_lane_norms_ = aligned_array<float>(lanes);
            rest_norms_.resize(n);
            rest_rows_.resize(n);
        }
        load(spare);
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, float* const* out,
              GramScratch<float>& scratch) const override {
        rows_between(0, first_[c + 1] - first_[c], asked, n_asked, c, gamma, out, scratch);
    }

    void within(std::size_t c, double gamma, float* out, std::size_t stride,
                GramScratch<float>& scratch) const override {
        within_by_strips(c, gamma, out, stride, scratch);
    }

    bool has_columns() const override { return true; }

    Columns<float> columns(std::span<const std::int32_t> samples) const override {
        const std::size_t lanes = padded(samples.size());
        Columns<float> columns{aligned_array<float>(lanes * rest_.size()), aligned_array<float>(lanes), lanes,
                               aligned_array<std::uint32_t>(lanes * n_words_), aligned_array<std::int32_t>(lanes)};
        const Lanes to{columns.words.get(), columns.level_norms.get(), columns.panels.get(), columns.norms.get()};
        std::vector<std::uint32_t> words(n_words_);
        std::vector<float> rest(rest_.size());
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (lane < samples.size()) {
                const std::size_t sample = usize(samples[lane]);
                read_rest(sample, rest.data());
                write(lane, words.data(), pack(sample, words.data()), rest.data(), to);
            } else {
                write_padding(lane, to);
            }
        }
        write_rest_norms(0, lanes, to);
        return columns;
    }

    void rows_against(const Columns<float>& columns, const std::int32_t* asked, std::size_t n_asked, double gamma,
                      float* const* out, GramScratch<float>& scratch) const override {
        rows_of_lanes({columns.words.get(), columns.level_norms.get(), columns.panels.get(), columns.norms.get()},
                      columns.lanes, asked, n_asked, gamma, out, scratch);
    }

    void add_rows(const std::int32_t* asked, const float* coef, std::size_t n_asked, std::size_t c, std::size_t first,
                  std::size_t lanes, double gamma, float* sums, GramScratch<float>& scratch) const override {
        for (std::size_t at = 0; at < n_asked; at += kAtOnce)
            add_in_tiles({asked + at, std::min(kAtOnce, n_asked - at)}, coef + at, c, first, lanes, gamma, sums,
                         scratch);
    }

    float diagonal(std::size_t) const override { return 1.0f; }

    // As for samples of floats: what follows from it depends on the shape of the problem alone.
    std::size_t small_task() const override { return x_.d >= 256 ? 512 : GramRows<float>::small_task(); }
    // From the samples of a class alone, whatever the words of this processor are and whether zeros are skipped: the
    // steps of the solver depend on it.
    double products_of(std::size_t c) const override { return products_[c]; }
    std::size_t working(std::size_t n_samples) const override {
        return n_samples * x_.d * sizeof(float) > (std::size_t{1} << 20) ? kWorking : 2 * kLanes;
    }

   protected:
    void rows_between(std::size_t first, std::size_t lanes, const std::int32_t* asked, std::size_t n_asked,
                      std::size_t c, double gamma, float* const* out, GramScratch<float>& scratch) const override {
        const std::size_t begin = first_[c] + first;
        const Lanes all = this->lanes();
        rows_of_lanes({all.words + begin * n_words_, all.norms + begin, all.rest + begin * rest_.size(),
                       all.rest_norms + (rest_.empty() ? 0 : begin)},
                      lanes, asked, n_asked, gamma, out, scratch);
    }

   private:
    // Samples side by side, from some lane on.
    struct Lanes {
        std::uint32_t* words;
        std::int32_t* norms;
        float *rest, *rest_norms;
    };
    Lanes lanes() const { return {panels_.get(), lane_norms_.get(), rest_panels_.get(), rest_lane_norms_.get()}; }

    std::size_t stride() const { return n_words_ + kApart; }
    // Lanes of 8 bits are signed: 128 below their levels, which takes 128 times the sum of the row off every product.
    std::uint32_t shift() const { return by_.bits == 8 ? 0x80808080u : 0; }

    void rows_of_lanes(const Lanes& to, std::size_t n_lanes, const std::int32_t* asked, std::size_t n_asked,
                       double gamma, float* const* out, GramScratch<float>& scratch) const {
        if (!rest_.empty()) {
            scratch.few.clear();
            for (std::size_t q = 0; q < n_asked; ++q) {
                Nonzeros<float> row = rest_rows_[usize(asked[q])];
                row.out = out[q];
                if (row.n > 0) scratch.few.push_back(row);
            }
            simd_.dots_of_nonzeros(scratch.few.data(), scratch.few.size(), to.rest, n_lanes / kLanes, rest_.size());
        }
        const Kernel kernel = this->kernel().with_gamma(gamma);
        const GridOperands of{rows_.get(), stride(), row_norms_.data(), asked,   n_asked,
                              to.words,    to.norms, n_lanes / kLanes,  n_words_};
        by_.rbf({of, looks_up_ ? entries_.data() : nullptr, rest_.empty() ? nullptr : rest_rows_.data(),
                 rest_norms_.data(), to.rest_norms, gamma / per_unit_ / per_unit_, kernel.unscale2(gamma)},
                out);
    }

    // The levels of a sample, side by side.
    LevelSums pack(std::size_t sample, std::uint32_t* words) const {
        const S* from = x_.row(usize(order_[sample]));
        if constexpr (std::is_same_v<S, float>)
            return by_.pack_floats(from, levels_.origin, levels_.per_unit, x_.d, words);
        else
            return by_.pack_doubles(from, levels_.origin, levels_.per_unit, x_.d, words);
    }

    // The features of a sample that have no levels.
    void read_rest(std::size_t sample, float* values) const {
        const S* from = x_.row(usize(order_[sample]));
        for (std::size_t i = 0; i < rest_.size(); ++i)
            values[i] =
                static_cast<float>((static_cast<double>(from[rest_[i]]) - levels_.origin[rest_[i]]) * kernel().scale);
    }

    void write(std::size_t lane, const std::uint32_t* words, const LevelSums& sums, const float* rest,
               const Lanes& to) const {
        std::uint32_t* word = to.words + lane / kLanes * kLanes * n_words_ + lane % kLanes;
        for (std::size_t w = 0; w < n_words_; ++w) word[w * kLanes] = words[w] ^ shift();
        to.norms[lane] = static_cast<std::int32_t>(sums.squares);
        if (rest_.empty()) return;
        float* value = to.rest + lane / kLanes * kLanes * rest_.size() + lane % kLanes;
        for (std::size_t i = 0; i < rest_.size(); ++i) value[i * kLanes] = rest[i];
    }

    void write_padding(std::size_t lane, const Lanes& to) const {
        std::uint32_t* word = to.words + lane / kLanes * kLanes * n_words_ + lane % kLanes;
        for (std::size_t w = 0; w < n_words_; ++w) word[w * kLanes] = shift();
        to.norms[lane] = 0;
        if (rest_.empty()) return;
        float* value = to.rest + lane / kLanes * kLanes * rest_.size() + lane % kLanes;
        for (std::size_t i = 0; i < rest_.size(); ++i) value[i * kLanes] = 0.0f;
    }

    // By the chain of the dot products, so that samples with the same values have a distance of 0.
    void write_rest_norms(std::size_t first_lane, std::size_t n_lanes, const Lanes& to) const {
        if (rest_.empty()) return;
        simd_.norms(to.rest + first_lane * rest_.size(), n_lanes / kLanes, rest_.size(), to.rest_norms + first_lane);
    }

    double share_of_words() const {
        const std::size_t n = n_samples(), step = (n + kSome - 1) / kSome;
        std::vector<std::uint32_t> words(n_words_);
        std::size_t n_looked_at = 0, n_nonzero = 0;
        for (std::size_t sample = 0; sample < n; sample += step) {
            pack(sample, words.data());
            n_nonzero += n_words_ - usize(std::count(words.begin(), words.end(), 0u));
            n_looked_at += n_words_;
        }
        return static_cast<double>(n_nonzero) / static_cast<double>(std::max<std::size_t>(1, n_looked_at));
    }

    // Some panels of a class.
    struct Piece {
        std::size_t c, first, n;  // samples of the class
    };
    // What is not 0 of some samples: levels, and features without.
    struct Counts {
        std::size_t levels = 0, rest = 0;
    };

    void load(Spare& spare) {
        const std::size_t at_once = kPiece * kLanes;
        std::vector<Piece> pieces;
        for (std::size_t c = 0; c < n_classes(); ++c)
            for (std::size_t first = 0; first < class_size(c); first += at_once)
                pieces.push_back({c, first, std::min(at_once, class_size(c) - first)});
        words_of_.resize(pieces.size());
        rest_of_.resize(pieces.size());
        const std::size_t parts = parts_to_load(pieces.size(), x_.d);
        std::vector<Counts> of_piece(pieces.size()), counts(n_classes());
        spare.run(parts, [&](std::size_t part) {
            std::vector<std::uint32_t> words(n_words_);
            for (std::size_t i = pieces.size() * part / parts; i < pieces.size() * (part + 1) / parts; ++i)
                of_piece[i] = load(pieces[i], words.data(), i);
        });
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            Counts& all = counts[pieces[i].c];
            all = {all.levels + of_piece[i].levels, all.rest + of_piece[i].rest};
        }
        for (std::size_t c = 0; c < n_classes(); ++c) {
            const double size = static_cast<double>(std::max<std::size_t>(1, class_size(c)));
            const double levels = kLookedUp * static_cast<double>(counts[c].levels) / size;
            const double rest = kLookedUp * static_cast<double>(counts[c].rest) / size;
            products_.push_back(std::min(levels, static_cast<double>(x_.d)) / kFaster + rest);
        }
    }

    // `words` is scratch memory.
    Counts load(const Piece& piece, std::uint32_t* words, std::size_t number) {
        const auto [c, begin, n] = piece;
        std::vector<LevelEntry>& entries = words_of_[number];
        Rest& rest = rest_of_[number];
        std::vector<std::size_t> n_entries, n_rest;
        std::size_t n_levels = 0;
        std::vector<float> values(rest_.size());
        for (std::size_t k = begin; k < begin + n; ++k) {
            const std::size_t sample = class_start()[c] + k;
            if (k + 1 < begin + n) prefetch(sample + 1);
            if (!rest_.empty()) {
                read_rest(sample, values.data());
                const std::size_t before = rest.value.size();
                for (std::size_t i = 0; i < rest_.size(); ++i) {
                    if (values[i] == 0.0f) continue;
                    rest.value.push_back(values[i]);
                    rest.feature.push_back(static_cast<std::int32_t>(i));
                }
                n_rest.push_back(rest.value.size() - before);
            }
            std::uint32_t* row = looks_up_ ? words : rows_.get() + sample * stride();
            const LevelSums sums = pack(sample, row);
            row_norms_[sample] =
                static_cast<std::int32_t>(sums.squares - (by_.bits == 8 ? 256 * sums.sum : std::int64_t{0}));
            if (looks_up_) {
                std::size_t at = entries.size();
                n_entries.push_back(at);
                entries.resize(at + n_words_);
                for (std::size_t w = 0; w < n_words_; ++w) {  // without a branch, which no processor could foresee
                    entries[at] = {words[w], static_cast<std::uint32_t>(w)};
                    at += words[w] != 0 ? 1 : 0;
                }
                entries.resize(at);
                n_entries.back() = at - n_entries.back();
            }
            n_levels += nonzero_levels(row);
            write(first_[c] + k, row, sums, values.data(), lanes());
        }
        if (begin + n == class_size(c))
            for (std::size_t k = class_size(c); k < padded(class_size(c)); ++k) write_padding(first_[c] + k, lanes());
        write_rest_norms(first_[c] + begin, padded(n), lanes());
        const LevelEntry* entry = entries.data();
        std::size_t at = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t sample = class_start()[c] + begin + k;
            if (looks_up_) {
                entries_[sample] = {entry, n_entries[k]};
                entry += n_entries[k];
            }
            if (!rest_.empty()) {
                rest_norms_[sample] = rest_lane_norms_[first_[c] + begin + k];
                rest_rows_[sample] = {rest.value.data() + at, rest.feature.data() + at, n_rest[k], nullptr};
                at += n_rest[k];
            }
        }
        return {n_levels, rest.value.size()};
    }

    std::size_t nonzero_levels(const std::uint32_t* words) const {
        const auto count = [&](const auto* levels, std::size_t n) {
            return n - usize(std::count(levels, levels + n, 0));
        };
        return by_.bits == 8 ? count(reinterpret_cast<const std::uint8_t*>(words), 4 * n_words_)
                             : count(reinterpret_cast<const std::uint16_t*>(words), 2 * n_words_);
    }

    void prefetch(std::size_t sample) const {
        const S* from = x_.row(usize(order_[sample]));
        for (std::size_t f = 0; f < x_.d; f += 64 / sizeof(S)) __builtin_prefetch(from + f);
    }

    // Of some samples, the features without levels that are not 0.
    struct Rest {
        std::vector<float> value;
        std::vector<std::int32_t> feature;
    };

    DenseView<S> x_;
    std::span<const std::int64_t> order_;
    Levels levels_;
    const LevelProducts& by_;
    std::size_t n_words_;
    double per_unit_ = 0.0;
    std::vector<double> products_;          // of each class
    bool looks_up_ = false;                 // whether words that are 0 are skipped
    std::vector<std::size_t> rest_;         // features without levels
    std::vector<std::size_t> first_;        // first lane of each class
    Aligned<std::uint32_t> panels_, rows_;  // rows only if they are multiplied whole
    Aligned<std::int32_t> lane_norms_;
    std::vector<std::int32_t> row_norms_;
    std::vector<LevelEntries> entries_;  // of each sample, in words_of_
    std::vector<std::vector<LevelEntry>> words_of_;
    Aligned<float> rest_panels_, rest_lane_norms_;
    std::vector<float> rest_norms_;
    std::vector<Nonzeros<float>> rest_rows_;  // of each sample, in rest_of_
    std::vector<Rest> rest_of_;
};

}  // namespace

template <class S>
std::unique_ptr<GramRows<float>> level_gram(const DenseView<S>& x, const Problem& problem, const Simd<float>& simd,
                                            Level level, Spare& spare) {
    if (problem.levels.empty() || problem.kernel.type != KernelType::rbf || problem.kernel.by_differences ||
        n_samples(problem.x) == 0)
        return nullptr;
    const Levels levels(problem.levels);
    const LevelProducts* products = level_products(level, *std::max_element(levels.highest, levels.highest + levels.n));
    if (!products) return nullptr;
    return std::make_unique<LevelGram<S>>(x, problem, simd, *products, spare);
}

template std::unique_ptr<GramRows<float>> level_gram(const DenseView<float>&, const Problem&, const Simd<float>&, Level,
                                                     Spare&);
template std::unique_ptr<GramRows<float>> level_gram(const DenseView<double>&, const Problem&, const Simd<float>&,
                                                     Level, Spare&);

}  // namespace dagmar
