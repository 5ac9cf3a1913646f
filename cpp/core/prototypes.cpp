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

// For each of some vectors the nearest of some others, the seeds.
template <class T>
std::vector<std::size_t> nearest_seeds(const DenseVectors<T>& v, const std::vector<std::int64_t>& used,
                                       const std::vector<std::int32_t>& seed) {
    const std::size_t at_once = v.grid() ? kTile : 1;
    std::vector<float> distances(seed.size() * at_once);
    std::vector<T> dots(seed.size());
    std::vector<const T*> row;
    if (!v.grid())
        for (const std::int32_t s : seed) row.push_back(v.row(usize(s)));
    GridPanels panels;
    std::vector<std::size_t> nearest;
    for (std::size_t first = 0; first < used.size(); first += at_once) {
        const std::size_t n = std::min(at_once, used.size() - first), lanes = v.grid() ? padded(n) : 1;
        if (v.grid()) {
            v.grid()->load(v.bank.vectors, used.data() + first, n, panels);
            v.grid()->distances_to_vectors(panels, n, seed.data(), seed.size(), distances.data());
        } else {
            v.simd.dots_alone(v.row(usize(used[first])), row.data(), row.size(), v.d, dots.data());
            for (std::size_t p = 0; p < seed.size(); ++p)
                distances[p] = static_cast<float>(v.norms[usize(seed[p])] - 2 * dots[p]);
        }
        for (std::size_t lane = 0; lane < n; ++lane) {
            std::size_t best = 0;
            for (std::size_t p = 1; p < seed.size(); ++p)
                if (distances[p * lanes + lane] < distances[best * lanes + lane]) best = p;
            nearest.push_back(best);
        }
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
        const std::vector<std::size_t> nearest = nearest_seeds(vectors, used, seed);
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
            if (vectors.grid()) vectors.grid()->add_rounded(mean, rounded_);
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
            if (tile.on_grid) {
                vectors.grid()->distances(tile.levels, tile.n, rounded_, each_.data() + first, n, distances.data());
                for (std::size_t q = 0; q < n; ++q) keep_nearest(q, T(0), T(1));
            }
        if (!tile.on_grid) {
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
