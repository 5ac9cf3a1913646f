// Guess and check: a class is guessed for every sample, and only that class's machines are asked, in lanes.
//
// A class that wins all its pairs is the answer of every plan for which unanimity decides. A sample whose guess lost
// tries the class that beat it by the largest value. Where classes overlap, guesses fail so often that asking all
// machines is cheaper; the first checks decide.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "decide/choices.hpp"
#include "decide/dense_vectors.hpp"
#include "decide/lanes.hpp"
#include "decide/lazy.hpp"
#include "decide/prototypes.hpp"

namespace dagmar {

template <class T>
class Champions {
   public:
    Champions(const DenseVectors<T>& vectors, const Rounding<T>& rounding, const Lanes<T>& lanes)
        : v_(vectors), rounding_(rounding), lanes_(lanes), classes_(count_prototypes(vectors.bank)) {}

    std::size_t n_prototypes() const { return classes_.empty() ? 0 : classes_.back().first + classes_.back().n; }

    // Writes the answers it finds to `out`, removes their samples from `open`, and chooses the way for the others,
    // which it sorts by their next guess. Returns false if a signal stopped it.
    bool decide(const Samples& x, const Plan& plan, const Threads& threads, DecideChoices& choices,
                std::vector<std::int64_t>& open, std::vector<std::int32_t>& guess, std::int32_t* out) const {
        constexpr std::size_t n_probes = 4;  // pieces that are checked first, to see how many guesses are right
        Call call{x, plan, threads, choices, open, out, guess, {}};
        guess.assign(n_samples(x), 0);
        call.tiles.resize(usize(threads.n));
        std::fill(out, out + n_samples(x), -1);
        if (!guess_all(call)) return false;
        for (const double expected : DecideChoices::kExpected) {
            if (open.empty() || !choices.check_pays(call.n_of_guess(), expected)) break;
            std::vector<Piece> pieces = call.pieces_by_guess(), probe;
            const std::size_t step = std::max<std::size_t>(1, pieces.size() / n_probes);  // spread over the classes
            for (std::size_t p = step / 2; p < pieces.size(); p += step) probe.push_back(std::exchange(pieces[p], {}));
            if (!check_all(call, probe)) return false;
            double tried = 0, right = 0;
            for (const Piece& piece : probe)
                for (const std::int64_t i : piece) ++tried, right += out[i] >= 0;
            const bool go_on = choices.check_pays(call.n_of_guess(), right / tried);
            if (go_on && !check_all(call, pieces)) return false;
            std::erase_if(open, [&](std::int64_t i) { return out[i] >= 0; });
            if (!go_on) break;
        }
        call.pieces_by_guess();
        choices.choose_for_rest(call.n_of_guess());
        return true;
    }

   private:
    using Piece = std::span<const std::int64_t>;  // open samples of one guess

    // One call of decide(): what its rounds share.
    struct Call {
        const Samples& x;
        const Plan& plan;
        const Threads& threads;
        DecideChoices& choices;
        std::vector<std::int64_t>& open;
        std::int32_t* out;                 // -1 where a guess was wrong
        std::vector<std::int32_t>& guess;  // per sample
        std::vector<Tile<T>> tiles;        // per worker

        std::vector<std::size_t> n_of_guess() const {  // among the open samples
            std::vector<std::size_t> n(usize(plan.n_classes));
            for (const std::int64_t i : open) ++n[usize(guess[usize(i)])];
            return n;
        }

        std::vector<Piece> pieces_by_guess() {  // sorts the open samples
            const std::size_t width = tile_width(open.size(), threads.n);
            std::vector<std::int64_t> sorted(open.size());
            std::vector<std::int64_t*> place;
            std::vector<Piece> pieces;
            Piece left = sorted;
            for (const std::size_t n : n_of_guess()) {
                place.push_back(sorted.data() + (sorted.size() - left.size()));
                for (std::size_t at = 0; at < n; at += width)
                    pieces.push_back(left.subspan(at, std::min(width, n - at)));
                left = left.subspan(n);
            }
            for (const std::int64_t i : open) *place[usize(guess[usize(i)])]++ = i;
            open = std::move(sorted);
            return pieces;
        }
    };

    bool guess_all(Call& call) const {
        const auto& prototypes = prototypes_.get([&] { return Prototypes<T>(v_, classes_, call.threads); });
        const std::vector<Piece> pieces = call.pieces_by_guess();  // of all samples: their guesses are still the same
        Stop stop;
        return parallel_for(pieces.size(), call.threads, stop, [&](std::size_t p, int worker) {
            Tile<T>& tile = call.tiles[usize(worker)];
            tile.name(pieces[p]);
            v_.load_tile(call.x, v_.codes(), tile);
            std::int32_t nearest[kTile];
            prototypes.nearest(tile, nearest);
            for (std::size_t lane = 0; lane < tile.n; ++lane) call.guess[usize(tile.ids[lane])] = nearest[lane];
        });
    }

    // What the machines of a class say: per lane the largest win over it, -1 if there is none, and by which class; and
    // the lanes and classes whose machine's sign is open.
    struct Findings {
        Findings() { std::fill_n(worst, kTile, -1.0); }
        // The value of the machine between c and j.
        void note(std::size_t lane, std::size_t c, std::size_t j, double value) {
            if ((value >= 0) != (j > c) || !(std::abs(value) >= worst[lane])) return;
            worst[lane] = std::abs(value);
            by[lane] = j;
        }
        double worst[kTile];
        std::size_t by[kTile] = {};
        std::vector<std::pair<std::size_t, std::size_t>> open;
    };

    // Checks the guesses of these pieces. Where a guess loses, the next is the class with the largest win over it.
    // Returns false if a signal stopped it.
    bool check_all(Call& call, const std::vector<Piece>& pieces) const {
        std::atomic<std::size_t> asked = 0, open = 0;
        Stop stop;
        const bool done = parallel_for(pieces.size(), call.threads, stop, [&](std::size_t p, int worker) {
            const std::size_t size = pieces[p].size();
            if (size == 0) return;
            Tile<T>& tile = call.tiles[usize(worker)];
            lanes_.load(call.x, pieces[p], call.choices.codes, tile);
            const std::size_t c = usize(call.guess[usize(tile.ids[0])]);
            const std::size_t n_signs = (usize(call.plan.n_classes) - 1) * size;
            Findings found = ask(call.plan, c, tile);
            asked += n_signs;
            open += found.open.size();
            while (lanes_.reload_if_rough(call.x, n_signs, found.open.size(), tile)) found = ask(call.plan, c, tile);
            for (const auto& [lane, j] : found.open) {
                if (found.worst[lane] >= 0) continue;
                const std::size_t i = usize(tile.ids[lane]), m = usize(call.plan.machine_for(c, j));
                found.note(lane, c, j, rounding_.exact.value(call.x, i, m));
            }
            for (std::size_t lane = 0; lane < size; ++lane) {
                const std::size_t i = usize(tile.ids[lane]);
                const bool beaten = found.worst[lane] >= 0;
                call.out[i] = beaten ? -1 : call.guess[i];
                call.guess[i] = static_cast<std::int32_t>(beaten ? found.by[lane] : c);
            }
        });
        call.choices.note_open(asked, open);
        return done;
    }

    // Asks the machines of class c.
    Findings ask(const Plan& plan, std::size_t c, Tile<T>& tile) const {
        Findings found;
        const std::size_t n_classes = usize(plan.n_classes);
        const auto machine = [&](std::size_t j) { return usize(plan.machine_for(c, j)); };
        // For each other class, the sums of its machine with c over the vectors of c, and over its own.
        double* own = tile.sums.at_least(2 * n_classes * tile.lanes);
        double* others = own + n_classes * tile.lanes;
        std::fill(own, own + 2 * n_classes * tile.lanes, 0.0);
        std::vector<std::size_t> n_added(n_classes);  // terms; a bank made by hand may have others, of a third class
        const auto name_parts = [&](bool of_c, double* sums) {
            tile.parts.clear();
            for (std::size_t j = 0; j < n_classes; ++j) {
                if (j == c) continue;
                const Segment s = v_.bank.segment(machine(j), of_c ? c : j);
                n_added[j] += s.size();
                if (s.begin < s.end) tile.parts.push_back({s.begin, s.end, sums + j * tile.lanes});
            }
        };
        name_parts(true, own);
        lanes_.add_parts_of_class(tile, c);
        name_parts(false, others);
        lanes_.add_parts(tile);
        for (std::size_t j = 0; j < n_classes; ++j) {
            if (j == c) continue;
            const std::size_t m = machine(j);
            const double *one = own + j * tile.lanes, *other = others + j * tile.lanes;
            if (n_added[j] != v_.bank.lists.n_terms(m)) {
                for (std::size_t lane = 0; lane < tile.n; ++lane) found.open.push_back({lane, j});
                continue;
            }
            // Most values are for c, and far from zero.
            double clear[kTile];
            lanes_.clear_values(tile, m, one, other, clear);
            const double for_c = j > c ? -1.0 : 1.0;
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                if (clear[lane] * for_c > 0) continue;
                const Sum here = lanes_.total(m, one[lane], other[lane]);
                if (rounding_.is_certain(tile.allowance[lane], m, here))
                    found.note(lane, c, j, here.value);
                else
                    found.open.push_back({lane, j});
            }
        }
        return found;
    }

    const DenseVectors<T>& v_;
    const Rounding<T>& rounding_;
    const Lanes<T>& lanes_;
    const std::vector<PrototypesOfClass> classes_;
    Lazy<Prototypes<T>> prototypes_;  // made by the first call that guesses
};

}  // namespace dagmar
