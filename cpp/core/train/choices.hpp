// How a task is trained: which kernel rows it has, the size of its working sets, whether it has an active part.
//
// Choices depend on the samples of the task alone (their number, features and nonzeros), not on memory, threads or the
// instruction set, because the steps of the solver follow from them and results must have the same bits everywhere.
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
        const bool has_columns = gram.has_columns();
        const std::size_t small = gram.n_features() >= kManyFeatures ? kSmallTaskOfMany : kSmallTask;
        const bool can_be_small = task.n <= kMostPairSamples,
                   cheap = has_columns && !gram.worth_keeping(gram.products(task.classes));
        const std::size_t rows_at_hand = kAtHand / (std::max<std::size_t>(1, task.n) * sizeof(T));
        if (cheap) choices.first_bytes = kAtHand;
        if (task.n_samples <= small && can_be_small)
            choices.rows = RowsWay::small;
        else if (cheap && rows_at_hand < task.n_samples / 4)
            choices.rows = RowsWay::streamed;
        const bool large = task.n_samples * gram.n_features() * sizeof(T) > kCache;
        choices.working = large ? kWorking : kSmallSet;
        if (overrides.rows && !(*overrides.rows == RowsWay::small && !can_be_small) &&
            !(*overrides.rows == RowsWay::streamed && !has_columns))
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
    // Rows that are not worth keeping (GramRows::worth_keeping) are computed in less time than it takes to write them
    // to fresh memory, page by page. They begin with this many bytes, which malloc keeps from one fit to the next (it
    // gives blocks above 32 MiB back to the system), and get more once as many rows were dropped as that holds. If it
    // holds less than a quarter of the rows, they are streamed. (With fresh memory for all rows, fits of Poker and
    // Covertype take 1.5 to 10 times as long.)
    static constexpr std::size_t kAtHand = std::size_t{28} << 20;
    // Working sets are larger if samples do not fit the second-level cache, so that each load of a sample serves more
    // rows.
    static constexpr std::size_t kCache = std::size_t{1} << 20;
};

}  // namespace dagmar
