#include "gram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "integers.hpp"

namespace dagmar {
namespace {

// Products of numbers that are worth another thread; at most so many pieces, as many rows together are faster than few.
constexpr std::size_t kWorthAThread = std::size_t{1} << 20, kMostPieces = 4;
// Columns that a thread computes at a time.
constexpr std::size_t kColumns = 256;
// Rows of a class within itself: a multiple of the rows that are multiplied at a time.
constexpr std::size_t kStrip = 48;
// Lanes of rows that are computed and added up at a time.
constexpr std::size_t kTile = 512;

}  // namespace

template <class T>
GramRows<T>::GramRows(const Problem& problem, const Simd<T>& simd)
    : simd_(simd), kernel_(problem.kernel), start_(problem.class_start), class_of_(start_.back()) {
    for (std::size_t c = 0; c < n_classes(); ++c)
        std::fill(class_of_.data() + start_[c], class_of_.data() + start_[c + 1], static_cast<std::uint32_t>(c));
}

template <class T>
double GramRows<T>::products(std::span<const std::int32_t> classes) const {
    double all = 0.0, n = 0.0;
    for (const std::int32_t c : classes) {
        const double size = static_cast<double>(class_size(usize(c)));
        if (size > 0.0) all += size * products_of(usize(c));
        n += size;
    }
    return n > 0.0 ? all / n : 0.0;
}

template <class T>
double GramRows<T>::products() const {
    std::vector<std::int32_t> classes(n_classes());
    std::iota(classes.begin(), classes.end(), 0);
    return products(classes);
}

template <class T>
T GramRows<T>::diagonal_value(T norm) const {
    if (kernel_.type == KernelType::rbf) return T(1);  // a distance of zero
    T values[kLanes], norms[kLanes];
    std::fill(values, values + kLanes, norm);
    std::fill(norms, norms + kLanes, norm);
    kernel_.finish(simd_, values, norms, norm, kLanes);
    return values[0];
}

template <class T>
void GramRows<T>::within(std::size_t c, double gamma, T* out, std::size_t stride, GramScratch<T>& scratch) const {
    std::vector<std::int32_t> asked(class_size(c));
    std::vector<T*> to;
    std::iota(asked.begin(), asked.end(), static_cast<std::int32_t>(start_[c]));
    for (std::size_t k = 0; k < asked.size(); ++k) to.push_back(out + k * stride);
    rows(asked.data(), asked.size(), c, gamma, to.data(), scratch);
}

template <class T>
void GramRows<T>::within_by_strips(std::size_t c, double gamma, T* out, std::size_t stride,
                                   GramScratch<T>& scratch) const {
    const std::size_t n = class_size(c);
    std::int32_t asked[kStrip];
    T* to[kStrip];
    for (std::size_t first = 0; first < n; first += kStrip) {
        const std::size_t count = std::min(kStrip, n - first);
        std::iota(asked, asked + count, static_cast<std::int32_t>(start_[c] + first));
        for (std::size_t k = 0; k < count; ++k) to[k] = out + (first + k) * stride + first;
        rows_between(first, padded(n) - first, asked, count, c, gamma, to, scratch);
        simd_.transpose(out + first, stride, first, count, out + first * stride, stride);
    }
}

template <class T>
void GramRows<T>::add_in_tiles(std::span<const std::int32_t> asked, const T* coef, std::size_t c, std::size_t first,
                               std::size_t lanes, double gamma, T* sums, GramScratch<T>& scratch) const {
    T* tile = scratch.tile.at_least(asked.size() * kTile);
    std::vector<T*> out;
    for (std::size_t q = 0; q < asked.size(); ++q) out.push_back(tile + q * kTile);
    std::vector<std::int32_t> order(asked.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t at = 0; at < lanes; at += kTile) {
        const std::size_t n = std::min(kTile, lanes - at);
        rows_between(first + at, n, asked.data(), asked.size(), c, gamma, out.data(), scratch);
        simd_.weighted_rows(tile, kTile, order.data(), coef, asked.size(), n, sums + at);
    }
}

// By pieces of columns, the longest first: values above the diagonal and in it are computed, the others are their
// mirror image.
template <class T>
void GramRows<T>::among(std::span<const std::int32_t> samples, double gamma, T* out, std::size_t stride,
                        Spare& spare) const {
    const std::size_t n = samples.size(), n_pieces = (n + kColumns - 1) / kColumns;
    spare.run(n_pieces, [&](std::size_t i) {
        const std::size_t first = (n_pieces - 1 - i) * kColumns, end = std::min(n, first + kColumns);
        std::vector<T*> to;
        for (std::size_t k = 0; k < end; ++k) to.push_back(out + k * stride + first);
        GramScratch<T> scratch;
        rows_against(columns(samples.subspan(first, end - first)), samples.data(), end, gamma, to.data(), scratch);
        simd_.transpose(out + first, stride, first, end - first, out + first * stride, stride);
    });
}

template <class T>
std::unique_ptr<GramRows<T>> make_gram(const Problem& problem, Level level, Spare& spare, bool again) {
    const auto make = [&](const auto& view) -> std::unique_ptr<GramRows<T>> {
        if constexpr (std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            return sparse_gram<T>(view, problem, simd<T>(level));
        else if (problem.kernel.type == KernelType::precomputed)
            return precomputed_gram<T>(view, problem, simd<T>(level));
        else {
            if constexpr (std::is_same_v<T, float>)
                if (auto gram = level_gram(view, problem, simd<T>(level), level, spare)) return gram;
            return dense_gram<T>(view, problem, simd<T>(level), spare, again);
        }
    };
    return std::visit(make, problem.x);
}

double single_error(const Problem& problem, const std::vector<std::int32_t>& asked, Level level, Spare& spare) {
    const std::size_t n = problem.class_size(0), width = padded(n), d = n_features(problem.x);
    const std::size_t n_pieces = std::clamp<std::size_t>(asked.size() * width * d / kWorthAThread, 1, kMostPieces);
    std::unique_ptr<GramRows<float>> coarse;
    std::unique_ptr<GramRows<double>> fine;
    const auto make_coarse = [&] { coarse = make_gram<float>(problem, level, spare); };
    const auto make_fine = [&] { fine = make_gram<double>(problem, level, spare); };
    if (n_pieces == 1) {
        make_coarse();
        make_fine();
    } else {
        spare.run(2, [&](std::size_t i) { i == 0 ? make_fine() : make_coarse(); });
    }
    std::vector<double> largest(n_pieces, 0.0);
    const auto compare = [&](std::size_t piece) {
        const std::size_t first = asked.size() * piece / n_pieces;
        const std::size_t count = asked.size() * (piece + 1) / n_pieces - first;
        const auto a = aligned_array<float>(width * count);
        const auto b = aligned_array<double>(width * count);
        std::vector<float*> to_a;
        std::vector<double*> to_b;
        for (std::size_t q = 0; q < count; ++q) {
            to_a.push_back(a.get() + q * width);
            to_b.push_back(b.get() + q * width);
        }
        GramScratch<float> scratch_a;
        GramScratch<double> scratch_b;
        coarse->rows(asked.data() + first, count, 0, coarse->gamma(), to_a.data(), scratch_a);
        fine->rows(asked.data() + first, count, 0, fine->gamma(), to_b.data(), scratch_b);
        bool finite = true;
        for (std::size_t q = 0; q < count; ++q)
            for (std::size_t k = 0; k < n; ++k) {
                const double difference = std::abs(static_cast<double>(to_a[q][k]) - to_b[q][k]);
                finite = finite && std::isfinite(difference);
                largest[piece] = std::max(largest[piece], difference);
            }
        if (!finite) largest[piece] = std::numeric_limits<double>::infinity();
    };
    spare.run(n_pieces, compare);
    return std::accumulate(largest.begin(), largest.end(), 0.0, [](double a, double b) { return std::max(a, b); });
}

template class GramRows<float>;
template class GramRows<double>;
template std::unique_ptr<GramRows<float>> make_gram<float>(const Problem&, Level, Spare&, bool);
template std::unique_ptr<GramRows<double>> make_gram<double>(const Problem&, Level, Spare&, bool);

}  // namespace dagmar
