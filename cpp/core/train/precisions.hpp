// Training in two precisions: single first, where the problem asks for it, and double where single is too coarse.
#pragma once

#include <memory>
#include <mutex>

#include "solver/fresh_scores.hpp"
#include "train/engine.hpp"

namespace dagmar {

// The engines of both precisions, for all workers.
class Precisions {
   public:
    // sizes: samples of each task.
    Precisions(const Problem& problem, const Tasks& tasks, const TrainSettings& settings,
               const std::vector<std::size_t>& sizes)
        : problem_(problem), tasks_(tasks), settings_(settings), sizes_(sizes), bytes_(settings.memory / 8 * 7),
          spare_(settings.n_threads) {
        const Spare::Task loading(spare_);
        if (problem.precision == Precision::single_)
            single_ = std::make_unique<Engine<float>>(problem, tasks, bytes_, sizes, spare_, true, settings);
        else
            double_ = std::make_unique<Engine<double>>(problem, tasks, bytes_, sizes, spare_, true, settings);
    }

    // Solves a problem of a task. Adds counts to the machine, and notes there whether double precision solved it again.
    // After the last problem of a task comes `end`.
    Solution solve(std::size_t task, int worker, const BoxProblem& box, Start start, Stop& stop, Machine& machine) {
        SolverSettings in_double{
            .tol = settings_.tol, .max_iter = settings_.max_iter, .kernel_error = problem_.double_error};
        if (!single_) return double_->solve(task, worker, box, in_double, std::move(start), stop, machine);
        const double gamma = tasks_.gamma.empty() ? problem_.kernel.gamma : tasks_.gamma[task];
        const auto finer_scores = [&](const std::vector<double>& lambda, const Places& places,
                                      std::vector<double>& scores) {
            FreshScores(problem_, tasks_.classes_of(task), gamma, settings_.level, box, lambda)
                .compute(places, spare_, scores);
        };
        const SolverSettings in_single{.tol = settings_.tol,
                                       .max_iter = settings_.max_iter,
                                       .kernel_error = problem_.kernel_error,
                                       .finer = true,
                                       .finer_scores = std::ref(finer_scores),
                                       .finer_error = problem_.double_error};
        Solution first = single_->solve(task, worker, box, in_single, std::move(start), stop, machine);
        const auto is = [&](Status status) { return first.status == status; };
        if (is(Status::converged) || is(Status::max_iter) || is(Status::interrupted)) return first;
        // Kernel values in single precision are too coarse, hide the optimum, or leave their range.
        machine.in_double = true;
        if (in_double.max_iter >= 0) in_double.max_iter -= std::min(in_double.max_iter, first.iterations);
        single_->leave(worker);  // its share of the memory goes over to the rows in double
        Solution solution =
            fine().solve(task, worker, box, in_double, {std::move(first.lambda), {}, 0.0}, stop, machine);
        fine().leave(worker);
        solution.iterations += first.iterations;
        solution.visits += first.visits;
        solution.free_steps += first.free_steps;
        solution.refined = true;
        return solution;
    }
    void end(std::size_t task, int worker) {
        single_ ? single_->end_task(task, worker) : double_->end_task(task, worker);
    }

    Spare& spare() { return spare_; }

   private:
    // The engine of double precision beside a single one: made when a task needs it, and shares nothing between tasks.
    Engine<double>& fine() {
        std::call_once(made_, [&] {
            double_ = std::make_unique<Engine<double>>(problem_, tasks_, bytes_ - single_->bytes_of_parts(), sizes_,
                                                       spare_, false, settings_);
        });
        return *double_;
    }

    const Problem& problem_;
    const Tasks& tasks_;
    const TrainSettings& settings_;
    const std::vector<std::size_t>& sizes_;
    const std::size_t bytes_;  // for rows; an eighth of the memory is left for scratch memory and bookkeeping
    Spare spare_;
    std::unique_ptr<Engine<float>> single_;  // null if the problem is in double precision
    std::unique_ptr<Engine<double>> double_;
    std::once_flag made_;
};

}  // namespace dagmar
