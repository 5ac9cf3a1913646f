#include "prototypes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "decide_lanes.hpp"

namespace dagmar {

template <class T>
Prototypes<T>::Prototypes(const DenseVectors<T>& vectors) : d_(vectors.d) {
    const Simd<T>& simd = vectors.simd;
    const T* rows = vectors.rows();
    const auto& class_start = vectors.bank.lists.class_start;
    std::vector<T> seeds, seed_norms, dots;
    std::vector<const T*> seed;
    for (std::size_t c = 0; c + 1 < class_start.size(); ++c) {
        const std::size_t first = class_start[c], n = class_start[c + 1] - first;
        if (n == 0) continue;
        // One for every eight vectors: then a guess costs about a tenth of its check.
        const std::size_t most = std::clamp<std::size_t>(n / 8, 16, kMost), sample = 4 * most;
        // One round of Lloyd's algorithm, on vectors spread evenly over the class.
        const std::size_t step = (n + sample - 1) / sample, n_used = (n + step - 1) / step, k = std::min(most, n_used);
        const auto vector_at = [&](std::size_t v) { return rows + (first + v * step) * d_; };
        seeds.resize(k * d_);
        seed_norms.resize(k);
        dots.resize(k);
        seed.resize(k);
        for (std::size_t p = 0; p < k; ++p) {
            seed[p] = seeds.data() + p * d_;
            std::copy_n(vector_at(p * n_used / k), d_, seeds.data() + p * d_);
        }
        simd.norms_of_rows(seeds.data(), k, d_, seed_norms.data());
        std::vector<std::size_t> size(k);
        means_.resize((begin_.back() + k) * d_);
        T* means = means_.data() + begin_.back() * d_;
        for (std::size_t v = 0; v < n_used; ++v) {
            simd.dots_alone(vector_at(v), seed.data(), k, d_, dots.data());
            std::size_t best = 0;
            for (std::size_t p = 1; p < k; ++p)
                if (seed_norms[p] - 2 * dots[p] < seed_norms[best] - 2 * dots[best]) best = p;
            ++size[best];
            for (std::size_t f = 0; f < d_; ++f) means[best * d_ + f] += vector_at(v)[f];
        }
        for (std::size_t p = 0; p < k; ++p)  // a seed with a duplicate may get no vectors
            for (std::size_t f = 0; f < d_; ++f)
                means[p * d_ + f] = size[p] ? means[p * d_ + f] / static_cast<T>(size[p]) : seed[p][f];
        classes_.push_back(static_cast<std::int32_t>(c));
        begin_.push_back(begin_.back() + k);
    }
    norms_.resize(begin_.back());
    simd.norms_of_rows(means_.data(), norms_.size(), d_, norms_.data());
    if (!vectors.grid()) return;
    std::vector<double> point(d_);
    for (std::size_t p = 0; p < norms_.size(); ++p) {
        for (std::size_t f = 0; f < d_; ++f)
            point[f] = static_cast<double>(means_[p * d_ + f]) / vectors.bank.kernel.scale + vectors.centre[f];
        vectors.grid()->add_rounded(point.data(), rounded_);
    }
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
