// What is to be trained: binary questions over classes, and variants of their caps.
#pragma once

#include "samples/problem.hpp"

namespace dagmar {

// Task t asks classes[begin[t] ... begin[t+1]-1], each with side +1 or -1. A task may have its own gamma, and its own
// C, by which the caps of its samples are multiplied (empty: no task has).
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

// The number of samples of a task.
std::size_t n_samples_of(const Problem& problem, const Tasks& tasks, std::size_t task);

// Throws std::invalid_argument if the arrays of the tasks do not fit together, or a task has a class twice.
void check(const Tasks& tasks);

// Throws std::invalid_argument if the arrays do not fit together. soft: see train.
void check(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft);

}  // namespace dagmar
