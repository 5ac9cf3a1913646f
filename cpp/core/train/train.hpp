// All machines of a fit: one box-constrained problem per task and variant, in parallel.
#pragma once

#include "solver/problem.hpp"
#include "train/choices.hpp"
#include "train/tasks.hpp"

namespace dagmar {

struct TrainSettings {
    double tol = 1e-3;
    std::int64_t max_iter = -1;                   // see SolverSettings
    std::size_t memory = std::size_t{200} << 20;  // bytes for kernel rows, all threads together
    int n_threads = 1;                            // at most
    double per_thread = 0;                        // see threads_worth
    Level level = Level::plain;
    bool outside = false;  // whether machines keep their values on samples of cap 0
    Overrides overrides;
};

// value(x) = sum coef K(sample, x) + bias, positive for the classes with side +1.
struct Machine : Outcome {
    std::vector<std::int32_t> sample;  // training samples in class order, ascending
    std::vector<double> coef;
    double seconds = 0;
    std::int64_t rows_computed = 0, rows_reused = 0;
    std::int64_t merged = 0;  // samples that were left out because others of their class are equal
    bool in_double = false;   // solved again in double precision
    RowsWay rows = RowsWay::kept;
    std::vector<double> outside;  // if asked for: its values on the task's samples of cap 0, in the task's order
};

// Called by the calling thread, about every 50 ms and at the end, with the tasks that ended since the last call; their
// machines are complete and do not change any more. True asks for an early end.
using Finished = std::function<bool(const std::vector<std::size_t>& tasks, const std::vector<Machine>& machines)>;

// soft: empty, or for every task the soft labels of its samples (class after class), one task after the other; their
// signs and sizes replace the task's sides and the targets. machines[t * variants.n + v] is task t in variant v.
// `finished` may be empty. Returns false if it or a signal asked to stop; then `machines` is incomplete.
bool train(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
           const TrainSettings& settings, const Finished& finished, const CheckSignals& check_signals,
           std::vector<Machine>& machines);

}  // namespace dagmar
