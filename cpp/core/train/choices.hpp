// How a task is trained: the one place that chooses.
//
// All choices depend on the shape of the task alone, not on memory, threads or the instruction set, because the steps
// of the solver follow from them and results must have the same bits everywhere.
#pragma once

#include "rows/parts.hpp"
#include "solver/active_part.hpp"

namespace dagmar {

enum class RowsWay : int { small = 0, kept = 1, streamed = 2 };

// Choices that a test or a fuzzer makes instead, so that a small problem can be made to take each way.
struct Overrides {
    std::optional<RowsWay> rows;
    std::optional<bool> active_part;
    std::optional<bool> duplicates;
};

struct TrainChoices {
    RowsWay rows = RowsWay::kept;
    std::size_t working = kWorking;                                     // samples of a working set
    std::size_t first_bytes = std::numeric_limits<std::size_t>::max();  // memory that kept rows begin with, at most
    ActiveSizes active;

    template <class T>
    static TrainChoices of(const GramRows<T>& gram, const TaskPlaces<T>& task, const Overrides& overrides) {
        TrainChoices choices;
        const bool streams = gram.has_columns();
        const std::size_t small = gram.n_features() >= kManyFeatures ? kSmallTaskOfMany : kSmallTask;
        const bool can_be_small = task.n <= kMostPairSamples,
                   cheap = streams && gram.products(task.classes) <= kFewProducts;
        const std::size_t rows_at_hand = kAtHand / (std::max<std::size_t>(1, task.n) * sizeof(T));
        if (cheap) choices.first_bytes = kAtHand;
        if (task.n_samples <= small && can_be_small)
            choices.rows = RowsWay::small;
        else if (cheap && rows_at_hand < task.n_samples / 4)
            choices.rows = RowsWay::streamed;
        const bool large = task.n_samples * gram.n_features() * sizeof(T) > kCache;
        choices.working = large ? kWorking : kSmallSet;
        if (overrides.rows && !(*overrides.rows == RowsWay::small && !can_be_small) &&
            !(*overrides.rows == RowsWay::streamed && !streams))
            choices.rows = *overrides.rows;
        if (overrides.active_part)
            choices.active = *overrides.active_part ? ActiveSizes{4 * kLanes, 2 * kLanes, ActiveSizes{}.most}
                                                    : ActiveSizes{std::numeric_limits<std::size_t>::max()};
        return choices;
    }

   private:
    // A task of this many samples visits most of its rows, so all are computed at once, each value between two classes
    // once. With many features, computing a value twice is expensive, so the limit is higher.
    static constexpr std::size_t kSmallTask = 256, kSmallTaskOfMany = 512, kManyFeatures = 256;
    // Values of at most this many products are computed in less time than rows take to be written to fresh memory
    // (measured: with 16 products keeping rows costs a little, with 256 it saves a fifth). Their rows begin with memory
    // that an allocator has at hand from one fit to the next, and get more once as many rows were dropped as it holds.
    // If it holds less than a quarter of the rows, they are not kept at all. (With fresh memory for all rows, fits of
    // Poker and Covertype take 1.5 to 10 times as long.)
    static constexpr double kFewProducts = 24.0;
    static constexpr std::size_t kAtHand = std::size_t{28} << 20;
    // Working sets are larger if samples do not fit the second-level cache, so that each load of a sample serves more
    // rows.
    static constexpr std::size_t kCache = std::size_t{1} << 20;
};

}  // namespace dagmar
