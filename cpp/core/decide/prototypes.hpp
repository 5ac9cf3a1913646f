// A few typical vectors per class, to guess a sample's class at little cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/integers.hpp"
#include "decide/dense_vectors.hpp"

namespace dagmar {

// Prototypes of one class, and the vectors that they are made of: every step-th from `first_vector` on.
struct PrototypesOfClass {
    std::int32_t label;
    std::size_t first, n;  // places among all prototypes
    std::size_t first_vector = 0, n_vectors = 0, step = 1;
};

// For each class that has vectors, one prototype for every eight, so that a guess costs about a tenth of its check.
inline std::vector<PrototypesOfClass> count_prototypes(const Bank& bank) {
    const auto& start = bank.lists.class_start;
    std::vector<PrototypesOfClass> classes;
    for (std::size_t c = 0, first = 0; c + 1 < start.size(); ++c) {
        const std::size_t size = start[c + 1] - start[c];
        if (size == 0) continue;
        const std::size_t most = std::clamp<std::size_t>(size / 8, 16, 64);
        const std::size_t step = (size + 4 * most - 1) / (4 * most), n_vectors = (size + step - 1) / step;
        const std::size_t n = std::min(most, n_vectors);
        classes.push_back({static_cast<std::int32_t>(c), first, n, start[c], n_vectors, step});
        first += n;
    }
    return classes;
}

// Cluster means of each class's vectors. They affect only guesses, never answers. Immutable after construction.
template <class T>
class Prototypes {
   public:
    using OfClass = PrototypesOfClass;

    Prototypes(const DenseVectors<T>& vectors, const std::vector<OfClass>& classes, const Threads& threads)
        : v_(vectors), classes_(classes), grid_(vectors.grid(vectors.codes())),
          norms_(classes.back().first + classes.back().n), means_(norms_.size() * vectors.d), each_(norms_.size()) {
        std::iota(each_.begin(), each_.end(), 0);
        if (grid_) grid_->make_room(norms_.size(), coded_);
        Stop stop;
        parallel_for(classes.size(), {threads.n, {}}, stop, [&](std::size_t i, int) { find(classes_[i]); });
    }

    // The class of the nearest prototype for each lane.
    void nearest(const Tile<T>& tile, std::int32_t* out) const { nearest(tile, classes_, out); }

   private:
    // Finds the prototypes of a class by one round of Lloyd's algorithm.
    void find(const OfClass& of) {
        const std::size_t d = v_.d;
        std::vector<std::int64_t> vectors(of.n_vectors);
        for (std::size_t u = 0; u < of.n_vectors; ++u)
            vectors[u] = static_cast<std::int64_t>(of.first_vector + u * of.step);
        const auto add_vector = [&](std::size_t u, double* sum) {
            for_dense(v_.bank.vectors, [&](const auto& view) {
                for (std::size_t f = 0; f < d; ++f) sum[f] += static_cast<double>(view.row(usize(vectors[u]))[f]);
            });
        };
        // Some of the vectors are the first prototypes.
        std::vector<OfClass> singles;
        for (std::size_t p = 0; p < of.n; ++p) {
            std::vector<double> point(d, 0.0);
            add_vector(p * of.n_vectors / of.n, point.data());
            set(of.first + p, point.data());
            singles.push_back({static_cast<std::int32_t>(p), of.first + p, 1});
        }
        // The means of the vectors nearest to each replace them. (None is nearest to a duplicate, which stays.)
        std::vector<double> sums(of.n * d, 0.0);
        std::vector<std::size_t> size(of.n, 0);
        Tile<T> tile;
        for (std::size_t first = 0; first < vectors.size(); first += kTile) {
            tile.name({vectors.data() + first, std::min(kTile, vectors.size() - first)});
            v_.load_tile(v_.bank.vectors, v_.codes(), tile);
            std::int32_t to[kTile];
            nearest(tile, singles, to);
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                add_vector(first + lane, sums.data() + usize(to[lane]) * d);
                ++size[usize(to[lane])];
            }
        }
        for (std::size_t p = 0; p < of.n; ++p) {
            if (size[p] == 0) continue;
            double* mean = sums.data() + p * d;
            for (std::size_t f = 0; f < d; ++f) mean[f] /= static_cast<double>(size[p]);
            set(of.first + p, mean);
        }
    }

    void set(std::size_t place, const double* point) {
        T* mean = means_.data() + place * v_.d;
        load_row(DenseView<double>{point, 1, v_.d}, 0, v_.centre, v_.bank.kernel.scale, mean);
        v_.simd.norms_of_rows(mean, 1, v_.d, norms_.data() + place);
        if (grid_) grid_->set(point, place, coded_);
    }

    // For each lane, the label of the nearest prototype of these.
    void nearest(const Tile<T>& tile, const std::vector<OfClass>& groups, std::int32_t* out) const {
        constexpr T infinity = std::numeric_limits<T>::infinity();
        T best[kTile], own[kTile];
        std::fill(best, best + tile.lanes, infinity);
        std::fill(out, out + tile.lanes, 0);
        for (const OfClass& of : groups) {
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

    // least[lane]: the least of the squared distances of n prototypes, from place `first` on, and what was there.
    void find_least(const Tile<T>& tile, std::size_t first, std::size_t n, T* least) const {
        const std::size_t n_panels = tile.lanes / kLanes, d = v_.d;
        const std::int32_t* which = each_.data() + first;
        if constexpr (std::is_same_v<T, float>)
            if (tile.grid) return tile.grid->least_distances(tile.coded, tile.n, coded_, which, n, least);
        const auto* passes = v_.bank.kernel.passes(v_.simd);
        const auto find = passes ? passes->least : v_.simd.least;
        find({means_.data(), d, norms_.data(), which, n, tile.panels.data(), tile.norms, n_panels, d}, least);
    }

    const DenseVectors<T>& v_;
    const std::vector<OfClass>& classes_;
    const QuantizedVectors* grid_;  // the fastest codes of the vectors, if there are any
    std::vector<T> norms_, means_;
    CodeRows coded_;                  // the means in these codes
    std::vector<std::int32_t> each_;  // 0, 1, ... up to their number
};

}  // namespace dagmar
