#include "prototypes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "decide_cost.hpp"
#include "decide_lanes.hpp"

namespace dagmar {

namespace {

// Adds row i of dense samples to a sum.
void add_row(const Samples& x, std::size_t i, double* sum) {
    const auto add = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            for (std::size_t f = 0; f < view.d; ++f) sum[f] += static_cast<double>(view.row(i)[f]);
    };
    std::visit(add, x);
}

// Room for the distances of some vectors, side by side, to others.
template <class T>
struct Distances {
    GridPanels levelled;
    std::vector<T> panels, dots;
    std::vector<const T*> row;
    std::vector<T*> out;
    std::vector<float> found;
};

// distances.found[p * padded(n) + lane]: the squared distances of n vectors to the seeds, but for a number that is the
// same for all seeds.
template <class T>
void find_distances(const DenseVectors<T>& v, const std::int64_t* used, std::size_t n,
                    const std::vector<std::int32_t>& seed, Distances<T>& distances) {
    const std::size_t lanes = padded(n);
    distances.found.resize(seed.size() * lanes);
    if (const Grid* levels = v.levels_to_guess()) {
        levels->load(v.bank.vectors, used, n, distances.levelled);
        levels->distances_to_vectors(distances.levelled, n, seed.data(), seed.size(), distances.found.data());
        return;
    }
    distances.panels.resize(lanes * v.d);
    distances.dots.resize(seed.size() * lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const T* row = v.row(usize(used[std::min(lane, n - 1)]));
        T* to = distances.panels.data() + lane / kLanes * kLanes * v.d + lane % kLanes;
        for (std::size_t f = 0; f < v.d; ++f) to[f * kLanes] = row[f];
    }
    distances.row.clear();
    distances.out.clear();
    for (std::size_t p = 0; p < seed.size(); ++p) {
        distances.row.push_back(v.row(usize(seed[p])));
        distances.out.push_back(distances.dots.data() + p * lanes);
    }
    v.simd.dots(distances.row.data(), seed.size(), distances.panels.data(), lanes / kLanes, v.d, distances.out.data());
    for (std::size_t p = 0; p < seed.size(); ++p)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            distances.found[p * lanes + lane] =
                static_cast<float>(v.norms[usize(seed[p])] - 2 * distances.dots[p * lanes + lane]);
}

// For each of some vectors the nearest of some others, the seeds.
template <class T>
std::vector<std::size_t> nearest_seeds(const DenseVectors<T>& v, const std::vector<std::int64_t>& used,
                                       const std::vector<std::int32_t>& seed, Distances<T>& distances) {
    std::vector<std::size_t> nearest;
    for (std::size_t first = 0; first < used.size(); first += kTile) {
        const std::size_t n = std::min(kTile, used.size() - first), lanes = padded(n);
        find_distances(v, used.data() + first, n, seed, distances);
        float least[kTile];
        std::int32_t best[kTile] = {};
        std::fill_n(least, kTile, std::numeric_limits<float>::infinity());
        for (std::size_t p = 0; p < seed.size(); ++p)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const float here = distances.found[p * lanes + lane];
                best[lane] = here < least[lane] ? static_cast<std::int32_t>(p) : best[lane];
                least[lane] = here < least[lane] ? here : least[lane];
            }
        nearest.insert(nearest.end(), best, best + n);
    }
    return nearest;
}

}  // namespace

// What a thread needs to find the prototypes of a class.
template <class T>
struct Prototypes<T>::Room {
    std::vector<std::int64_t> used;
    std::vector<std::int32_t> seed;
    std::vector<std::size_t> size;
    std::vector<double> sums;
    Distances<T> distances;
};

// Some vectors of a class that has n, spread evenly over it, and how many prototypes they are to have.
template <class T>
struct Prototypes<T>::Choice {
    explicit Choice(std::size_t n) {
        // One for every eight vectors: then a guess costs about a tenth of its check.
        const std::size_t most = std::clamp<std::size_t>(n / 8, 16, kMost), sample = 4 * most;
        step = (n + sample - 1) / sample;
        n_used = (n + step - 1) / step;
        n_prototypes = std::min(most, n_used);
    }
    std::size_t step, n_used, n_prototypes;
};

template <class T>
Prototypes<T>::Prototypes(const DenseVectors<T>& vectors, const Threads& threads) : d_(vectors.d) {
    const auto& start = vectors.bank.lists.class_start;
    for (std::size_t c = 0; c + 1 < start.size(); ++c) {
        if (start[c + 1] == start[c]) continue;
        classes_.push_back(static_cast<std::int32_t>(c));
        begin_.push_back(begin_.back() + Choice(start[c + 1] - start[c]).n_prototypes);
    }
    const std::size_t n = begin_.back();
    means_.resize(n * d_);
    norms_.resize(n);
    if (vectors.levels_to_guess()) vectors.levels_to_guess()->make_room(n, rounded_);
    std::vector<Room> rooms(usize(threads.n));
    Stop stop;
    parallel_for(classes_.size(), {threads.n, {}}, stop, [&](std::size_t i, int worker) {
        find(vectors, usize(classes_[i]), begin_[i], begin_[i + 1] - begin_[i], rooms[usize(worker)]);
    });
    each_.resize(n);
    std::iota(each_.begin(), each_.end(), 0);
}

template <class T>
double Prototypes<T>::cost_of_guess(const DenseVectors<T>& vectors) {
    const auto& start = vectors.bank.lists.class_start;
    std::size_t n = 0;
    for (std::size_t c = 0; c + 1 < start.size(); ++c)
        if (start[c + 1] > start[c]) n += Choice(start[c + 1] - start[c]).n_prototypes;
    // Means have no zeros to skip.
    const double products = vectors.levels_to_guess() ? vectors.products : static_cast<double>(vectors.d);
    return static_cast<double>(n) * (products + kDistanceCost);
}

// One round of Lloyd's algorithm.
template <class T>
void Prototypes<T>::find(const DenseVectors<T>& vectors, std::size_t c, std::size_t first, std::size_t n, Room& room) {
    auto& [used, seed, size, sums, distances] = room;
    const auto& start = vectors.bank.lists.class_start;
    const Choice choice(start[c + 1] - start[c]);
    used.clear();
    seed.clear();
    for (std::size_t u = 0; u < choice.n_used; ++u)
        used.push_back(static_cast<std::int64_t>(start[c] + u * choice.step));
    for (std::size_t p = 0; p < n; ++p) seed.push_back(static_cast<std::int32_t>(used[p * choice.n_used / n]));
    const std::vector<std::size_t> nearest = nearest_seeds(vectors, used, seed, distances);
    sums.assign(n * d_, 0.0);
    size.assign(n, 0);
    for (std::size_t u = 0; u < choice.n_used; ++u) {
        add_row(vectors.bank.vectors, usize(used[u]), sums.data() + nearest[u] * d_);
        ++size[nearest[u]];
    }
    for (std::size_t p = 0; p < n; ++p) {
        double* mean = sums.data() + p * d_;
        T* scaled = means_.data() + (first + p) * d_;
        if (size[p] == 0) add_row(vectors.bank.vectors, usize(seed[p]), mean);  // a seed that has a duplicate
        const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, size[p]));
        for (std::size_t f = 0; f < d_; ++f) {
            mean[f] *= share;
            scaled[f] = static_cast<T>((mean[f] - vectors.centre[f]) * vectors.bank.kernel.scale);
        }
        if (vectors.levels_to_guess()) vectors.levels_to_guess()->set(mean, first + p, rounded_);
    }
    vectors.simd.norms_of_rows(means_.data() + first * d_, n, d_, norms_.data() + first);
}

template <class T>
void Prototypes<T>::nearest(const DenseVectors<T>& vectors, const Tile<T>& tile, std::int32_t* out) const {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const std::size_t lanes = tile.lanes;
    T best[kTile], own[kTile];
    std::fill(best, best + lanes, infinity);
    std::fill(out, out + lanes, 0);
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        std::fill(own, own + lanes, infinity);
        find_least(vectors, tile, begin_[i], begin_[i + 1] - begin_[i], own);
        const std::int32_t c = classes_[i];  // a copy: `out` cannot change it
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const bool closer = own[lane] < best[lane];
            best[lane] = closer ? own[lane] : best[lane];
            out[lane] = closer ? c : out[lane];
        }
    }
}

template <class T>
void Prototypes<T>::find_least(const DenseVectors<T>& vectors, const Tile<T>& tile, std::size_t first, std::size_t n,
                               T* least) const {
    const std::size_t n_panels = tile.lanes / kLanes;
    if constexpr (std::is_same_v<T, float>) {
        if (tile.levels)
            return tile.levels->least_distances(tile.levelled, tile.n, rounded_, each_.data() + first, n, least);
        if (const FloatProducts* floats = float_products(vectors.level))
            return floats->least({means_.data(), d_, norms_.data(), each_.data() + first, n, tile.panels.data(),
                                  tile.norms, n_panels, d_},
                                 least);
    }
    std::vector<T> dots(n * tile.lanes);
    const T* row[kMost];
    T* to[kMost];
    for (std::size_t q = 0; q < n; ++q) {
        row[q] = means_.data() + (first + q) * d_;
        to[q] = dots.data() + q * tile.lanes;
    }
    vectors.simd.dots(row, n, tile.panels.data(), n_panels, d_, to);
    for (std::size_t q = 0; q < n; ++q)
        for (std::size_t lane = 0; lane < tile.lanes; ++lane) {
            const T distance = norms_[first + q] + tile.norms[lane] - 2 * to[q][lane];
            least[lane] = distance < least[lane] ? distance : least[lane];
        }
}

template class Prototypes<float>;
template class Prototypes<double>;

}  // namespace dagmar
