#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "integers.hpp"
#include "row_distances.hpp"

namespace dagmar {
namespace {

// How far from an integer a level may be for a step to be found.
constexpr double kMostOff = 0x1p-10;
// Steps in the widest feature; looking for more takes longer than small models take to decide.
constexpr double kMostLevels = 4096;
// Up to so many steps, levels take 7 bits, with room for vectors that are farther out than those looked at.
constexpr double kFewLevels = 112;
// From so many features on, vectors that are on no grid are rounded to levels: products of fewer take little of the
// time.
constexpr std::size_t kShortest = 32;

template <class Visit>
void for_dense(const Samples& x, const Visit& visit) {
    std::visit(
        [&](const auto& view) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>) visit(view);
        },
        x);
}

// Rows that a thread reads at a time: some hundredths of a millisecond.
std::size_t rows_at_once(std::size_t d) { return (std::size_t{1} << 15) / d + 1; }

// Rows that tell of the others, spread over them; fewer of those that tell more.
constexpr std::size_t kSome = 64;

template <class S>
std::size_t stride_of(const DenseView<S>& x) {
    const std::size_t some = std::clamp<std::size_t>(256 * kSome / x.d, kSome / 4, kSome);
    return (x.n + some - 1) / some;
}

// Four levels, of up to 63 in size, times -2.
std::uint32_t minus_twice(std::uint32_t levels) {
    constexpr std::uint32_t ones = 0x01010101u, low = 0x7f7f7f7fu;
    const std::uint32_t others = ~((levels & low) << 1);  // minus 1 in each
    return ((others & low) + ones) ^ (others & ~low);
}

// Sums of integers that wrap around: only distances are in range.
std::int32_t wrapped(double sum) { return static_cast<std::int32_t>(static_cast<std::int64_t>(sum)); }

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

// Distances, in steps, must be below this: their squares are integers of 31 bits.
constexpr double kFarthest = 46340.0;

// The step of some of the rows; 0 if `widest` has more than `most` of them. It has a whole number of them, and few
// numbers pass for more than the first values of data that is on no grid.
template <class S>
double step_of(const DenseView<S>& x, const std::vector<double>& low, double widest, double most) {
    constexpr std::size_t enough = 4096;
    std::vector<double> parts;  // of the widest extent
    const double per_unit = 1.0 / widest;
    for (std::size_t i = 0; i < x.n && parts.size() < enough; i += stride_of(x))
        for (std::size_t f = 0; f < x.d; ++f) {
            const double part = (static_cast<double>(x.row(i)[f]) - low[f]) * per_unit;
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

// The mean kernel value of two vectors, from some of them.
double mean_value(const Bank& bank, Level level) {
    constexpr std::size_t few = 6;
    double sum = 0;
    std::size_t n = 0;
    for_dense(bank.vectors, [&](const auto& x) {
        std::vector<double> some;
        for (std::size_t i = 0; i < x.n; i += stride_of(x)) some.insert(some.end(), x.row(i), x.row(i) + x.d);
        const std::size_t n_some = some.size() / x.d;
        std::vector<std::int32_t> which(n_some);
        std::iota(which.begin(), which.end(), 0);
        std::vector<double> distance(n_some);
        for (std::size_t i = 0; i < n_some; i += (n_some + few - 1) / few) {
            const double* one = some.data() + i * x.d;
            double* to = distance.data();
            row_distances(level)(&one, 1, some.data(), which.data(), n_some, x.d, &to);
            for (const double here : distance) {
                sum += here == 0 ? 0.0 : std::exp(-bank.kernel.gamma * here);  // 0: the same vector
                n += here != 0;
            }
        }
    });
    return sum / static_cast<double>(std::max<std::size_t>(1, n));
}

// What a bound on a value is, as a share of it, for each unit that samples and vectors are off together. Values are
// about 1, and the sizes of their terms about the mean of the machines' coefficients times the mean kernel value; from
// there on as in coefficient_sizes.hpp.
double share_of_bound(const Bank& bank, Level level) {
    const double value = mean_value(bank, level);
    double coefficients = 0;
    for (const double c : bank.lists.coef) coefficients += std::abs(c);
    const double size = value * coefficients / static_cast<double>(std::max<std::size_t>(1, bank.lists.n_machines()));
    return 2.0 * size * std::sqrt(std::max(0.5, -std::log(value)));
}

}  // namespace

// Of every feature, and the widest.
struct Grid::Extent {
    std::vector<double> low, high;
    double widest = 0;

    void note_widest() {
        for (std::size_t f = 0; f < low.size(); ++f) widest = std::max(widest, high[f] - low[f]);
    }
};

namespace {

// Widens it by the extents of rows begin ... end-1.
template <class S>
void widen(const DenseView<S>& x, std::size_t begin, std::size_t end, const GridProducts& products, double* low,
           double* high) {
    if constexpr (std::is_same_v<S, float>)
        products.extent_of_floats(x.row(begin), end - begin, x.d, low, high);
    else
        products.extent_of_doubles(x.row(begin), end - begin, x.d, low, high);
}

}  // namespace

auto Grid::extent_of_some(const Samples& vectors, const GridProducts& products) -> Extent {
    Extent e;
    for_dense(vectors, [&](const auto& x) {
        e.low.assign(x.row(0), x.row(0) + x.d);
        e.high = e.low;
        for (std::size_t i = 0; i < x.n; i += stride_of(x)) widen(x, i, i + 1, products, e.low.data(), e.high.data());
    });
    e.note_widest();
    return e;
}

auto Grid::extent_of_all(const Samples& vectors, const GridProducts& products, const Threads& threads) -> Extent {
    Extent e;
    for_dense(vectors, [&](const auto& x) {
        const std::size_t at_once = rows_at_once(x.d), n_pieces = (x.n + at_once - 1) / at_once;
        std::vector<double> low(n_pieces * x.d), high(low.size());
        share_out(x.n, at_once, threads, [&](std::size_t begin, std::size_t end) {
            double *own_low = low.data() + begin / at_once * x.d, *own_high = high.data() + begin / at_once * x.d;
            std::copy_n(x.row(begin), x.d, own_low);
            std::copy_n(x.row(begin), x.d, own_high);
            widen(x, begin, end, products, own_low, own_high);
        });
        e.low.assign(low.begin(), low.begin() + static_cast<std::ptrdiff_t>(x.d));
        e.high = e.low;
        for (const auto* own : {&low, &high})
            products.extent_of_doubles(own->data(), n_pieces, x.d, e.low.data(), e.high.data());
    });
    e.note_widest();
    return e;
}

Grids Grid::find(const Bank& bank, Level level, const std::vector<double>& centre, const Threads& threads) {
    Grids found;
    const GridProducts *few = grid_products(level, 7), *bytes = grid_products(level, 8);
    const GridProducts* words = grid_products(level, 16);
    const bool rbf = bank.kernel.type == KernelType::rbf && bank.gammas.empty();
    const std::size_t d = n_features(bank.vectors);
    if (!rbf || !words || n_samples(bank.vectors) == 0 || d == 0) return found;
    double in_float = 0;
    for_dense(bank.vectors, [&](const auto& x) { in_float = products_in_float(x, centre); });
    const auto faster = [&](const GridProducts* products) {
        return products && static_cast<double>(d) / products->faster < in_float;
    };
    if (!faster(bytes) && !faster(words)) return found;
    // So many steps that the largest distance, in steps, is an integer of 31 bits.
    const double most = std::floor(std::sqrt(0x1p31 / static_cast<double>(d))) - 2.0;
    const auto step_in = [&](const Extent& e) {
        double step = 0;
        for_dense(bank.vectors,
                  [&](const auto& x) { step = step_of(x, e.low, e.widest, std::min(most, kMostLevels)); });
        return step;
    };
    // The faster the levels, the more signs they may leave open.
    std::optional<double> known;
    const auto rough_in = [&](const Extent& e) {
        std::unique_ptr<Grid> rough;
        if (d < kShortest) return rough;
        if (!known) known = 2.0 * share_of_bound(bank, level);
        const double share = *known;
        if (faster(bytes)) rough = round(bank, *bytes, e, 0.1 / share);
        if (!rough && !found.exact && faster(words)) rough = round(bank, *words, e, 0.06 / share);
        return rough;
    };
    // What is not for some of the vectors is not for all.
    const Extent some = extent_of_some(bank.vectors, *words);
    const double step_of_some = some.widest == 0 ? 0.0 : step_in(some);
    const bool may_be_on_grid = some.widest == 0 || step_of_some > 0;
    if (!std::isfinite(some.widest) || (!may_be_on_grid && !rough_in(some))) return found;
    const auto find_exact = [&](const Extent& e, double step) {
        const double n_steps = e.widest / step;
        const GridProducts* exact = few && n_steps < kFewLevels ? few : bytes && n_steps < 255.5 ? bytes : words;
        if (!(step > 0) || !faster(exact)) return;
        std::unique_ptr<Grid> grid(new Grid(bank, *exact, e, step));
        grid->add_vectors(threads);
        if (grid->off() <= kPrecise) found.exact = std::move(grid);
    };
    // Mostly the grid of some has room for all, and nobody needs to know the extent of all.
    find_exact(some, step_of_some);
    if (found.exact && (found.exact->bits() == 8 || d < kShortest)) return found;
    const Extent e = extent_of_all(bank.vectors, *words, threads);
    if (!(e.widest > 0) || !std::isfinite(e.widest)) return found;
    const bool same = e.low == some.low && e.high == some.high;
    if (!found.exact && may_be_on_grid && !same) find_exact(e, step_in(e));
    if (found.exact && found.exact->bits() == 8) return found;
    std::unique_ptr<Grid> rough = rough_in(e);
    if (rough) rough->add_vectors(threads);
    if (rough && std::isfinite(rough->off())) found.rough = std::move(rough);
    return found;
}

std::unique_ptr<Grid> Grid::round(const Bank& bank, const GridProducts& products, const Extent& e, double off) {
    const std::size_t some = (n_samples(bank.vectors) + kSome / 4 - 1) / (kSome / 4);
    double most = 1.0;
    if (products.bits == 16) {  // as many as distances have room for, and some for samples farther out than these
        const double norm = std::sqrt(Grid(bank, products, e, e.widest / 255.0).farthest(some).squares);
        most = std::floor(std::min(kFarthest / (2.5 * norm), 32767.0 / 255.0));
    }
    if (!(most >= 1.0)) return nullptr;
    // Features of few levels are on the grid if their number divides that of all levels.
    std::unique_ptr<Grid> found;
    double least = off;
    for (const double levels : {255.0, 240.0}) {
        std::unique_ptr<Grid> grid(new Grid(bank, products, e, e.widest / (levels * most)));
        const double here = grid->off_of(grid->farthest(some));
        if (here <= least) found = std::move(grid), least = here;
    }
    return found;
}

Grid::Grid(const Bank& bank, const GridProducts& products, const Extent& e, double step)
    : products_(products), origin_(e.low), n_words_((e.low.size() * usize(products.bits) + 31) / 32), step_(step),
      farthest2_(kFarthest * kFarthest), gamma_(bank.kernel.gamma * step * step), bank_(bank) {
    const double half = products.bits == 8 ? 128.0 : 32767.0, highest = products.bits == 8 ? 127.0 : half;
    const double lowest_of_rows = products.doubled ? -63.0 : -half;
    const double highest_of_rows = products.doubled ? 63.0 : highest;
    // All features share a window of levels if that holds them all, so that a pixel may have values that it has in no
    // vector.
    const double all_low = *std::min_element(e.low.begin(), e.low.end());
    const double all_high = *std::max_element(e.high.begin(), e.high.end());
    const bool shared = std::nearbyint((all_high - all_low) / step) <= highest_of_rows - lowest_of_rows;
    for (std::size_t f = 0; f < e.low.size(); ++f) {
        const double from = shared ? all_low : e.low[f], to = shared ? all_high : e.high[f];
        origin_[f] += std::nearbyint((from - e.low[f]) / step + std::ceil(((to - from) / step - 0.5) / 2.0)) * step;
    }
    by_ = {origin_.data(), 1.0 / step, -half, highest};
    rows_by_ = {origin_.data(), 1.0 / step, lowest_of_rows, highest_of_rows};
}

Levelled Grid::levels(const Samples& x, std::size_t i, const GridScale& by, std::uint32_t* words) const {
    Levelled found{};
    for_dense(x, [&](const auto& view) {
        if constexpr (std::is_same_v<std::decay_t<decltype(view)>, DenseView<float>>)
            found = products_.levels_of_floats(view.row(i), by, origin_.size(), words);
        else
            found = products_.levels_of_doubles(view.row(i), by, origin_.size(), words);
    });
    return found;
}

double Grid::off_of(const Levelled& levelled) const {
    const bool near = levelled.squares < farthest2_;
    return near ? std::sqrt(levelled.off2 * gamma_) : std::numeric_limits<double>::infinity();
}

void Grid::make_room(std::size_t n_rows, GridRows& rows) const {
    rows.words.resize(n_rows * n_words_);
    rows.norms.resize(n_rows);
}

Levelled Grid::set_row(const Samples& x, std::size_t i, std::size_t row, GridRows& rows) const {
    std::uint32_t* words = rows.words.data() + row * n_words_;
    const Levelled levelled = levels(x, i, rows_by_, words);
    if (products_.doubled) std::transform(words, words + n_words_, words, minus_twice);
    // Lanes of 8 bits are unsigned: 128 above their levels, which adds 128 times the sum of the row to every product.
    const double shift = products_.bits == 8 ? 256.0 : 0.0;
    rows.norms[row] = wrapped(levelled.squares + shift * levelled.sum);
    return levelled;
}

namespace {

Levelled larger(const Levelled& a, const Levelled& b) {
    return {larger_norm2(a.off2, b.off2), larger_norm2(a.squares, b.squares), 0.0};
}

}  // namespace

Levelled Grid::farthest(std::size_t step) const {
    std::vector<std::uint32_t> words(n_words_);
    Levelled all{};
    for (std::size_t v = 0; v < n_samples(bank_.vectors); v += step)
        all = larger(all, levels(bank_.vectors, v, rows_by_, words.data()));
    return all;
}

void Grid::add_vectors(const Threads& threads) {
    const std::size_t n = n_samples(bank_.vectors), at_once = rows_at_once(origin_.size());
    make_room(n, rows_);
    std::vector<Levelled> farthest((n + at_once - 1) / at_once);
    share_out(n, at_once, threads, [&](std::size_t begin, std::size_t end) {
        Levelled here{};
        for (std::size_t v = begin; v < end; ++v) here = larger(here, set_row(bank_.vectors, v, v, rows_));
        farthest[begin / at_once] = here;
    });
    Levelled all{};
    for (const Levelled& here : farthest) all = larger(all, here);
    const double left = std::max(0.0, kFarthest - std::sqrt(all.squares));
    farthest2_ = left * left;
    off_ = off_of(all);
}

void Grid::know(std::size_t n_samples, KnownLevels& known) const {
    known.of = this;
    known.words = aligned_array<std::uint32_t>(n_samples * n_words_);
    known.norms.resize(n_samples);
    known.off.resize(n_samples);
}

void Grid::load(const Samples& x, const std::int64_t* ids, std::size_t n, GridPanels& panels, KnownLevels* known,
                bool first) const {
    const std::size_t lanes = padded(n);
    std::uint32_t* words = panels.words.at_least(lanes * n_words_);
    std::int32_t* norms = panels.norms.at_least(lanes);
    panels.off.resize(lanes);
    panels.row.resize(n_words_);
    const std::uint32_t shift = products_.bits == 8 ? 0x80808080u : 0;
    std::uint32_t* row = panels.row.data();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (lane >= n) {  // empty lanes repeat the last sample
            norms[lane] = norms[n - 1];
        } else {
            const std::size_t i = usize(ids[lane]);
            if (known) row = known->words.get() + i * n_words_;
            if (!known || first) {
                row[n_words_ - 1] = 0;  // where there are no features
                const Levelled levelled = levels(x, i, by_, row);
                norms[lane] = wrapped(levelled.squares);
                panels.off[lane] = off_of(levelled) + off_;
                if (known) {
                    known->norms[i] = norms[lane];
                    known->off[i] = panels.off[lane];
                }
            } else {
                norms[lane] = known->norms[i];
                panels.off[lane] = known->off[i];
            }
        }
        std::uint32_t* to = words + lane / kLanes * kLanes * n_words_ + lane % kLanes;
        for (std::size_t w = 0; w < n_words_; ++w) to[w * kLanes] = row[w] ^ shift;
    }
}

double Grid::load_row(const Samples& x, std::size_t i, GridRows& row) const {
    make_room(1, row);
    return off_of(set_row(x, i, 0, row)) + off_;
}

void Grid::kernel_values_of_panels(const GridRows& row, std::size_t first, std::size_t n, float* out) const {
    std::call_once(pool_made_, [&] {
        GridPanels pool;
        std::vector<std::int64_t> ids(n_samples(bank_.vectors));
        std::iota(ids.begin(), ids.end(), std::int64_t{0});
        load(bank_.vectors, ids.data(), ids.size(), pool);
        pool_ = std::move(pool);
    });
    constexpr std::int32_t only = 0;
    GridOperands of = operands(pool_, n * kLanes, row, &only, 1);
    of.panels += first * kLanes * n_words_;
    of.lane_norms += first * kLanes;
    products_.rbf(of, gamma_, out);
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

bool Grid::adds_terms() const { return products_.sum && n_words_ <= kShortWords; }

void Grid::add_terms(const GridPanels& panels, std::size_t n, const std::int32_t* vectors, std::size_t n_vectors,
                     const float* coef, double* sums) const {
    products_.sum(operands(panels, n, rows_, vectors, n_vectors), gamma_, coef, sums);
}

void Grid::distances(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                     std::size_t n_rows, float* out) const {
    products_.distances(operands(panels, n, rows, which, n_rows), out);
}

void Grid::least_distances(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                           std::size_t n_rows, float* least) const {
    products_.least(operands(panels, n, rows, which, n_rows), least);
}

}  // namespace dagmar
