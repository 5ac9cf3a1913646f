#include "prototypes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

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

template <class T>
Prototypes<T>::Prototypes(const DenseVectors<T>& vectors) : d_(vectors.d) {
    const auto& class_start = vectors.bank.lists.class_start;
    std::vector<std::int64_t> used;
    std::vector<std::int32_t> seed;
    std::vector<std::size_t> size;
    std::vector<double> sums;
    Distances<T> distances;
    for (std::size_t c = 0; c + 1 < class_start.size(); ++c) {
        const std::size_t first = class_start[c], n = class_start[c + 1] - first;
        if (n == 0) continue;
        // One for every eight vectors: then a guess costs about a tenth of its check.
        const std::size_t most = std::clamp<std::size_t>(n / 8, 16, kMost), sample = 4 * most;
        // One round of Lloyd's algorithm, on vectors spread evenly over the class.
        const std::size_t step = (n + sample - 1) / sample, n_used = (n + step - 1) / step, k = std::min(most, n_used);
        used.clear();
        seed.clear();
        for (std::size_t u = 0; u < n_used; ++u) used.push_back(static_cast<std::int64_t>(first + u * step));
        for (std::size_t p = 0; p < k; ++p) seed.push_back(static_cast<std::int32_t>(used[p * n_used / k]));
        const std::vector<std::size_t> nearest = nearest_seeds(vectors, used, seed, distances);
        sums.assign(k * d_, 0.0);
        size.assign(k, 0);
        for (std::size_t u = 0; u < n_used; ++u) {
            add_row(vectors.bank.vectors, usize(used[u]), sums.data() + nearest[u] * d_);
            ++size[nearest[u]];
        }
        for (std::size_t p = 0; p < k; ++p) {
            double* mean = sums.data() + p * d_;
            if (size[p] == 0) add_row(vectors.bank.vectors, usize(seed[p]), mean);  // a seed that has a duplicate
            for (std::size_t f = 0; f < d_; ++f) {
                mean[f] /= static_cast<double>(std::max<std::size_t>(1, size[p]));
                means_.push_back(static_cast<T>((mean[f] - vectors.centre[f]) * vectors.bank.kernel.scale));
            }
            if (vectors.levels_to_guess()) vectors.levels_to_guess()->add(mean, rounded_);
        }
        classes_.push_back(static_cast<std::int32_t>(c));
        begin_.push_back(begin_.back() + k);
    }
    norms_.resize(begin_.back());
    vectors.simd.norms_of_rows(means_.data(), norms_.size(), d_, norms_.data());
    each_.resize(norms_.size());
    std::iota(each_.begin(), each_.end(), 0);
}

template <class T>
void Prototypes<T>::nearest(const DenseVectors<T>& vectors, const Tile<T>& tile, std::int32_t* out) const {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const std::size_t lanes = tile.lanes;
    std::vector<T> distances(kMost * lanes), best(lanes, infinity), own(lanes);
    const T* row[kMost];
    T* to[kMost];
    std::fill(out, out + lanes, 0);
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        const std::size_t first = begin_[i], n = begin_[i + 1] - first;
        for (std::size_t q = 0; q < n; ++q) {
            row[q] = means_.data() + (first + q) * d_;
            to[q] = distances.data() + q * lanes;
        }
        std::fill(own.begin(), own.end(), infinity);
        const auto keep_nearest = [&](std::size_t q, T norm, T factor) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const T distance = norm + factor * to[q][lane];
                own[lane] = distance < own[lane] ? distance : own[lane];
            }
        };
        if constexpr (std::is_same_v<T, float>)
            if (tile.levels) {
                tile.levels->distances(tile.levelled, tile.n, rounded_, each_.data() + first, n, distances.data());
                for (std::size_t q = 0; q < n; ++q) keep_nearest(q, T(0), T(1));
            }
        if (!tile.levels) {
            vectors.simd.dots(row, n, tile.panels.data(), lanes / kLanes, d_, to);
            for (std::size_t q = 0; q < n; ++q) keep_nearest(q, norms_[first + q], T(-2));
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const bool closer = own[lane] < best[lane];
            best[lane] = closer ? own[lane] : best[lane];
            out[lane] = closer ? classes_[i] : out[lane];
        }
    }
}

template class Prototypes<float>;
template class Prototypes<double>;

}  // namespace dagmar
