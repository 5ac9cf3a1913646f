#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "integers.hpp"

namespace dagmar {
namespace {

// How far from an integer a level may be, whatever the kernel.
constexpr double kMostOff = 0x1p-10;
// Steps in the widest feature; looking for more takes longer than small models take to decide.
constexpr double kMostLevels = 4096;
// The largest relative error of kernel values, of samples that are close to the grid, for which the grid is used.
constexpr double kMostError = 0x1p-17;

template <class Visit>
void for_dense(const Samples& x, const Visit& visit) {
    std::visit(
        [&](const auto& view) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>) visit(view);
        },
        x);
}

struct Extent {
    std::vector<double> low, high;  // per feature
};

template <class S>
Extent extent_of(const DenseView<S>& x) {
    Extent e{std::vector<double>(x.row(0), x.row(0) + x.d), std::vector<double>(x.row(0), x.row(0) + x.d)};
    double *low = e.low.data(), *high = e.high.data();
    for (std::size_t i = 1; i < x.n; ++i) {
        const S* row = x.row(i);
        for (std::size_t f = 0; f < x.d; ++f) {
            const double value = static_cast<double>(row[f]);
            low[f] = value < low[f] ? value : low[f];
            high[f] = value > high[f] ? value : high[f];
        }
    }
    return e;
}

// Rows that tell of the others, spread over them.
template <class S>
std::size_t stride_of(const DenseView<S>& x) {
    constexpr std::size_t some = 64;
    return (x.n + some - 1) / some;
}

// The products that a vector and a sample take in float, in time. Of vectors that are mostly zero only nonzeros count.
template <class S>
double products_in_float(const DenseView<S>& x, const std::vector<double>& centre) {
    constexpr double nonzero = 1.5;  // products of whole rows
    std::size_t n = 0, n_nonzero = 0;
    for (std::size_t i = 0; i < x.n; i += stride_of(x), n += x.d)
        for (std::size_t f = 0; f < x.d; ++f) n_nonzero += static_cast<double>(x.row(i)[f]) != centre[f];
    const double share = static_cast<double>(n_nonzero) / static_cast<double>(n), d = static_cast<double>(x.d);
    return share <= kFewNonzeros ? nonzero * share * d : d;
}

// The step of some of the rows; 0 if `widest` has more than `most` of them. It has a whole number of them, and few
// numbers pass for more than the first values of data that is on no grid.
template <class S>
double step_of(const DenseView<S>& x, const Extent& e, double widest, double most) {
    constexpr std::size_t enough = 4096;
    std::vector<double> parts;  // of the widest extent
    for (std::size_t i = 0; i < x.n && parts.size() < enough; i += stride_of(x))
        for (std::size_t f = 0; f < x.d; ++f) {
            const double part = (static_cast<double>(x.row(i)[f]) - e.low[f]) / widest;
            if (part > 0 && part < 1) parts.push_back(part);
        }
    for (double n = 1; n <= most; ++n) {
        const auto whole = [n](double part) {
            constexpr double to_integer = 0x1.8p52;  // added and taken away, it leaves the nearest integer
            const double level = part * n;
            return std::abs(level - ((level + to_integer) - to_integer)) <= kMostOff;
        };
        if (std::all_of(parts.begin(), parts.end(), whole)) return widest / n;
    }
    return 0.0;
}

}  // namespace

std::unique_ptr<const Grid> Grid::find(const Bank& bank, Level level, const std::vector<double>& centre) {
    std::unique_ptr<const Grid> found;
    const bool rbf = bank.kernel.type == KernelType::rbf && bank.gammas.empty();
    if (!rbf || !grid_products(level, 16)) return found;
    for_dense(bank.vectors, [&](const auto& x) {
        if (x.n == 0 || x.d == 0) return;
        const Extent e = extent_of(x);
        double widest = 0;
        for (std::size_t f = 0; f < x.d; ++f) widest = std::max(widest, e.high[f] - e.low[f]);
        // So many steps that the largest distance, in steps, is an integer of 31 bits.
        const double most = std::floor(std::sqrt(0x1p31 / static_cast<double>(x.d))) - 2.0;
        if (!(widest > 0) || !std::isfinite(widest) || most < 1) return;
        const double step = step_of(x, e, widest, std::min(most, kMostLevels));
        if (!(step > 0)) return;
        const bool bytes = widest / step < 255.5 && grid_products(level, 8) && most > 255;
        const GridProducts& products = *grid_products(level, bytes ? 8 : 16);
        if (static_cast<double>(x.d) / products.faster >= products_in_float(x, centre)) return;
        for (const bool rounded : {false, true}) {
            std::unique_ptr<Grid> grid(new Grid(bank, products, e.low, e.high, step, rounded));
            if (!found && grid->error() <= kMostError && grid->add_vectors(bank.vectors)) found = std::move(grid);
        }
    });
    return found;
}

Grid::Grid(const Bank& bank, const GridProducts& products, const std::vector<double>& low,
           const std::vector<double>& high, double step, bool rounded)
    : products_(products), origin_(low), n_words_((low.size() * usize(products.bits) + 31) / 32),
      gamma_(bank.kernel.gamma * step * step), bank_(bank) {
    const double d = static_cast<double>(low.size());
    const double half = products.bits == 8 ? 128.0 : std::min(32767.0, std::floor(std::sqrt(0x1p31 / d) / 2.0) - 1.0);
    const double highest = products.bits == 8 ? 127.0 : half;
    // All features share a window of levels if that holds them all, so that a pixel may have values that it has in no
    // vector.
    const double all_low = *std::min_element(low.begin(), low.end());
    const double all_high = *std::max_element(high.begin(), high.end());
    const bool shared = std::nearbyint((all_high - all_low) / step) <= half + highest;
    for (std::size_t f = 0; f < low.size(); ++f) {
        const double from = shared ? all_low : low[f], to = shared ? all_high : high[f];
        origin_[f] += std::nearbyint((from - low[f]) / step + std::ceil(((to - from) / step - 0.5) / 2.0)) * step;
    }
    const double unit = kArithmetic<float>.unit, gamma = bank.kernel.gamma;
    // What is off by no more changes no distance by more than the rounding of the kernel.
    double off = unit / (4.0 * gamma * d * (half + highest) * step);
    if (rounded) {
        off = 0.505 * unit * std::max(std::abs(all_low), std::abs(all_high));
        // A feature off by e changes gamma |x-z|^2 = y by 2 sqrt(gamma y) e, and kernel values with y > 80 ln 2 are 0.
        // The error of a sample is the same for all terms. Like other bounds, this allows for eight standard errors.
        error_ = 2.0 * std::sqrt(gamma * 80.0 * 0.693) * 8.0 * std::sqrt(2.0 / 3.0) * off;
    }
    by_ = {origin_.data(), 1.0 / step, std::min(off / step, kMostOff), -half, highest};
}

bool Grid::levels(const Samples& x, std::size_t i, std::int16_t* out) const {
    bool on_grid = false;
    for_dense(x, [&](const auto& view) {
        if constexpr (std::is_same_v<std::decay_t<decltype(view)>, DenseView<float>>)
            on_grid = products_.levels_of_floats(view.row(i), by_, origin_.size(), out);
        else
            on_grid = products_.levels_of_doubles(view.row(i), by_, origin_.size(), out);
    });
    return on_grid;
}

void Grid::write_words(const std::int16_t* levels, int shift, std::uint32_t* words, std::size_t stride) const {
    if (products_.bits == 16) {
        for (std::size_t w = 0; w < n_words_; ++w)
            words[w * stride] = static_cast<std::uint16_t>(levels[2 * w]) |
                                static_cast<std::uint32_t>(static_cast<std::uint16_t>(levels[2 * w + 1])) << 16;
        return;
    }
    for (std::size_t w = 0; w < n_words_; ++w) {
        std::uint32_t word = 0;
        for (std::size_t u = 0; u < 4; ++u)
            word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(levels[4 * w + u] + shift)) << 8 * u;
        words[w * stride] = word;
    }
}

void Grid::add_row(const std::int16_t* levels, GridRows& rows) const {
    const std::size_t at = rows.words.size();
    rows.words.resize(at + n_words_);
    write_words(levels, 0, rows.words.data() + at, 1);
    // Lanes of 8 bits are unsigned: 128 above their levels, which adds 128 times the sum of the row to every product.
    const std::int32_t shift = products_.bits == 8 ? 256 : 0;
    std::int32_t norm = 0;
    for (std::size_t f = 0; f < origin_.size(); ++f) norm += levels[f] * (levels[f] + shift);
    rows.norms.push_back(norm);
}

bool Grid::add_vectors(const Samples& vectors) {
    std::vector<std::int16_t> levels(origin_.size() + 4, 0);
    rows_.words.reserve(n_samples(vectors) * n_words_);
    for (std::size_t v = 0; v < n_samples(vectors); ++v) {
        if (!this->levels(vectors, v, levels.data())) return false;
        add_row(levels.data(), rows_);
    }
    return true;
}

void Grid::add_rounded(const double* point, GridRows& rows) const {
    std::vector<std::int16_t> levels(origin_.size() + 4, 0);
    for (std::size_t f = 0; f < origin_.size(); ++f)
        levels[f] = static_cast<std::int16_t>(
            std::clamp(std::nearbyint((point[f] - origin_[f]) * by_.per_step), by_.lowest, by_.highest));
    add_row(levels.data(), rows);
}

bool Grid::load(const Samples& x, const std::int64_t* ids, std::size_t n, GridPanels& panels) const {
    const std::size_t lanes = padded(n);
    std::uint32_t* words = panels.words.at_least(lanes * n_words_);
    std::int32_t* norms = panels.norms.at_least(lanes);
    panels.error = error_;
    panels.levels.assign(origin_.size() + 4, 0);
    std::int16_t* levels = panels.levels.data();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        // Empty lanes repeat the last sample.
        if (lane < n && !this->levels(x, usize(ids[lane]), levels)) return false;
        std::int32_t norm = 0;
        for (std::size_t f = 0; f < origin_.size(); ++f) norm += levels[f] * levels[f];
        norms[lane] = norm;
        write_words(levels, 128, words + lane / kLanes * kLanes * n_words_ + lane % kLanes, kLanes);
    }
    return true;
}

bool Grid::load_row(const Samples& x, std::size_t i, GridRows& row) const {
    std::vector<std::int16_t> levels(origin_.size() + 4, 0);
    if (!this->levels(x, i, levels.data())) return false;
    row.words.clear();
    row.norms.clear();
    add_row(levels.data(), row);
    return true;
}

void Grid::kernel_values_of_class(const GridRows& row, std::size_t c, float* out) const {
    const auto& start = bank_.lists.class_start;
    std::call_once(classes_made_, [&] {
        std::vector<GridPanels> classes(start.size() - 1);
        std::vector<std::int64_t> ids(start.back());
        std::iota(ids.begin(), ids.end(), std::int64_t{0});
        for (std::size_t k = 0; k < classes.size(); ++k)
            load(bank_.vectors, ids.data() + start[k], start[k + 1] - start[k], classes[k]);
        classes_ = std::move(classes);
    });
    constexpr std::int32_t first = 0;
    products_.rbf(operands(classes_[c], start[c + 1] - start[c], row, &first, 1), gamma_, out);
}

GridOperands Grid::operands(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                            std::size_t n_rows) const {
    return {rows.words.data(),   n_words_,           rows.norms.data(), which, n_rows, panels.words.data(),
            panels.norms.data(), padded(n) / kLanes, n_words_};
}

void Grid::kernel_values(const GridPanels& panels, std::size_t n, const std::int32_t* vectors, std::size_t n_vectors,
                         float* out) const {
    products_.rbf(operands(panels, n, rows_, vectors, n_vectors), gamma_, out);
}

void Grid::distances(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                     std::size_t n_rows, float* out) const {
    products_.distances(operands(panels, n, rows, which, n_rows), out);
}

}  // namespace dagmar
