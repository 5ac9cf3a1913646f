// Kernel rows as the solver asks for them: one face, behind which rows are computed at once, kept, streamed or copied.
//
//   SmallRows     a small task: all rows at once, and the working set holds all samples
//   KeptRows      rows on demand, the least recently used dropped when there is no memory left
//   StreamedRows  a large task whose kernel values are cheap: rows are added to the scores as they are computed
//   BlockRows     the samples of an active part, with all rows between them
//
// Which one a task gets depends on the shape of the task alone (TrainChoices), because the steps of the solver do.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "gram/gram.hpp"

namespace dagmar {

using Places = std::vector<std::int32_t>;

// Multipliers that moved: s lambda of the sample at places[i] changed by by[i].
struct Moves {
    Places places;
    std::vector<double> by;
};

// The kernel between the samples of a working set: row i begins at rows + slot[i] * stride.
template <class T>
struct KernelBlock {
    const T* rows;
    std::size_t stride;
    const std::int32_t* slot;
};

// Slots of rows that stand in the order of the working set.
inline constexpr auto kInOrder = [] {
    std::array<std::int32_t, kWorking> slots{};
    for (std::size_t i = 0; i < kWorking; ++i) slots[i] = static_cast<std::int32_t>(i);
    return slots;
}();

// How far a working set is solved before scores move: to this share of the gap, but not below this share of the goal.
// What is left of the gap inside the set changes with the other samples anyway.
struct Depth {
    double of_gap, of_goal;
};

// Calls visit(lot, first) for all places, at most `most` at a time; lot begins with the first-th of them.
template <class Visit>
void in_lots(const Places& places, std::size_t most, const Visit& visit) {
    if (!places.empty() && places.size() <= most) return visit(places, 0);  // the usual case: no copy
    Places lot;
    for (std::size_t first = 0; first < places.size(); first += most) {
        lot.assign(places.data() + first, places.data() + std::min(places.size(), first + most));
        visit(lot, first);
    }
}

// Threads that may work on parts of one pass over the scores.
constexpr std::size_t kParts = 4;

// The scores from place `first` to `end`, both multiples of the chunk.
template <class T>
PairScores<T> part_of(const PairScores<T>& all, std::size_t first, std::size_t end) {
    return {all.scores + first, all.low + first, all.may_up + first / kLanes,      all.may_low + first / kLanes,
            end - first,        all.chunk,       all.chunk_top + first / all.chunk};
}

// Calls pass(part, first, end) for all chunks of the scores at once, or for parts of them if idle threads should help.
// Every lane has the same bits in any part. Returns the extremes over all parts.
template <class T, class Pass>
Extremes in_parts(const PairScores<T>& scores, Spare& spare, bool pays, const Pass& pass) {
    if (!pays) return pass(0, 0, scores.n);
    Extremes parts[kParts];
    const std::size_t n_chunks = (scores.n + scores.chunk - 1) / scores.chunk;
    const auto begin = [&](std::size_t i) { return std::min(scores.n, n_chunks * i / kParts * scores.chunk); };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    spare.run(kParts, [&](std::size_t i) {
        parts[i] = begin(i) < begin(i + 1) ? pass(i, begin(i), begin(i + 1)) : Extremes{-infinity, infinity};
    });
    Extremes all = parts[0];
    for (const Extremes& part : parts) all = {std::max(all.top, part.top), std::min(all.bottom, part.bottom)};
    return all;
}

// A row is over all places of a task: its samples, and padding.
template <class T>
class RowSource {
   public:
    virtual ~RowSource() = default;

    std::size_t n() const { return n_; }  // padded length of a row
    std::size_t n_samples() const { return n_samples_; }
    bool is_sample(std::size_t place) const { return sample_ ? sample_[place] >= 0 : place < n_samples_; }
    const T* diagonal() const { return diagonal_; }
    std::size_t working() const { return working_; }  // most samples in a working set
    // Whether a working set always holds all places.
    virtual bool is_whole() const { return false; }
    virtual Depth depth() const { return {0.2, 0.5}; }
    // Unit roundoff with which `move` changes a score.
    virtual double unit() const { return static_cast<double>(std::numeric_limits<T>::epsilon()); }
    Spare& spare() const { return spare_; }

    // The row of the first of these candidates for a working set. A source that keeps rows computes all of them
    // together.
    virtual const T* first_row(const Places& places) = 0;
    // The kernel between the samples of a working set, padded with zeros to whole panels; valid until the next call.
    virtual KernelBlock<T> block(const Places& places) = 0;
    // scores[k] -= sum over the moves of by * K(place, k) for all places k, then the extremes.
    virtual Extremes move(const PairScores<T>& scores, const Moves& moves) = 0;
    // Calls visit(place, row) for all these places.
    virtual void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) = 0;
    // The kernel between any number of places: out + i * stride is the row of the i-th. stride is at least
    // padded(their number); values beyond that number have no meaning.
    virtual void among(const Places& places, T* out, std::size_t stride) {
        each_row(places, [&](std::size_t, const T* row) {
            for (std::size_t j = 0; j < places.size(); ++j) out[j] = row[places[j]];
            out += stride;
        });
    }

    // The same with a stride of padded(their number), and zeros beyond that number.
    void padded_among(const Places& places, T* out) {
        const std::size_t count = places.size(), n = padded(count);
        among(places, out, n);
        for (std::size_t i = 0; i < count; ++i) std::fill(out + i * n + count, out + (i + 1) * n, T(0));
        std::fill(out + count * n, out + n * n, T(0));
    }

    // Memory for this many values out of what rows have, until `take_back`. Null if that leaves too few rows.
    virtual T* lend(std::size_t) { return nullptr; }
    virtual void take_back() {}

    // Rows computed, and rows asked for that were still available.
    std::int64_t computed() const { return computed_; }
    std::int64_t reused() const { return asked_ - computed_; }

   protected:
    // sample: negative for padding; null if the samples are the first places.
    RowSource(const Simd<T>& simd, Spare& spare, std::size_t n, std::size_t n_samples, std::size_t working,
              const T* diagonal, const std::int32_t* sample)
        : simd_(simd), spare_(spare), n_(n), n_samples_(n_samples), working_(working), diagonal_(diagonal),
          sample_(sample) {}

    // `block` for rows in memory: that of places[i] begins at rows + slots[i] * n().
    KernelBlock<T> gather(const T* rows, const std::int32_t* slots, const Places& places) {
        const std::size_t n = padded(places.size());
        T* block = block_.at_least(kWorking * kWorking);
        simd_.gather(rows, n_, slots, places.data(), places.size(), n, block);
        return {block, n, kInOrder.data()};
    }
    // `move` for rows in memory; slots_of(lot) says where those of some places begin. As many at a time as a working
    // set has: sums of more would lose digits in T, and their rows might not fit.
    template <class Slots>
    Extremes move_by_rows(const PairScores<T>& scores, const T* rows, const Moves& moves, const Slots& slots_of) {
        Extremes now{};
        in_lots(moves.places, working_, [&](const Places& lot, std::size_t first) {
            const std::int32_t* slots = slots_of(lot);
            coef_.assign(moves.by.data() + first, moves.by.data() + first + lot.size());
            const bool pays = lot.size() * n_ >= kManyProducts;
            now = in_parts(scores, spare_, pays, [&](std::size_t, std::size_t begin, std::size_t end) {
                return simd_.update_by_rows(part_of(scores, begin, end), rows + begin, n_, slots, coef_.data(),
                                            lot.size());
            });
        });
        return now;
    }

    const Simd<T>& simd_;
    Spare& spare_;
    const std::size_t n_, n_samples_, working_;
    const T* diagonal_;
    const std::int32_t* sample_;
    std::int64_t computed_ = 0, asked_ = 0;
    Buffer<T> block_;
    std::vector<T> coef_;  // of moves

   private:
    // A pass of this many products is worth several threads.
    static constexpr std::size_t kManyProducts = std::size_t{1} << 19;
};

}  // namespace dagmar
