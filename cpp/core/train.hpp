// All machines of a fit: one box-constrained problem per task and variant, in parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "problem.hpp"
#include "smo.hpp"

namespace dagmar {

// Binary questions over classes: task t asks classes[begin[t] ... begin[t+1]-1], each with side +1 or -1. A task may
// have its own gamma, and its own C, by which the caps of its samples are multiplied (empty: no task has).
struct Tasks {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> classes;
    std::vector<std::int8_t> sides;
    std::vector<double> C, gamma;
    std::size_t size() const { return begin.size() - 1; }
    std::span<const std::int32_t> classes_of(std::size_t task) const {
        return {classes.data() + begin[task], classes.data() + begin[task + 1]};
    }
};

// Throws std::invalid_argument if the arrays of the tasks do not fit together, or a task has a class twice.
void check(const Tasks& tasks);

// Problems over the same tasks and samples that differ in their caps, such as the folds and the values of C of a
// search; rows of the kernel serve them all. Variant v has caps cap[v * n_samples ...]. It may start from the solution
// of an earlier one, start[v], whose caps are ratio[v] times smaller; start[v] < 0 or an empty `start` means from zero.
struct Variants {
    std::size_t n = 0, n_samples = 0;
    std::span<const double> cap;
    std::vector<std::int32_t> start;
    std::vector<double> ratio;
    const double* caps_of(std::size_t v) const { return cap.data() + v * n_samples; }
};

struct TrainSettings {
    double tol = 1e-3;
    std::int64_t max_iter = -1;                   // see SolverSettings
    std::size_t memory = std::size_t{200} << 20;  // bytes for kernel rows, all threads together
    int n_threads = 1;                            // at most
    double per_thread = 0;  // squares of the numbers of samples, of all tasks together, that are worth a thread; or 0
    Level level = Level::plain;
    bool outside = false;  // whether machines keep their values on samples of cap 0
};

// A trained machine: value(x) = sum coef K(sample, x) + bias, positive for the classes with side +1.
struct Machine {
    std::vector<std::int32_t> sample;  // training samples in class order, ascending
    std::vector<double> coef;
    double bias = 0, objective = 0, norm2 = 0, gap = 0, seconds = 0;
    std::int64_t iterations = 0, rows_computed = 0, rows_reused = 0;
    Status status = Status::converged;
    bool refined = false;         // by kernel values in double precision: its scores, or all of it
    bool in_double = false;       // solved again in double precision
    bool indefinite = false;      // the kernel matrix is not positive semi-definite: see Solution
    std::vector<double> outside;  // if asked for: its values on the task's samples of cap 0, in the task's order
};

// Called by the calling thread, about every 50 ms and at the end, with the tasks that ended since the last call; their
// machines are complete and do not change any more. True asks for an early end.
using Finished = std::function<bool(const std::vector<std::size_t>& tasks, const std::vector<Machine>& machines)>;

// Throws std::invalid_argument if the arrays do not fit together.
void check(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft);

// soft: empty, or for every task the soft labels of its samples (class after class), one task after the other; their
// signs and sizes replace the task's sides and the targets. machines[t * variants.n + v] is task t in variant v.
// `finished` may be empty. Returns false if it or a signal asked to stop; then `machines` is incomplete.
bool train(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
           const TrainSettings& settings, const Finished& finished, const CheckSignals& check_signals,
           std::vector<Machine>& machines);

}  // namespace dagmar
