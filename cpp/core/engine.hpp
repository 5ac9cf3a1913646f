// What all workers share while they train in one precision: kernel rows, and the memory for them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "fresh_scores.hpp"
#include "integers.hpp"
#include "train.hpp"

namespace dagmar {

// Memory for kernel rows. Each task has a share of its own, in proportion to the square of its samples, but not more
// than the rows that it usually visits take (those of three in ten samples). The shares of any tasks that run at the
// same time fit into the whole. What tasks need beyond that, and parts of rows for other tasks, come out of the rest,
// first come, first served.
class RowMemory {
   public:
    // sizes: samples of each task.
    RowMemory(std::size_t bytes, std::vector<std::size_t> sizes, std::size_t n_workers, std::size_t bytes_of_value)
        : all(bytes), bytes_of_value_(static_cast<double>(bytes_of_value)), budget(0) {
        std::sort(sizes.begin(), sizes.end(), std::greater<>());
        sizes.resize(std::min(sizes.size(), n_workers));
        for (const std::size_t n : sizes) squares_ += static_cast<double>(n) * static_cast<double>(n);
        std::size_t shares = 0;
        for (const std::size_t n : sizes) shares += share_of(n);
        budget.give_back(bytes - std::min(bytes, shares));
        // Where the rows of the largest task alone fill half of the memory, none is left for other tasks.
        shares_parts = sizes.empty() || usual(sizes.front()) <= static_cast<double>(bytes) / 2;
    }

    std::size_t share_of(std::size_t n_samples) const {
        const double n = static_cast<double>(n_samples);
        if (squares_ == 0.0) return 0;
        return static_cast<std::size_t>(std::min(usual(n_samples), static_cast<double>(all) * (n * n / squares_)));
    }

    const std::size_t all;
    bool shares_parts = true;  // whether parts of rows may be kept for other tasks

   private:
    double usual(std::size_t n_samples) const {
        return 0.3 * static_cast<double>(n_samples) * static_cast<double>(n_samples) * bytes_of_value_;
    }
    double bytes_of_value_, squares_ = 0.0;

   public:
    Budget budget;
};

template <class T>
class Engine {
   public:
    // shares: whether parts of rows are kept for other tasks, and samples as they are loaded.
    Engine(const Problem& problem, const Tasks& tasks, RowMemory& memory, Spare& spare, bool shares,
           const TrainSettings& settings)
        : gram_(make_gram<T>(problem, settings.level, spare, shares)), simd_(simd<T>(settings.level)),
          fine_(simd<double>(settings.level)), memory_(memory), spare_(spare), scratch_(usize(settings.n_threads)),
          shared_(*gram_, tasks_with(tasks, shares && memory.shares_parts && gram_->worth_keeping(gram_->products())),
                  memory.budget, memory.all / 4) {}

    // own_share: whether the task's share of the memory is free for these rows.
    std::unique_ptr<TaskRows<T>> rows_of(const Tasks& tasks, std::size_t task, bool own_share, int worker) {
        std::size_t n_samples = 0;
        for (const std::int32_t c : tasks.classes_of(task)) n_samples += gram_->class_size(usize(c));
        return std::make_unique<TaskRows<T>>(*gram_, shared_, tasks.classes_of(task), gamma_of(tasks, task),
                                             RowShare{own_share ? memory_.share_of(n_samples) : 0, memory_.all},
                                             scratch_[usize(worker)], spare_);
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
        Solution solution = dagmar::solve<T>(problem, rows, settings, std::move(start), simd_, fine_, stop);
        machine.rows_computed += rows.computed() - computed;
        machine.rows_reused += rows.reused() - reused;
        machine.iterations += solution.iterations;
        return solution;
    }

    // Scores of some places from lambda alone, by rows that are not kept.
    void fresh_scores(const Tasks& tasks, std::size_t task, const BoxProblem& problem,
                      const std::vector<double>& lambda, const std::vector<std::int32_t>& places,
                      std::vector<double>& scores) const {
        dagmar::fresh_scores(*gram_, tasks.classes_of(task), gamma_of(tasks, task), simd_, problem, lambda, places,
                             spare_, scores);
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
    const Simd<double>& fine_;
    RowMemory& memory_;
    Spare& spare_;
    std::vector<RowScratch<T>> scratch_;
    SharedRows<T> shared_;
};

}  // namespace dagmar
