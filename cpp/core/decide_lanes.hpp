// Samples decided in lanes: up to kTile of them side by side, so that every load of a vector serves them all.
#pragma once

#include <algorithm>

#include "decide_alone.hpp"
#include "decide_rounding.hpp"
#include "grid.hpp"
#include "sparse_lanes.hpp"

namespace dagmar {

// Terms to add up: list places begin ... end-1 of a machine, all in one class, and a sum for each lane.
struct Part {
    std::int64_t begin, end;
    double* sums;
};

// Samples side by side, and room for what is computed with them. One per worker.
template <class T>
struct Tile {
    int worker = 0;
    std::size_t n = 0, lanes = 0;  // samples, and the same padded to whole panels
    const std::int64_t* ids = nullptr;
    Use use = Use::values;
    const Grid* levels = nullptr;  // those of the vectors, if `levelled` has the samples, and not `panels`
    GridPanels levelled;
    KnownLevels* known = nullptr;  // levels that guesses are made with, and that labels may need again
    Buffer<T> panels;              // of dense samples
    SparseRows<T> nonzeros;        // of sparse ones
    SparseLanes<T> sparse;
    Buffer<T> kernel, one;
    Buffer<double> sums;
    Buffer<signed char> signs;
    T norms[kTile] = {};
    Allowance allowance[kTile] = {}, largest_allowance = {};
    std::vector<const T*> row;
    std::vector<T*> out;
    std::vector<Nonzeros<T>> few;
    std::vector<std::int32_t> vectors, asked;
    std::vector<Part> parts, pieces;
};

// How many of n samples go into a tile: few enough for all threads to have several tiles, so that they finish together,
// and for what is kept of a tile to stay in a cache.
inline std::size_t tile_width(std::size_t n, int n_threads, std::size_t n_kept = 0) {
    constexpr std::size_t narrow = 2 * kLanes, cached = std::size_t{1} << 17;
    const std::size_t shared = n_threads == 1 ? kTile : std::max(narrow, padded(n / (4 * usize(n_threads))));
    const std::size_t kept = std::max(kLanes, cached / (n_kept + 1) / kLanes * kLanes);
    return std::min({kTile, shared, kept});
}

template <class T>
class Lanes {
   public:
    Lanes(const Vectors<T>& vectors, const Rounding<T>& rounding) : v_(vectors), rounding_(rounding) {}

    void load(const Samples& x, const std::int64_t* ids, std::size_t n, Tile<T>& tile) const;

    // Kernel values of n vectors against the tile, n x lanes.
    template <class VectorAt>
    const T* kernel_values(Tile<T>& tile, std::size_t n, const VectorAt& vector_at) const {
        T* values = tile.kernel.at_least(n * tile.lanes);
        tile.asked.resize(n);
        for (std::size_t q = 0; q < n; ++q) tile.asked[q] = static_cast<std::int32_t>(vector_at(q));
        v_.kernel_values(tile, tile.asked.data(), n, values);
        return values;
    }

    // Adds up tile.parts, all in class c, from the kernel values of all its vectors.
    void add_parts_of_class(Tile<T>& tile, std::size_t c) const;
    // Adds up tile.parts from the kernel values of their own vectors.
    void add_parts(Tile<T>& tile) const;

    // Every machine on the tile.
    void sum_all(Tile<T>& tile) const;

    // One machine on the tile.
    void sum_machine(Tile<T>& tile, std::size_t m) const;

    // The value of machine m in one lane, from the sums of the tile, and the size of its terms; after sum_machine.
    Sum sum_of_machine(const Tile<T>& tile, std::size_t m, std::size_t lane) const {
        const double* sums = tile.sums.data() + lane;
        return total(m, sums[0], sums[tile.lanes]);
    }

    // The same after sum_all.
    Sum sum(const Tile<T>& tile, std::size_t m, std::size_t lane) const {
        const double* sums = tile.sums.data() + 2 * m * tile.lanes + lane;
        return total(m, sums[0], sums[tile.lanes]);
    }

    // The value of machine m from the sums of its parts.
    Sum total(std::size_t m, double one, double other) const {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        return {one + other + v_.bank.lists.bias[m],
                rounding_.one_sided(m) ? std::abs(one) + std::abs(other) : unknown};
    }

    // The same with a sign that rounding cannot have changed.
    double value(const Tile<T>& tile, const Samples& x, std::size_t m, std::size_t lane) const {
        return rounding_.certain(x, usize(tile.ids[lane]), tile.allowance[lane], m, sum(tile, m, lane));
    }

    // The value of machine m in every lane, from the sums of its parts; 0 where its sign is not certain, or where one
    // bound for all lanes does not tell.
    void clear_values(const Tile<T>& tile, std::size_t m, const double* one, const double* other, double* clear) const {
        constexpr double largest = std::numeric_limits<double>::max();
        const auto sure = rounding_.line(tile.largest_allowance, m, total(m, one[0], other[0]).size);
        const double bias = v_.bank.lists.bias[m];
        for (std::size_t lane = 0; lane < tile.lanes; ++lane) {
            const double a = one[lane], b = other[lane], value = a + b + bias, size = std::abs(value);
            const bool is_clear = (size >= sure.at(std::abs(a) + std::abs(b))) & (size <= largest);
            clear[lane] = is_clear ? value : 0.0;
        }
    }

    // For all samples: the value of every machine (as in decide.hpp), and the class of the largest.
    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const;
    bool poll(const Samples& x, const Threads& threads, std::int32_t* out) const;
    // For these samples: the kernel values of all vectors are computed, then the plan is followed. All machines are
    // summed in lanes before, or, if they are many and the plan asks few, those that it asks for.
    bool walk(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
              std::int32_t* out) const;

    // Calls visit(tile), which keeps so many numbers per lane, with tiles of these samples, in parallel.
    template <class Visit>
    bool for_each_tile(const Samples& x, const std::vector<std::int64_t>& ids, const Threads& threads,
                       std::size_t n_kept, Use use, const Visit& visit) const {
        std::vector<Tile<T>> tiles(usize(threads.n));
        return for_each_tile(x, ids, threads, n_kept, use, visit, tiles);
    }
    // The same with tiles of one's own, one per thread.
    template <class Visit>
    bool for_each_tile(const Samples& x, const std::vector<std::int64_t>& ids, const Threads& threads,
                       std::size_t n_kept, Use use, const Visit& visit, std::vector<Tile<T>>& tiles) const {
        const std::size_t width = tile_width(ids.size(), threads.n, n_kept);
        const std::size_t n_pieces = (ids.size() + width - 1) / width;
        const auto work = [&](std::size_t piece, int worker) {
            Tile<T>& tile = tiles[usize(worker)];
            tile.worker = worker;
            tile.use = use;
            load(x, ids.data() + piece * width, std::min(width, ids.size() - piece * width), tile);
            visit(tile);
        };
        Stop stop;
        return parallel_for(n_pieces, threads, stop, work);
    }

   private:
    // The same for plans that ask few of very many machines.
    bool walk_few(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                  std::int32_t* out) const;

    // A walk that met open signs: all signs of the sample, 0 where open, and the machines that were asked for those.
    struct OpenWalk {
        std::size_t sample;
        std::vector<signed char> signs;
        std::vector<std::size_t> open;
    };
    // Walks again, with values in double where signs are open.
    bool settle_walks(const Samples& x, const Plan& plan, const Threads& threads, std::vector<OpenWalk>& open,
                      std::int32_t* out) const;

    // The values of all machines in one lane, from the sums of the tile; which is the largest is certain.
    void ranked_sums(const Samples& x, const Tile<T>& tile, std::size_t lane, std::vector<Sum>& sums) const;

    const Vectors<T>& v_;
    const Rounding<T>& rounding_;
};

}  // namespace dagmar
