// Samples decided in lanes: all machines, or those that a walk asks, for tiles of samples.
#pragma once

#include <algorithm>
#include <limits>

#include "decide/choices.hpp"
#include "decide/rounding.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

template <class T>
class Lanes {
   public:
    Lanes(const Vectors<T>& vectors, const Rounding<T>& rounding) : v_(vectors), rounding_(rounding) {}

    // For all samples: the value of every machine (as in decider.hpp), and the class of the largest.
    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const;
    bool poll(const Samples& x, const Threads& threads, Codes codes, std::int32_t* out) const;
    // For these samples: the class that the plan finds.
    bool walk(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
              const DecideChoices& choices, std::int32_t* out) const;

    // Calls visit(tile), which stores n_kept numbers per lane, with tiles of these samples, in parallel.
    template <class Visit>
    bool for_each_tile(const Samples& x, const std::vector<std::int64_t>& ids, const Threads& threads, Codes codes,
                       std::size_t n_kept, const Visit& visit) const {
        std::vector<Tile<T>> tiles(usize(threads.n));  // one per worker
        const std::size_t width = tile_width(ids.size(), threads.n, n_kept);
        const std::size_t n_pieces = (ids.size() + width - 1) / width;
        const auto work = [&](std::size_t piece, int worker) {
            Tile<T>& tile = tiles[usize(worker)];
            tile.worker = worker;
            load(x, ids.data() + piece * width, std::min(width, ids.size() - piece * width), codes, tile);
            visit(tile);
        };
        Stop stop;
        return parallel_for(n_pieces, threads, stop, work);
    }

    // Loads samples into a tile, with the bounds on their rounding.
    void load(const Samples& x, const std::int64_t* ids, std::size_t n, Codes codes, Tile<T>& tile) const;
    // Loads the samples of the tile again, if rough codes left too many signs open. Returns whether it did.
    bool reload_if_rough(const Samples& x, std::size_t asked, std::size_t open, Tile<T>& tile) const;

    // Adds up tile.parts, all in class c, from the kernel values of all its vectors.
    void add_parts_of_class(Tile<T>& tile, std::size_t c) const;
    // Adds up tile.parts from the kernel values of their own vectors.
    void add_parts(Tile<T>& tile) const;

    // The value of machine m from the sums of its parts of either sign.
    Sum total(std::size_t m, double one, double other) const {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        return {one + other + v_.bank.lists.bias[m],
                rounding_.one_sided(m) ? std::abs(one) + std::abs(other) : unknown};
    }

    // The same in every lane; 0 where the sign is not certain by one bound for all lanes.
    void clear_values(const Tile<T>& tile, std::size_t m, const double* one, const double* other, double* clear) const;

   private:
    bool walk_all(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                  Codes codes, std::int32_t* out) const;
    bool walk_asked(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                    std::int32_t* out) const;

    // Kernel values of n vectors against the tile, n x lanes.
    template <class VectorAt>
    const T* kernel_values(Tile<T>& tile, std::size_t n, const VectorAt& vector_at) const {
        T* values = tile.kernel.at_least(n * tile.lanes);
        tile.asked.resize(n);
        for (std::size_t q = 0; q < n; ++q) tile.asked[q] = static_cast<std::int32_t>(vector_at(q));
        v_.kernel_values(tile, tile.asked.data(), n, values);
        return values;
    }

    // Every machine on the tile; and the value of one of them in one lane afterwards.
    void sum_all(Tile<T>& tile) const;
    Sum sum(const Tile<T>& tile, std::size_t m, std::size_t lane) const {
        const double* sums = tile.sums.data() + 2 * m * tile.lanes + lane;
        return total(m, sums[0], sums[tile.lanes]);
    }
    // The values of all machines in one lane, with certain signs; if `ranked`, it is certain which is the largest.
    void sums_of_lane(const Samples& x, const Tile<T>& tile, std::size_t lane, bool ranked,
                      std::vector<Sum>& sums) const;

    // Walks through the sums of a tile, as if rounding changed no sign. Returns how many signs were asked and how many
    // of them are open, and the lanes that asked for those.
    struct Asked {
        std::size_t asked = 0, open = 0;
    };
    Asked walk_tile(Tile<T>& tile, Walk& walk, std::vector<std::size_t>& unsure, std::int32_t* out) const;

    const Vectors<T>& v_;
    const Rounding<T>& rounding_;
};

}  // namespace dagmar
