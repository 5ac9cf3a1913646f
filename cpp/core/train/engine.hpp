// What all workers share while they train in one precision: kernel rows, and the memory for them.
#pragma once

#include "rows/kept.hpp"
#include "rows/small.hpp"
#include "rows/streamed.hpp"
#include "solver/solver.hpp"
#include "train/train.hpp"

namespace dagmar {

// The rows of a task, and how it is trained.
template <class T>
struct TaskRows {
    TrainChoices choices;
    std::unique_ptr<RowSource<T>> source;
};

template <class T>
class Engine {
   public:
    // shares: whether parts of rows are kept for other tasks, and samples as they are loaded.
    Engine(const Problem& problem, const Tasks& tasks, RowMemory& memory, Spare& spare, bool shares,
           const TrainSettings& settings)
        : gram_(make_gram<T>(problem, settings.level, spare)), simd_(simd<T>(settings.level)),
          fine_(simd<double>(settings.level)), overrides_(settings.overrides), memory_(memory), spare_(spare),
          scratch_(usize(settings.n_threads)),
          shared_(*gram_, tasks_with(tasks, shares && memory.shares_parts && gram_->worth_keeping(gram_->products())),
                  memory.budget, memory.all / 4) {}

    // The rows of a task, in the memory of a worker, which has no other task meanwhile. own_share: whether the task's
    // share of the memory is free for these rows.
    TaskRows<T> rows_of(const Tasks& tasks, std::size_t task, bool own_share, int worker) {
        RowScratch<T>& scratch = scratch_[usize(worker)];
        const auto classes = tasks.classes_of(task);
        scratch.places.set(*gram_, classes);
        const std::size_t n_samples = scratch.places.n_samples;
        const TaskShape shape{n_samples, scratch.places.n,         gram_->n_features(),
                              sizeof(T), gram_->products(classes), gram_->has_columns()};
        const TrainChoices choices = TrainChoices::of(shape, overrides_);
        const std::size_t share = own_share ? memory_.share_of(n_samples) : 0;
        const RowParts<T> parts{*gram_, shared_, scratch, gamma_of(tasks, task), share, memory_.all};
        if (choices.rows == RowsWay::small) return {choices, std::make_unique<SmallRows<T>>(parts, spare_)};
        if (choices.rows == RowsWay::streamed)
            return {choices, std::make_unique<StreamedRows<T>>(parts, choices.working, spare_)};
        return {choices, std::make_unique<KeptRows<T>>(parts, choices.working, choices.first_bytes, spare_)};
    }

    // Gives back the memory that a worker holds.
    void leave(int worker) {
        RowScratch<T>& scratch = scratch_[usize(worker)];
        memory_.budget.give_back(scratch.paid);
        scratch = RowScratch<T>{};
    }

    // Solves a problem and adds the rows that it took to the machine's counts.
    Solution solve(const BoxProblem& problem, TaskRows<T>& task, const SolverSettings& settings, Start start,
                   Stop& stop, Machine& machine) const {
        RowSource<T>& rows = *task.source;
        const std::int64_t computed = rows.computed(), reused = rows.reused();
        Solver<T> solver(problem, rows, settings, task.choices.active, std::move(start), simd_, fine_, stop);
        Solution solution = solver.run();
        machine.rows_computed += rows.computed() - computed;
        machine.rows_reused += rows.reused() - reused;
        machine.rows = task.choices.rows;
        return solution;
    }

    const GramRows<T>& gram() const { return *gram_; }
    double gamma_of(const Tasks& tasks, std::size_t task) const {
        return tasks.gamma.empty() ? gram_->gamma() : tasks.gamma[task];
    }

    void end_task(std::span<const std::int32_t> classes) { shared_.end_task(classes); }

   private:
    // The number of tasks that can share K(class, class), for every two classes; none if tasks have their own gamma.
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
    const Overrides& overrides_;
    RowMemory& memory_;
    Spare& spare_;
    std::vector<RowScratch<T>> scratch_;
    SharedRows<T> shared_;
};

}  // namespace dagmar
