// Samples decided in lanes: up to kTile of them side by side, so that every load of a vector serves them all.
#pragma once

#include <algorithm>

#include "decide_alone.hpp"
#include "decide_rounding.hpp"

namespace dagmar {

// Samples side by side, and room for what is computed with them. One per worker.
template <class T>
struct Tile {
    int worker = 0;
    std::size_t n = 0, lanes = 0;  // samples, and the same padded to whole panels
    const std::int64_t* ids = nullptr;
    Buffer<T> panels, kernel, sums;
    T norms[kTile] = {};
    Allowance allowance[kTile] = {};
    std::vector<const T*> row;
    std::vector<T*> out;
    std::vector<std::int32_t> vectors;
};

template <class T>
class Lanes {
   public:
    Lanes(const DenseVectors<T>& vectors, const Rounding<T>& rounding) : v_(vectors), rounding_(rounding) {}

    void load(const Samples& x, const std::int64_t* ids, std::size_t n, Tile<T>& tile) const;

    // Kernel values of n vectors against the tile, n x lanes.
    template <class VectorAt>
    const T* kernel_values(Tile<T>& tile, std::size_t n, const VectorAt& vector_at) const {
        T* values = tile.kernel.at_least(n * tile.lanes);
        tile.row.resize(n);
        tile.out.resize(n);
        for (std::size_t q = 0; q < n; ++q) {
            tile.row[q] = v_.row(vector_at(q));
            tile.out[q] = values + q * tile.lanes;
        }
        v_.simd.dots(tile.row.data(), n, tile.panels.data(), tile.lanes / kLanes, v_.d, tile.out.data());
        for (std::size_t q = 0; q < n; ++q) {
            const std::size_t v = vector_at(q);
            v_.bank.kernel_of(v).finish(v_.simd, tile.out[q], tile.norms, v_.norms[v], tile.lanes);
        }
        return values;
    }

    // Adds a machine's part in one class. With `index`, `values` are those of the vectors from `first` on; without,
    // those of the segment alone.
    void add_segment(const Tile<T>& tile, const T* values, const Segment& s, const std::int32_t* index,
                     std::size_t first, T* sums) const {
        v_.simd.weighted_sum(values, index, first, v_.coef.data() + s.begin, usize(s.end - s.begin), tile.lanes, sums);
    }

    // Every machine on the tile: sums[m * lanes + lane], without bias.
    void sum_all(Tile<T>& tile) const;

    // The value of machine m in one lane, from the sums of the tile.
    double value(const Tile<T>& tile, const Samples& x, std::size_t m, std::size_t lane) const {
        const double value = static_cast<double>(tile.sums.data()[m * tile.lanes + lane]) + v_.bank.lists.bias[m];
        return rounding_.certain(x, usize(tile.ids[lane]), tile.allowance[lane], m, value);
    }

    // Calls visit(tile) with tiles of all samples, in parallel.
    template <class Visit>
    bool for_each_tile(const Samples& x, const Threads& threads, const Visit& visit) const {
        const auto ids = every_sample(x);
        std::vector<Tile<T>> tiles(usize(threads.n));
        // Few machines: wide tiles. With very many, their sums must still fit a cache.
        const std::size_t width = v_.bank.lists.n_machines() > 65536 ? kLanes : kTile;
        const std::size_t n_pieces = (ids.size() + width - 1) / width;
        const auto work = [&](std::size_t piece, int worker) {
            Tile<T>& tile = tiles[usize(worker)];
            tile.worker = worker;
            load(x, ids.data() + piece * width, std::min(width, ids.size() - piece * width), tile);
            visit(tile);
        };
        Stop stop;
        return parallel_for(n_pieces, threads, n_pieces <= 1, stop, work);
    }

   private:
    const DenseVectors<T>& v_;
    const Rounding<T>& rounding_;
};

}  // namespace dagmar
