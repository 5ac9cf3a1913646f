// What all workers share while they train in one precision: kernel rows, and the memory for them.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "fresh_scores.hpp"
#include "integers.hpp"
#include "train.hpp"

namespace dagmar {

// Memory for kernel rows. A worker's own share holds the rows of a usual task (three in ten of its samples). What tasks
// need beyond that, and parts of rows for other tasks, come out of the rest, first come, first served.
struct RowMemory {
    RowMemory(std::size_t bytes, std::size_t usual, std::size_t n_workers)
        : own(std::min(usual, bytes / n_workers)), most(bytes - own * (n_workers - 1)), all(bytes),
          budget(bytes - own * n_workers) {}

    std::size_t own, most, all;
    Budget budget;
};

template <class T>
class Engine {
   public:
    // shares: whether parts of rows are kept for other tasks.
    Engine(const Problem& problem, const Tasks& tasks, RowMemory& memory, Spare& spare, bool shares,
           const TrainSettings& settings)
        : gram_(make_gram<T>(problem, settings.level)), simd_(simd<T>(settings.level)), memory_(memory), spare_(spare),
          scratch_(usize(settings.n_threads)),
          shared_(*gram_, tasks_with(tasks, shares && gram_->worth_keeping()), memory.budget, memory.all / 4) {}

    // own_share: bytes that only this worker uses.
    std::unique_ptr<TaskRows<T>> rows_of(const Tasks& tasks, std::size_t task, std::size_t own_share, int worker) {
        return std::make_unique<TaskRows<T>>(*gram_, shared_, tasks.classes_of(task), gamma_of(tasks, task),
                                             RowShare{own_share, memory_.most}, scratch_[usize(worker)], spare_);
    }

    // Gives back the memory that a worker holds.
    void leave(int worker) {
        RowScratch<T>& scratch = scratch_[usize(worker)];
        memory_.budget.give_back(scratch.paid);
        scratch = RowScratch<T>{};
    }

    // Solves a problem and adds what it cost to the machine's counts.
    Solution solve(const BoxProblem& problem, TaskRows<T>& rows, const SolverSettings& settings, Start start,
                   Stop& stop, Machine& machine) const {
        const std::int64_t computed = rows.computed(), reused = rows.reused();
        Solution solution = dagmar::solve<T>(problem, rows, settings, std::move(start), simd_, stop);
        machine.rows_computed += rows.computed() - computed;
        machine.rows_reused += rows.reused() - reused;
        machine.iterations += solution.iterations;
        return solution;
    }

    // Scores from lambda alone, by rows that are not kept.
    void fresh_scores(const Tasks& tasks, std::size_t task, const BoxProblem& problem,
                      const std::vector<double>& lambda, std::vector<double>& scores) const {
        dagmar::fresh_scores(*gram_, tasks.classes_of(task), gamma_of(tasks, task), simd_, problem, lambda, spare_,
                             scores);
    }

    void end_task(std::span<const std::int32_t> classes) { shared_.end_task(classes); }

   private:
    double gamma_of(const Tasks& tasks, std::size_t task) const {
        return tasks.gamma.empty() ? gram_->gamma() : tasks.gamma[task];
    }

    // The number of tasks that can share K(class, class), for every two classes; none where tasks have their own gamma.
    std::vector<std::int32_t> tasks_with(const Tasks& tasks, bool shares) const {
        const std::size_t n_classes = gram_->n_classes();
        std::vector<std::int32_t> count(n_classes * n_classes, 0);
        if (!shares || !tasks.gamma.empty()) return count;
        for (std::size_t t = 0; t < tasks.size(); ++t)
            for (const std::int32_t a : tasks.classes_of(t))
                for (const std::int32_t b : tasks.classes_of(t)) ++count[usize(a) * n_classes + usize(b)];
        return count;
    }

    std::unique_ptr<GramRows<T>> gram_;
    const Simd<T>& simd_;
    RowMemory& memory_;
    Spare& spare_;
    std::vector<RowScratch<T>> scratch_;
    SharedRows<T> shared_;
};

}  // namespace dagmar
