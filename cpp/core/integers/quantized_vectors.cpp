#include "integers/quantized_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/costs.hpp"
#include "base/integers.hpp"

namespace dagmar {
namespace {

// Distances in steps must be below this: their squares are integers of 31 bits.
constexpr double kFarthest = 46340.0;

// Rows that a thread encodes at a time: some hundredths of a millisecond.
std::size_t rows_at_once(std::size_t d) { return (std::size_t{1} << 15) / d + 1; }

double larger(double a, double b) { return a <= b || b != b ? b : a; }  // NaN is the largest

Coded larger(const Coded& a, const Coded& b) { return {larger(a.off2, b.off2), larger(a.squares, b.squares), 0.0}; }

// All features share a window of codes if it holds them all, so that a pixel may have values that it has in no vector.
// Else each feature has its own. The values are in the middle of the window.
Codec codec_of(const IntegerProducts& products, const FeatureRanges& ranges, double step) {
    const double lowest = Codec::lowest(products.bits), highest = Codec::highest(products.bits);
    const double all_low = *std::min_element(ranges.low.begin(), ranges.low.end());
    const double all_high = *std::max_element(ranges.high.begin(), ranges.high.end());
    const bool shared = std::nearbyint((all_high - all_low) / step) <= highest - lowest;
    const double middle = std::ceil((lowest + highest) / 2.0);
    std::vector<double> origin = ranges.low;
    for (std::size_t f = 0; f < origin.size(); ++f) {
        const double from = shared ? all_low : ranges.low[f], to = shared ? all_high : ranges.high[f];
        const double to_middle = std::ceil(((to - from) / step - 0.5) / 2.0);
        origin[f] += (std::nearbyint((from - ranges.low[f]) / step + to_middle) - middle) * step;
    }
    std::vector<double> per_step(origin.size(), 1.0 / step);
    return Codec(products, std::move(origin), std::move(per_step));
}

}  // namespace

bool QuantizedVectors::in_range(int bits, std::size_t n_features, double n_steps) {
    const double most = bits == 8 ? Codec::highest(bits) : n_steps;
    return (most + 2.0) * (most + 2.0) * static_cast<double>(n_features) < kFarthest * kFarthest;
}

QuantizedVectors::QuantizedVectors(const Samples& vectors, Level level, int bits, const FeatureRanges& ranges,
                                   double step, const Kernel& kernel)
    : vectors_(vectors), codec_(codec_of(*integer_products(level, bits, kernel.of_differences()), ranges, step)),
      n_products_(static_cast<double>(codec_.n_features()) / codes_per_product(level, bits)),
      farthest2_(kFarthest * kFarthest), gamma_(kernel.gamma * step * (kernel.of_differences() ? 1.0 : step)) {}

Coded QuantizedVectors::encode(const Samples& x, std::size_t i, std::uint32_t* words) const {
    Coded coded;
    for_dense(x, [&](const auto& view) { coded = codec_.encode(view.row(i), words); });
    return coded;
}

double QuantizedVectors::off_of(const Coded& coded) const {
    const bool near = bits() == 8 || coded.squares < farthest2_;  // bytes cannot be too far apart: see in_range()
    if (!near) return std::numeric_limits<double>::infinity();
    // A sum over features is at most the root of their number times the root of the sum of squares.
    if (codec_.products().differences) return gamma_ * std::sqrt(coded.off2 * static_cast<double>(codec_.n_features()));
    return std::sqrt(coded.off2 * gamma_);
}

Coded QuantizedVectors::farthest(std::size_t step) const {
    std::vector<std::uint32_t> words(codec_.n_words());
    Coded all;
    for (std::size_t v = 0; v < n_samples(vectors_); v += step) all = larger(all, encode(vectors_, v, words.data()));
    return all;
}

Coded QuantizedVectors::set_row(const Samples& x, std::size_t i, std::size_t row, CodeRows& rows) const {
    const Coded coded = encode(x, i, rows.words.data() + row * codec_.n_words());
    rows.norms[row] = codec_.row_norm(coded);
    return coded;
}

void QuantizedVectors::add_vectors(const Threads& threads) {
    const std::size_t n = n_samples(vectors_), at_once = rows_at_once(codec_.n_features());
    make_room(n, rows_);
    std::vector<Coded> farthest((n + at_once - 1) / at_once);
    share_out(n, at_once, threads, [&](std::size_t begin, std::size_t end) {
        Coded here;
        for (std::size_t v = begin; v < end; ++v) here = larger(here, set_row(vectors_, v, v, rows_));
        farthest[begin / at_once] = here;
    });
    Coded all;
    for (const Coded& here : farthest) all = larger(all, here);
    const double left = std::max(0.0, kFarthest - std::sqrt(all.squares));
    farthest2_ = left * left;
    off_ = off_of(all);
}

void QuantizedVectors::load(const Samples& x, const std::int64_t* ids, std::size_t n, CodePanels& panels) const {
    const std::size_t lanes = padded(n);
    std::uint32_t* words = panels.words.at_least(lanes * codec_.n_words());
    std::int32_t* norms = panels.norms.at_least(lanes);
    panels.off.resize(lanes);
    panels.row.resize(codec_.n_words());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (lane < n) {
            const Coded coded = encode(x, usize(ids[lane]), panels.row.data());
            norms[lane] = codec_.lane_norm(coded);
            panels.off[lane] = off_of(coded) + off_;
        } else {  // empty lanes repeat the last sample
            norms[lane] = norms[n - 1];
        }
        codec_.set_lane(panels.row.data(), lane, words);
    }
}

void QuantizedVectors::rbf(const CodeOperands& of, float* out) const {
    const IntegerProducts& products = codec_.products();
    const RowOutput to{.first = out, .stride = of.n_panels * kLanes};
    products.short_rbf&& of.n_words <= kShortWords ? products.short_rbf(of, gamma_, to)
                                                   : products.rbf({.of = of, .gamma = gamma_}, to);
}

void QuantizedVectors::kernel_values_of_panels(const CodeRows& row, std::size_t first, std::size_t n,
                                               float* out) const {
    std::call_once(panels_made_, [&] {
        CodePanels panels;
        std::vector<std::int64_t> ids(n_samples(vectors_));
        std::iota(ids.begin(), ids.end(), std::int64_t{0});
        load(vectors_, ids.data(), ids.size(), panels);
        panels_ = std::move(panels);
    });
    constexpr std::int32_t only = 0;
    CodeOperands of = operands(panels_, n * kLanes, row, &only, 1);
    of.panels += first * kLanes * codec_.n_words();
    of.lane_norms += first * kLanes;
    rbf(of, out);
}

}  // namespace dagmar
