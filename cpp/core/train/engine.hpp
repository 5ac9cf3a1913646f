// Training in one precision: kernel rows, and the memory that workers have for them.
#pragma once

#include "rows/kept.hpp"
#include "rows/small.hpp"
#include "rows/streamed.hpp"
#include "solver/solver.hpp"
#include "train/train.hpp"

namespace dagmar {

// How the memory of a training is divided, in bytes: the rows of tasks that run, in proportion to the squares of their
// samples, and the parts of rows that are kept for other tasks. Memory decides which rows are computed again, never a
// result.
class RowMemory {
   public:
    // sizes: the samples of each task; n_workers: tasks that run at the same time.
    RowMemory(std::size_t bytes, std::vector<std::size_t> sizes, std::size_t n_workers, std::size_t bytes_of_value,
              bool keeps_parts)
        : rows_(static_cast<double>(bytes)) {
        std::sort(sizes.begin(), sizes.end(), std::greater<>());
        sizes.resize(std::min(sizes.size(), n_workers));
        for (const std::size_t n : sizes) squares_ += static_cast<double>(n) * static_cast<double>(n);
        // A task usually visits the rows of up to three in ten samples. Parts get half of the memory, or less if tasks
        // need more than the other half; nothing if the largest task alone needs that much.
        const double share = 0.3 * static_cast<double>(bytes_of_value), all = rows_;
        const double largest = sizes.empty() ? 0.0 : static_cast<double>(sizes.front());
        if (!keeps_parts || share * largest * largest > all / 2) return;
        rows_ = std::clamp(share * squares_, all / 2, all);
        parts_ = static_cast<std::size_t>(all - rows_);
    }
    std::size_t rows_of(std::size_t n_samples) const {
        const double n = static_cast<double>(n_samples);
        return static_cast<std::size_t>(std::min(rows_, rows_ * (n * n / std::max(1.0, squares_))));
    }
    std::size_t parts() const { return parts_; }

   private:
    double rows_, squares_ = 0.0;
    std::size_t parts_ = 0;
};

template <class T>
class Engine {
   public:
    // bytes: for rows. sizes: samples of each task. shares: whether parts of rows are kept for other tasks.
    Engine(const Problem& problem, const Tasks& tasks, std::size_t bytes, const std::vector<std::size_t>& sizes,
           Spare& spare, bool shares, const TrainSettings& settings)
        : gram_(make_gram<T>(problem, settings.level, spare)), tasks_(tasks), settings_(settings), spare_(spare),
          memory_(bytes, sizes, usize(settings.n_threads), sizeof(T),
                  shares && tasks.size() > 1 && tasks.gamma.empty() && gram_->worth_keeping(gram_->products())),
          shared_(*gram_, tasks_with(), memory_.parts()), workers_(usize(settings.n_threads)) {}

    // Solves a problem of a task and adds the rows that it took to the machine's counts. The worker keeps the rows of
    // the task until `leave` or `end_task`.
    Solution solve(std::size_t task, int worker, const BoxProblem& problem, const SolverSettings& settings, Start start,
                   Stop& stop, Machine& machine) {
        Worker& own = workers_[usize(worker)];
        if (!own.rows) make_rows(task, own);
        const std::int64_t computed = own.rows->computed(), reused = own.rows->reused();
        Solution solution = Solver<T>(problem, *own.rows, settings, own.choices.active, std::move(start), gram_->simd(),
                                      simd<double>(settings_.level), stop, own.solver)
                                .run();
        machine.rows_computed += own.rows->computed() - computed;
        machine.rows_reused += own.rows->reused() - reused;
        machine.rows = own.choices.rows;
        return solution;
    }
    std::size_t bytes_of_parts() const { return memory_.parts(); }  // that are kept for other tasks
    // Gives back the memory that a worker holds.
    void leave(int worker) { workers_[usize(worker)] = Worker{}; }
    void end_task(std::size_t task, int worker) {
        workers_[usize(worker)].rows.reset();
        shared_.end_task(tasks_.classes_of(task));
    }

   private:
    struct Worker {
        RowScratch<T> scratch;
        SolverScratch<T> solver;
        TrainChoices choices;
        std::unique_ptr<RowSource<T>> rows;  // of the worker's task
    };

    void make_rows(std::size_t task, Worker& own) {
        own.scratch.places.set(*gram_, tasks_.classes_of(task));
        own.choices = TrainChoices::of(*gram_, own.scratch.places, settings_.overrides);
        const double gamma = tasks_.gamma.empty() ? gram_->gamma() : tasks_.gamma[task];
        const RowParts<T> parts{*gram_,      shared_, spare_,
                                own.scratch, gamma,   memory_.rows_of(own.scratch.places.n_samples)};
        if (own.choices.rows == RowsWay::small)
            own.rows = std::make_unique<SmallRows<T>>(parts);
        else if (own.choices.rows == RowsWay::streamed)
            own.rows = std::make_unique<StreamedRows<T>>(parts, own.choices.working);
        else
            own.rows = std::make_unique<KeptRows<T>>(parts, own.choices.working, own.choices.first_bytes);
    }
    // The number of tasks that can share K(class, class), for every two classes.
    std::vector<std::int32_t> tasks_with() const {
        const std::size_t n_classes = gram_->n_classes();
        std::vector<std::int32_t> count(n_classes * n_classes, 0);
        if (memory_.parts() == 0) return count;
        for (std::size_t t = 0; t < tasks_.size(); ++t)
            for (const std::int32_t a : tasks_.classes_of(t))
                for (const std::int32_t b : tasks_.classes_of(t)) ++count[usize(a) * n_classes + usize(b)];
        return count;
    }

    std::unique_ptr<GramRows<T>> gram_;
    const Tasks& tasks_;
    const TrainSettings& settings_;
    Spare& spare_;
    const RowMemory memory_;
    SharedRows<T> shared_;
    std::vector<Worker> workers_;
};

}  // namespace dagmar
