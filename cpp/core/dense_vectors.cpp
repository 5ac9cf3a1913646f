#include "dense_vectors.hpp"

#include <algorithm>
#include <limits>

#include "decide_lanes.hpp"

namespace dagmar {

namespace {

// The most signs that levels may leave open; the values of those are computed again, alone and in double.
constexpr double kMostOpen = 0.05;
// So many say nothing: they may be of a few samples.
constexpr double kAnyOpen = 16;
// The same of one tile, whose samples may be unlike those before.
constexpr double kMostOpenInTile = 0.2;

// Features that a thread loads at a time: some hundredths of a millisecond.
constexpr std::size_t kLoadedAtOnce = std::size_t{1} << 15;

// Rows a multiple of 2 KB apart would have to share few places of the first-level cache.
template <class T>
std::size_t stride_of(std::size_t d) {
    return d * sizeof(T) % 2048 == 0 ? d + kLanes : d;
}

}  // namespace

template <class T>
DenseVectors<T>::DenseVectors(const Bank& bank_, Level level, const Threads& threads)
    : Vectors<T>(bank_, level), d(n_features(bank.vectors)), centre(bank.centre.begin(), bank.centre.end()),
      stride_(stride_of<T>(d)) {
    this->longest = d;
    gamma_ = static_cast<T>(
        std::min(bank.kernel.unscale2(bank.kernel.gamma), static_cast<double>(std::numeric_limits<T>::max())));
    centre.resize(d, 0.0);
    if constexpr (std::is_same_v<T, float>)
        if (!bank.whole) grids_ = Grid::find(bank, level, centre, threads);
    if (const Grid* first = levels_to_guess())
        products = first->n_products();
    else
        make_rows(threads);
}

template <class T>
bool DenseVectors<T>::too_rough(const Tile<T>& tile, std::size_t asked, std::size_t open) const {
    if (!tile.levels || tile.levels != grids_.rough.get()) return false;
    note_open(asked, open);
    return !rough_serves_ || static_cast<double>(open) > kMostOpenInTile * static_cast<double>(asked);
}

template <class T>
void DenseVectors<T>::note_open(std::size_t asked, std::size_t open) const {
    asked_ += asked;
    open_ += open;
    if (static_cast<double>(open_) > kMostOpen * static_cast<double>(asked_) + kAnyOpen) rough_serves_ = false;
}

template <class T>
void DenseVectors<T>::make_rows(const Threads& threads) const {
    std::call_once(rows_made_, [&] { const_cast<DenseVectors<T>*>(this)->load_rows(threads); });
}

template <class T>
void DenseVectors<T>::load_rows(const Threads& threads) {
    rows_ = aligned_array<T>(norms.size() * stride_);
    const std::vector<double> own_centre = bank.whole ? std::vector<double>(d) : centre;
    share_out(norms.size(), kLoadedAtOnce / std::max<std::size_t>(1, d) + 1, threads,
              [&](std::size_t begin, std::size_t end) {
                  constexpr std::size_t few =
                      8;  // rows that are still in the first-level cache when their norms are taken
                  for (std::size_t first = begin; first < end; first += few) {
                      const std::size_t last = std::min(end, first + few);
                      for (std::size_t v = first; v < last; ++v) {
                          T* row = rows_.get() + v * stride_;
                          load(bank.vectors, v, own_centre, row);
                          std::fill(row + d, row + stride_, T(0));
                      }
                      simd.norms_of_rows(row(first), last - first, stride_, norms.data() + first);
                  }
              });
    this->note_largest_norm();
    const double n_products = find_nonzeros(threads);
    if (!levels_to_guess()) products = n_products;
}

template <class T>
void DenseVectors<T>::make_panels() const {
    make_rows();
    std::call_once(panels_made_, [&] { const_cast<DenseVectors<T>*>(this)->load_panels(); });
}

template <class T>
void DenseVectors<T>::load_panels() {
    const std::size_t lanes = padded(norms.size());
    panels_ = zeroed_array<T>(std::max<std::size_t>(1, lanes * d));
    padded_norms_ = zeroed_array<T>(lanes);
    std::copy(norms.begin(), norms.end(), padded_norms_.get());
    for (std::size_t v = 0; v < norms.size(); ++v) {
        T* lane = panels_.get() + v / kLanes * kLanes * d + v % kLanes;
        for (std::size_t f = 0; f < d; ++f) lane[f * kLanes] = row(v)[f];
    }
}

template <class T>
double DenseVectors<T>::find_nonzeros(const Threads& threads) {
    const auto most = static_cast<std::size_t>(kFewNonzeros * static_cast<double>(d));
    const auto n_nonzero = [&](std::size_t v) { return d - usize(std::count(row(v), row(v) + d, T(0))); };
    // If none of some vectors is, few are.
    constexpr std::size_t some = 32;
    bool any = false;
    for (std::size_t v = 0; v < norms.size() && !any; v += (norms.size() + some - 1) / some) any = n_nonzero(v) <= most;
    if (!any) return static_cast<double>(d);
    const auto for_each_vector = [&](const auto& visit) {
        share_out(norms.size(), kLoadedAtOnce / std::max<std::size_t>(1, d) + 1, threads,
                  [&](std::size_t first, std::size_t last) {
                      for (std::size_t v = first; v < last; ++v) visit(v);
                  });
    };
    std::vector<std::size_t> begin(norms.size() + 1);  // in value_, of each vector; first, their nonzeros
    for_each_vector([&](std::size_t v) { begin[v + 1] = n_nonzero(v); });
    std::size_t n_products = 0;
    for (std::size_t v = 0; v < norms.size(); ++v) {
        const std::size_t count = begin[v + 1];
        begin[v + 1] = begin[v] + (count > most ? 0 : count);
        n_products += count > most ? d : count;
    }
    const double mean = static_cast<double>(n_products) / static_cast<double>(std::max<std::size_t>(1, norms.size()));
    if (begin.back() == 0) return mean;
    nonzeros_.resize(norms.size());
    value_.resize(begin.back());
    feature_.resize(begin.back());
    for_each_vector([&](std::size_t v) {
        const std::size_t count = begin[v + 1] - begin[v];
        if (count == 0) return;
        T* value = value_.data() + begin[v];
        std::int32_t* feature = feature_.data() + begin[v];
        nonzeros_[v] = {value, feature, count, nullptr};
        // Zeros are written, too, and then overwritten: no branch, which would be hard to predict.
        const T* from = row(v);
        for (std::size_t f = 0, at = 0; at < count; ++f) {
            value[at] = from[f];
            feature[at] = static_cast<std::int32_t>(f);
            at += from[f] != T(0);
        }
    });
    return mean;
}

template <class T>
void DenseVectors<T>::load(const Samples& x, std::size_t i, const std::vector<double>& minus, T* row) const {
    const auto centred = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>) {
            const auto* from = view.row(i);
            for (std::size_t f = 0; f < d; ++f)
                row[f] = static_cast<T>((static_cast<double>(from[f]) - minus[f]) * this->bank.kernel.scale);
        }
    };
    std::visit(centred, x);
}

template <class T>
void DenseVectors<T>::load_tile(const Samples& x, Tile<T>& tile) const {
    const auto as = [&](const Grid* levels) {
        tile.levels = levels;
        if (!levels) return false;
        KnownLevels* known = tile.known && tile.known->of == levels ? tile.known : nullptr;
        levels->load(x, tile.ids, tile.n, tile.levelled, known, tile.use == Use::guesses);
        return true;
    };
    if (tile.use == Use::guesses && as(levels_to_guess())) return;
    if (tile.use == Use::rough_labels && as(rough_levels())) return;
    if (tile.use != Use::values && as(grids_.exact.get())) {
        const auto on_grid = [](double off) { return off <= Grid::kPrecise; };
        if (std::all_of(tile.levelled.off.begin(), tile.levelled.off.begin() + tile.n, on_grid)) return;
    }
    tile.levels = nullptr;
    make_rows();
    T* panels = tile.panels.at_least(kTile * d);
    const auto pack = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            pack_panels(view, tile.ids, tile.n, centre.data(), this->bank.kernel.scale, panels);
    };
    std::visit(pack, x);
    simd.norms(panels, tile.lanes / kLanes, d, tile.norms);
}

template <class T>
void DenseVectors<T>::dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
    tile.row.clear();
    tile.out.clear();
    tile.few.clear();
    for (std::size_t q = 0; q < n; ++q) {
        const std::size_t v = usize(vectors[q]);
        T* to = out + q * tile.lanes;
        if (const Nonzeros<T>* few = nonzeros(v)) {
            tile.few.push_back({few->value, few->feature, few->n, to});
        } else {
            tile.row.push_back(row(v));
            tile.out.push_back(to);
        }
    }
    const std::size_t n_panels = tile.lanes / kLanes;
    simd.dots(tile.row.data(), tile.row.size(), tile.panels.data(), n_panels, d, tile.out.data());
    simd.dots_of_nonzeros(tile.few.data(), tile.few.size(), tile.panels.data(), n_panels, d);
}

template <class T>
void DenseVectors<T>::kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
    if constexpr (std::is_same_v<T, float>) {
        if (tile.levels) return tile.levels->kernel_values(tile.levelled, tile.n, vectors, n, out);
        const FloatProducts* floats = float_products(this->level);
        if (floats && bank.kernel.type == KernelType::rbf && bank.gammas.empty() && nonzeros_.empty())
            return floats->rbf({rows_.get(), stride_, norms.data(), vectors, n, tile.panels.data(), tile.norms,
                                tile.lanes / kLanes, d},
                               static_cast<double>(gamma_), out);
    }
    Vectors<T>::kernel_values(tile, vectors, n, out);
}

template <class T>
bool DenseVectors<T>::add_terms(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, const T* coef,
                                double* sums) const {
    if constexpr (std::is_same_v<T, float>)
        if (tile.levels && tile.levels->adds_terms()) {
            tile.levels->add_terms(tile.levelled, tile.n, vectors, n, coef, sums);
            return true;
        }
    return false;
}

template class DenseVectors<float>;
template class DenseVectors<double>;

}  // namespace dagmar
