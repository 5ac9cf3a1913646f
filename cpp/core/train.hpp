// All machines of a fit: one pair problem per task, in parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "smo.hpp"

namespace dagmar {

// Binary questions over classes: task t asks the classes class_[begin[t] ... begin[t+1]-1], each with side +1 or -1. It may
// have a gamma of its own, and a factor for the caps of its samples (empty: none has).
struct Tasks {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> class_;
    std::vector<std::int8_t> side;
    std::vector<double> gamma, scale;
    std::size_t size() const { return begin.size() - 1; }
};

// A trained machine: value(x) = sum coef K(sample, x) + bias, positive for the classes with side +1.
struct Machine {
    std::vector<std::int32_t> sample;  // training samples in class order, ascending
    std::vector<double> coef;
    double bias = 0, objective = 0, norm2 = 0, gap = 0, seconds = 0;
    std::int64_t iterations = 0, rows_computed = 0, rows_reused = 0;
    Status status = Status::converged;
    bool refined = false;         // solved again with double precision
    std::vector<double> outside;  // if asked for: its values on the task's samples of cap 0, in the task's order
};

// One of several problems over the same tasks and samples, such as the folds and the values of C of a search: rows of the
// kernel serve them all. cap: per sample, C times its weights. A variant may start from an earlier one whose caps are
// `ratio` times smaller, from that one's multipliers or a multiple of them.
struct Variant {
    std::vector<double> cap;
    std::int32_t from = -1;
    double ratio = 1.0;
};

// Called by the calling thread, about every 50 ms and at the end, with the tasks that ended since the last call; their
// machines are complete and stay as they are. True asks for an early end.
using Finished = std::function<bool(const std::vector<std::size_t>& tasks, const std::vector<Machine>& machines)>;

struct TrainOptions {
    Settings settings;
    std::size_t memory = std::size_t{200} << 20;  // bytes for kernel rows, all threads together
    int n_threads = 1;
    bool inline_ = false;  // see parallel_for
    Finished finished;     // may be empty
    bool outside = false;  // whether machines keep their values on samples of cap 0
};

// A source of kernel values in each precision; `single` may be empty, and `fine` is made only when a task needs it.
struct Sources {
    std::unique_ptr<GramRows<float>> single;
    std::function<std::unique_ptr<GramRows<double>>()> fine;
    Level level = Level::plain;
};

// soft: empty, or for every task the soft labels of its samples (class after class), one task after the other; their signs
// and sizes take the place of the task's sides and of the targets. machines[t * variants.size() + v] is task t in variant v.
// Returns false if `poll` asked to stop; then `machines` is incomplete.
bool train(Sources sources, const Tasks& tasks, const std::vector<Variant>& variants, const std::vector<double>& soft,
           const TrainOptions& options, const Poll& poll, std::vector<Machine>& machines);

}  // namespace dagmar
