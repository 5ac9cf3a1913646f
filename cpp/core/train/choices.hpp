// How a task is trained: the one place that chooses.
//
// All choices depend on the shape of the task alone, not on memory, threads or the instruction set, because the steps
// of the solver follow from them and results must have the same bits everywhere.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "solver/active_part.hpp"

namespace dagmar {

enum class RowsWay : int { small = 0, kept = 1, streamed = 2 };

// What choices depend on.
struct TaskShape {
    std::size_t n_samples = 0, n = 0;  // samples, and the padded length of a row
    std::size_t n_features = 0;        // numbers that are read for each sample, if all are; else 0
    std::size_t bytes = 4;             // of a kernel value
    double products = 0;               // that a kernel value takes
    bool streams = false;              // whether rows can be added up as they are computed
};

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

    static TrainChoices of(const TaskShape& shape, const Overrides& overrides);
};

}  // namespace dagmar
