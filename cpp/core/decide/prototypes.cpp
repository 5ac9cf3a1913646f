#include "decide/prototypes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/integers.hpp"
#include "simd/float_products.hpp"

namespace dagmar {
namespace {

constexpr std::size_t kMost = 64;  // prototypes of a class

// Adds row i of dense samples to a sum.
void add_row(const Samples& x, std::size_t i, double* sum) {
    const auto add = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            for (std::size_t f = 0; f < view.d; ++f) sum[f] += static_cast<double>(view.row(i)[f]);
    };
    std::visit(add, x);
}

}  // namespace

PrototypeCounts::PrototypeCounts(const Bank& bank) {
    const auto& start = bank.lists.class_start;
    for (std::size_t c = 0; c + 1 < start.size(); ++c) {
        const std::size_t size = start[c + 1] - start[c];
        if (size == 0) continue;
        const std::size_t most = std::clamp<std::size_t>(size / 8, 16, kMost);
        const std::size_t step = (size + 4 * most - 1) / (4 * most), n_vectors = (size + step - 1) / step;
        const std::size_t n = std::min(most, n_vectors);
        classes_.push_back({static_cast<std::int32_t>(c), n_, n, start[c], n_vectors, step});
        n_ += n;
    }
}

template <class T>
Prototypes<T>::Prototypes(const DenseVectors<T>& vectors, const Threads& threads)
    : v_(vectors), counts_(vectors.bank), grid_(vectors.grid(vectors.codes())), means_(counts_.n() * vectors.d),
      norms_(counts_.n()), each_(counts_.n()) {
    std::iota(each_.begin(), each_.end(), 0);
    if (grid_) grid_->make_room(counts_.n(), coded_);
    Stop stop;
    parallel_for(counts_.classes().size(), {threads.n, {}}, stop,
                 [&](std::size_t i, int) { find(counts_.classes()[i]); });
}

template <class T>
void Prototypes<T>::find(const OfClass& of) {
    const std::size_t d = v_.d;
    const auto vector = [&](std::size_t u) { return of.first_vector + u * of.step; };
    // Some of the vectors are the first prototypes.
    std::vector<double> points(of.n * d, 0.0);
    for (std::size_t p = 0; p < of.n; ++p) {
        add_row(v_.bank.vectors, vector(p * of.n_vectors / of.n), points.data() + p * d);
        set(of.first + p, points.data() + p * d);
    }
    // The means of the vectors nearest to each replace them. (None is nearest to a duplicate, which stays.)
    std::vector<double> sums(of.n * d, 0.0);
    std::vector<std::size_t> size(of.n, 0);
    const std::vector<std::size_t> nearest = nearest_of(of);
    for (std::size_t u = 0; u < of.n_vectors; ++u) {
        add_row(v_.bank.vectors, vector(u), sums.data() + nearest[u] * d);
        ++size[nearest[u]];
    }
    for (std::size_t p = 0; p < of.n; ++p) {
        if (size[p] == 0) continue;
        double* mean = sums.data() + p * d;
        for (std::size_t f = 0; f < d; ++f) mean[f] /= static_cast<double>(size[p]);
        set(of.first + p, mean);
    }
}

template <class T>
void Prototypes<T>::set(std::size_t place, const double* point) {
    T* mean = means_.data() + place * v_.d;
    load_row(DenseView<double>{point, 1, v_.d}, 0, v_.centre, v_.bank.kernel.scale, mean);
    v_.simd.norms_of_rows(mean, 1, v_.d, norms_.data() + place);
    if (grid_) grid_->set(point, place, coded_);
}

template <class T>
std::vector<std::size_t> Prototypes<T>::nearest_of(const OfClass& of) const {
    std::vector<std::int64_t> ids(of.n_vectors);
    for (std::size_t u = 0; u < ids.size(); ++u) ids[u] = static_cast<std::int64_t>(of.first_vector + u * of.step);
    std::vector<std::size_t> nearest(ids.size(), 0);
    std::vector<T> distances;
    Tile<T> tile;
    for (std::size_t first = 0; first < ids.size(); first += kTile) {
        tile.ids = ids.data() + first;
        tile.n = std::min(kTile, ids.size() - first);
        tile.lanes = padded(tile.n);
        v_.load_tile(v_.bank.vectors, v_.codes(), tile);
        distances.resize(of.n * tile.lanes);
        find_distances(tile, of.first, of.n, distances.data());
        std::int32_t best[kTile] = {};
        T* least = distances.data();  // those of the first prototype, and then the least of all
        for (std::size_t p = 1; p < of.n; ++p) {
            const T* here = distances.data() + p * tile.lanes;
            for (std::size_t lane = 0; lane < tile.lanes; ++lane) {
                best[lane] = here[lane] < least[lane] ? static_cast<std::int32_t>(p) : best[lane];
                least[lane] = here[lane] < least[lane] ? here[lane] : least[lane];
            }
        }
        std::copy_n(best, tile.n, nearest.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return nearest;
}

template <class T>
void Prototypes<T>::nearest(const Tile<T>& tile, std::int32_t* out) const {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    T best[kTile], own[kTile];
    std::fill(best, best + tile.lanes, infinity);
    std::fill(out, out + tile.lanes, 0);
    for (const OfClass& of : counts_.classes()) {
        std::fill(own, own + tile.lanes, infinity);
        find_least(tile, of.first, of.n, own);
        const std::int32_t label = of.label;  // a copy: `out` cannot change it
        for (std::size_t lane = 0; lane < tile.lanes; ++lane) {
            const bool closer = own[lane] < best[lane];
            best[lane] = closer ? own[lane] : best[lane];
            out[lane] = closer ? label : out[lane];
        }
    }
}

template <class T>
void Prototypes<T>::find_least(const Tile<T>& tile, std::size_t first, std::size_t n, T* least) const {
    const std::size_t n_panels = tile.lanes / kLanes, d = v_.d;
    if constexpr (std::is_same_v<T, float>) {
        if (tile.grid) return tile.grid->least_distances(tile.coded, tile.n, coded_, each_.data() + first, n, least);
        if (const FloatProducts* floats = float_products(v_.level))
            return floats->least(
                {means_.data(), d, norms_.data(), each_.data() + first, n, tile.panels.data(), tile.norms, n_panels, d},
                least);
    }
    std::vector<T> distances(n * tile.lanes);
    find_distances(tile, first, n, distances.data());
    for (std::size_t q = 0; q < n; ++q)
        for (std::size_t lane = 0; lane < tile.lanes; ++lane)
            least[lane] = std::min(least[lane], distances[q * tile.lanes + lane]);
}

template <class T>
void Prototypes<T>::find_distances(const Tile<T>& tile, std::size_t first, std::size_t n, T* out) const {
    if constexpr (std::is_same_v<T, float>)
        if (tile.grid) return tile.grid->distances(tile.coded, tile.n, coded_, each_.data() + first, n, out);
    const T* row[kMost] = {};
    T* to[kMost] = {};
    for (std::size_t q = 0; q < n; ++q) {
        row[q] = means_.data() + (first + q) * v_.d;
        to[q] = out + q * tile.lanes;
    }
    v_.simd.dots(row, n, tile.panels.data(), tile.lanes / kLanes, v_.d, to);
    for (std::size_t q = 0; q < n; ++q)
        for (std::size_t lane = 0; lane < tile.lanes; ++lane)
            to[q][lane] = norms_[first + q] + tile.norms[lane] - 2 * to[q][lane];
}

template class Prototypes<float>;
template class Prototypes<double>;

}  // namespace dagmar
