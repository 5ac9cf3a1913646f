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
    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const {
        const std::size_t n = n_machines();
        if (ranked)
            return rank_all(x, threads, Codes::none, [&](std::size_t i, const std::vector<Sum>& sums) {
                for (std::size_t m = 0; m < n; ++m) out[i * n + m] = sums[m].value;
            });
        return for_each_tile(x, every_sample(x), threads, Codes::none, 2 * n, [&](Tile<T>& tile) {
            double* here = out + usize(tile.ids[0]) * n;  // samples of a tile follow each other
            sum_all(tile);
            clear_by_lane(tile, here);
            for (std::size_t lane = 0; lane < tile.n; ++lane)
                for (std::size_t m = 0; m < n; ++m)
                    if (double& value = here[lane * n + m]; value == 0.0)
                        value =
                            rounding_.certain(x, usize(tile.ids[lane]), tile.allowance[lane], m, sum(tile, m, lane));
        });
    }
    bool poll(const Samples& x, const Threads& threads, Codes codes, std::int32_t* out) const {
        return rank_all(x, threads, codes, [&](std::size_t i, const auto& sums) { out[i] = first_largest(sums); });
    }

    // For these samples: the class that the plan finds. guess: empty, or a class for every sample, whose machines are
    // asked first.
    bool walk(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
              const DecideChoices& choices, const std::vector<std::int32_t>& guess, std::int32_t* out) const {
        const bool all = choices.way == DecideChoices::Way::all_in_lanes;
        return for_each_tile(x, ids, threads, choices.codes, all ? 2 * n_machines() : n_vectors(), [&](Tile<T>& tile) {
            if (!tile.walk) tile.walk = make_walk(plan);
            all ? walk_all(x, tile, out) : walk_asked(x, plan, guess, tile, out);
        });
    }

    // Loads samples into a tile, with the bounds on their rounding.
    void load(const Samples& x, std::span<const std::int64_t> samples, Codes codes, Tile<T>& tile) const {
        tile.name(samples);
        v_.load_tile(x, codes, tile);
        if (tile.grid) {
            Allowance allowance = rounding_.allowance_of_codes(0.0);
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                allowance.off = tile.coded.off[lane];
                tile.allowance[lane] = allowance;
            }
        } else {
            // The errors of distances depend only on the larger of two norms, and most samples have smaller ones than
            // some vector has.
            const bool of_distance = v_.bank.kernel.of_distance();
            const Allowance usual = rounding_.allowance(T(0));
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                const double norm2 = static_cast<double>(tile.norms[lane]);
                const bool is_usual = of_distance && v_.bank.kernel.unscale2(norm2) <= v_.largest_norm2();
                tile.allowance[lane] = is_usual ? usual : rounding_.allowance(tile.norms[lane]);
            }
        }
        tile.largest_allowance = tile.allowance[0];
        for (std::size_t lane = 1; lane < tile.n; ++lane) tile.largest_allowance.include(tile.allowance[lane]);
    }

    // Loads the samples of the tile again, if rough codes left too many signs open. Returns whether it did.
    bool reload_if_rough(const Samples& x, std::size_t asked, std::size_t open, Tile<T>& tile) const {
        if (tile.codes != Codes::rough || !DecideChoices::too_rough(asked, open)) return false;
        load(x, {tile.ids, tile.n}, Codes::exact, tile);
        return true;
    }

    // Adds up tile.parts, all in class c, from the kernel values of all its vectors.
    void add_parts_of_class(Tile<T>& tile, std::size_t c) const {
        const auto& lists = v_.bank.lists;
        const std::size_t end = lists.class_start[c + 1];
        for (std::size_t first = lists.class_start[c]; first < end; first += kPiece) {
            const std::size_t next = std::min(end, first + kPiece);
            const T* values = kernel_values(tile, first, next);
            for (Part& part : tile.parts) {
                const std::int32_t *list = lists.index.data() + part.begin, *last = lists.index.data() + part.end;
                const auto n =
                    usize((next == end ? last : std::lower_bound(list, last, static_cast<std::int32_t>(next))) - list);
                v_.simd.sum_in_blocks(values, list, first, v_.coef.data() + part.begin, n, tile.lanes, part.sums);
                part.begin += static_cast<std::int64_t>(n);
            }
        }
    }

    // Adds up tile.parts from the kernel values of their own vectors.
    void add_parts(Tile<T>& tile) const {
        const auto& lists = v_.bank.lists;
        for (auto part = tile.parts.begin(); part != tile.parts.end();) {
            tile.pieces.clear();
            tile.vectors.clear();
            while (part != tile.parts.end() && tile.vectors.size() < kPiece) {
                const auto room = static_cast<std::int64_t>(kPiece - tile.vectors.size());
                const Part piece{part->begin, std::min(part->end, part->begin + room), part->sums};
                const auto* index = lists.index.data();
                tile.vectors.insert(tile.vectors.end(), index + piece.begin, index + piece.end);
                tile.pieces.push_back(piece);
                part->begin = piece.end;
                if (part->begin == part->end) ++part;
            }
            const T* values = kernel_values(tile, tile.vectors.data(), tile.vectors.size());
            for (const Part& piece : tile.pieces) {
                const auto n = usize(piece.end - piece.begin);
                v_.simd.sum_in_blocks(values, nullptr, 0, v_.coef.data() + piece.begin, n, tile.lanes, piece.sums);
                values += n * tile.lanes;
            }
        }
    }

    // The value of machine m from the sums of its parts of either sign.
    Sum total(std::size_t m, double one, double other) const {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        return {one + other + v_.bank.lists.bias[m],
                rounding_.one_sided(m) ? std::abs(one) + std::abs(other) : unknown};
    }

    // The same in every lane; 0 where the sign is not certain by one bound for all lanes.
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

   private:
    std::size_t n_machines() const { return v_.bank.lists.n_machines(); }
    std::size_t n_vectors() const { return v_.bank.lists.n_vectors(); }

    // Calls visit(tile), which stores n_kept numbers per lane, with tiles of these samples, in parallel.
    template <class Visit>
    bool for_each_tile(const Samples& x, const std::vector<std::int64_t>& ids, const Threads& threads, Codes codes,
                       std::size_t n_kept, const Visit& visit) const {
        std::vector<Tile<T>> tiles(usize(threads.n));  // one per worker
        const std::size_t width = tile_width(ids.size(), threads.n, n_kept);
        Stop stop;
        return parallel_for((ids.size() + width - 1) / width, threads, stop, [&](std::size_t piece, int worker) {
            Tile<T>& tile = tiles[usize(worker)];
            load(x, {ids.data() + piece * width, std::min(width, ids.size() - piece * width)}, codes, tile);
            visit(tile);
        });
    }

    // Kernel values of these vectors, or of first ... last-1, against the tile: one row of lanes for each vector.
    const T* kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n) const {
        T* values = tile.kernel.at_least(n * tile.lanes);
        v_.kernel_values(tile, vectors, n, values);
        return values;
    }
    const T* kernel_values(Tile<T>& tile, std::size_t first, std::size_t last) const {
        tile.vectors.resize(last - first);
        std::iota(tile.vectors.begin(), tile.vectors.end(), static_cast<std::int32_t>(first));
        return kernel_values(tile, tile.vectors.data(), last - first);
    }

    // Every machine on the tile; and the value of one of them in one lane afterwards.
    void sum_all(Tile<T>& tile) const {
        const auto& lists = v_.bank.lists;
        // Two sums for each machine, of positive and of negative coefficients: their sizes add up to the size of all
        // terms.
        const std::size_t size = 2 * n_machines() * tile.lanes;
        double* sums = tile.sums.at_least(size);
        std::fill(sums, sums + size, 0.0);
        for (std::size_t c = 0; c < lists.n_classes(); ++c) {
            tile.parts.clear();
            for (const Segment& s : v_.bank.segments[c]) {
                const std::size_t place = 2 * usize(s.machine) + (lists.coef[usize(s.begin)] < 0);
                tile.parts.push_back({s.begin, s.end, sums + place * tile.lanes});
            }
            add_parts_of_class(tile, c);
        }
    }
    Sum sum(const Tile<T>& tile, std::size_t m, std::size_t lane) const {
        const double* sums = tile.sums.data() + 2 * m * tile.lanes + lane;
        return total(m, sums[0], sums[tile.lanes]);
    }

    // out[lane * n_machines + m], the clear values of all machines after sum_all: a walk goes from one machine to
    // another, and sums are far apart. Machines are taken in groups that fill a line of the cache.
    void clear_by_lane(const Tile<T>& tile, double* out) const {
        constexpr std::size_t group = 8;
        const std::size_t n = n_machines();
        double clear[group][kTile];
        for (std::size_t first = 0; first < n; first += group) {
            const std::size_t width = std::min(group, n - first);
            for (std::size_t u = 0; u < width; ++u) {
                const double* sums = tile.sums.data() + 2 * (first + u) * tile.lanes;
                clear_values(tile, first + u, sums, sums + tile.lanes, clear[u]);
            }
            for (std::size_t lane = 0; lane < tile.n; ++lane)
                for (std::size_t u = 0; u < width; ++u) out[lane * n + first + u] = clear[u][lane];
        }
    }

    // Calls visit(sample, sums) with the values of all machines; their signs and which is the largest are certain.
    template <class Visit>
    bool rank_all(const Samples& x, const Threads& threads, Codes codes, const Visit& visit) const {
        return for_each_tile(x, every_sample(x), threads, codes, 2 * n_machines(), [&](Tile<T>& tile) {
            sum_all(tile);
            std::vector<Sum> sums(n_machines());
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                const std::size_t i = usize(tile.ids[lane]);
                for (std::size_t m = 0; m < sums.size(); ++m) {
                    sums[m] = sum(tile, m, lane);
                    sums[m].value = rounding_.certain(x, i, tile.allowance[lane], m, sums[m]);
                }
                rounding_.settle(x, i, tile.allowance[lane], sums);
                visit(i, sums);
            }
        });
    }

    void walk_all(const Samples& x, Tile<T>& tile, std::int32_t* out) const {
        std::vector<std::size_t> unsure;  // lanes whose walk met open signs
        std::size_t asked = 0, open = 0;
        do {
            sum_all(tile);
            double* clear = tile.clear.at_least(tile.n * n_machines());
            clear_by_lane(tile, clear);
            unsure.clear();
            asked = open = 0;
            for (std::size_t lane = 0; lane < tile.n; ++lane) {  // as if rounding changed no sign
                const std::size_t open_before = open;
                const double* own = clear + lane * n_machines();
                out[tile.ids[lane]] = follow(*tile.walk, [&](std::int64_t m) {
                    ++asked;
                    if (own[m] != 0.0) return own[m];
                    const Sum here = sum(tile, usize(m), lane);
                    open += !rounding_.is_certain(tile.allowance[lane], usize(m), here);
                    return here.value;
                });
                if (open > open_before) unsure.push_back(lane);
            }
        } while (reload_if_rough(x, asked, open, tile));
        for (const std::size_t lane : unsure) {
            const std::size_t i = usize(tile.ids[lane]);
            out[i] = follow(*tile.walk, [&](std::int64_t m) {
                return rounding_.certain(x, i, tile.allowance[lane], usize(m), sum(tile, usize(m), lane));
            });
        }
    }

    void walk_asked(const Samples& x, const Plan& plan, const std::vector<std::int32_t>& guess, Tile<T>& tile,
                    std::int32_t* out) const {
        // The kernel values of each sample, one sample after the other. With an odd number of panels between samples,
        // they share few places of the cache.
        const std::size_t n = n_vectors(), stride = padded(n) | kLanes;
        T* by_sample = tile.by_sample.at_least(tile.lanes * stride);
        for (std::size_t first = 0; first < n; first += kPiece) {
            const std::size_t next = std::min(n, first + kPiece);
            const T* values = kernel_values(tile, first, next);
            v_.simd.transpose(values, tile.lanes, next - first, tile.lanes, by_sample + first, stride);
        }
        const auto& lists = v_.bank.lists;
        const auto fetch = [&](std::int64_t m) {
            const std::size_t begin = usize(lists.begin[usize(m)]);
            __builtin_prefetch(lists.index.data() + begin);
            __builtin_prefetch(lists.coef.data() + begin);
            __builtin_prefetch(lists.bias.data() + m);
            rounding_.fetch(usize(m));
        };
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            const std::size_t i = usize(tile.ids[lane]);
            const auto ask = [&](std::int64_t m) {
                const Sum sum = sum_of_terms(lists, usize(m), by_sample + lane * stride);
                return rounding_.certain(x, i, tile.allowance[lane], usize(m), sum);
            };
            const bool right = !guess.empty() && wins_all(plan, usize(guess[i]), fetch, ask);
            out[i] = right ? guess[i] : follow(*tile.walk, ask);
        }
    }

    const Vectors<T>& v_;
    const Rounding<T>& rounding_;
};

}  // namespace dagmar
