#include "prototypes.hpp"

#include <algorithm>
#include <limits>

namespace dagmar {

template <class T>
Prototypes<T>::Prototypes(const Simd<T>& simd, const T* rows, const std::vector<std::size_t>& class_start, std::size_t n_features)
    : d_(n_features) {
    constexpr std::size_t most = 16, rounds = 2, sample = 192;  // enough for a guess
    std::vector<T> means, dots;
    std::vector<const T*> mean_row;
    for (std::size_t c = 0; c + 1 < class_start.size(); ++c) {
        const std::size_t first = class_start[c], n = class_start[c + 1] - first;
        if (n == 0) continue;
        // Lloyd's algorithm on evenly spread vectors.
        const std::size_t step = (n + sample - 1) / sample, n_used = (n + step - 1) / step, k = std::min(most, n_used);
        means.resize(k * d_);
        mean_row.resize(k);
        dots.resize(k);
        for (std::size_t p = 0; p < k; ++p) {
            std::copy_n(rows + (first + p * n_used / k * step) * d_, d_, means.begin() + static_cast<std::ptrdiff_t>(p * d_));
            mean_row[p] = means.data() + p * d_;
        }
        std::vector<std::size_t> owner(n_used), size(k);
        for (std::size_t round = 0; round < rounds; ++round) {
            std::vector<T> norms(k);
            for (std::size_t p = 0; p < k; ++p) norms[p] = simd.norm(mean_row[p], d_);
            for (std::size_t v = 0; v < n_used; ++v) {
                simd.dots_alone(rows + (first + v * step) * d_, mean_row.data(), k, d_, dots.data());
                std::size_t best = 0;
                for (std::size_t p = 1; p < k; ++p)
                    if (norms[p] - 2 * dots[p] < norms[best] - 2 * dots[best]) best = p;
                owner[v] = best;
            }
            std::fill(size.begin(), size.end(), std::size_t{0});
            for (const std::size_t p : owner) ++size[p];
            for (std::size_t p = 0; p < k; ++p)
                if (size[p] > 0) std::fill_n(means.begin() + static_cast<std::ptrdiff_t>(p * d_), d_, T(0));
            for (std::size_t v = 0; v < n_used; ++v)
                for (std::size_t f = 0; f < d_; ++f)
                    means[owner[v] * d_ + f] += rows[(first + v * step) * d_ + f] / static_cast<T>(size[owner[v]]);
        }
        for (std::size_t p = 0; p < k; ++p) {
            norms_.push_back(simd.norm(mean_row[p], d_));
            class_of_.push_back(static_cast<std::int32_t>(c));
        }
        means_.insert(means_.end(), means.begin(), means.end());
    }
}

template <class T>
void Prototypes<T>::nearest(const Simd<T>& simd, const T* panels, std::size_t lanes, std::int32_t* out) const {
    constexpr std::size_t at_once = 32;
    std::vector<T> dots(at_once * lanes), best(lanes, std::numeric_limits<T>::infinity());
    const T* row[at_once];
    T* to[at_once];
    std::fill(out, out + lanes, 0);
    for (std::size_t first = 0; first < norms_.size(); first += at_once) {
        const std::size_t n = std::min(at_once, norms_.size() - first);
        for (std::size_t q = 0; q < n; ++q) {
            row[q] = means_.data() + (first + q) * d_;
            to[q] = dots.data() + q * lanes;
        }
        simd.dots(row, n, panels, lanes / kLanes, d_, to);
        for (std::size_t q = 0; q < n; ++q)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const T distance = norms_[first + q] - 2 * to[q][lane];
                const bool closer = distance < best[lane];
                best[lane] = closer ? distance : best[lane];
                out[lane] = closer ? class_of_[first + q] : out[lane];
            }
    }
}

template class Prototypes<float>;
template class Prototypes<double>;

}  // namespace dagmar
