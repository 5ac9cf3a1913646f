// Training in two precisions: single first, where the problem asks for it, and double where single is too coarse.
#pragma once

#include <memory>
#include <mutex>

#include "solver/fresh_scores.hpp"
#include "train/engine.hpp"

namespace dagmar {

// The engines of both precisions, for all workers. The double one beside a single one is made when the first task needs
// it, and shares nothing between tasks.
class Precisions {
   public:
    // sizes: samples of each task.
    Precisions(const Problem& problem, const Tasks& tasks, const TrainSettings& settings,
               std::vector<std::size_t> sizes)
        : problem_(problem), tasks_(tasks), settings_(settings), spare_(settings.n_threads),
          // An eighth is left for scratch memory and bookkeeping.
          memory_(settings.memory / 8 * 7, std::move(sizes), usize(settings.n_threads),
                  problem.precision == Precision::single_ ? sizeof(float) : sizeof(double)) {
        const Spare::Task loading(spare_);
        if (problem.precision == Precision::single_)
            single_ = std::make_unique<Engine<float>>(problem, tasks, memory_, spare_, true, settings);
        else
            double_ = std::make_unique<Engine<double>>(problem, tasks, memory_, spare_, true, settings);
    }

    // The rows of one task, and its solver. Used by one worker; end() must be called once it is done.
    class TaskSolver {
       public:
        // keeps_single: whether single rows are needed again after a problem was solved in double (other variants).
        TaskSolver(Precisions& engines, std::size_t task, int worker, bool keeps_single)
            : engines_(engines), task_(task), worker_(worker), keeps_single_(keeps_single) {
            if (engines.single_)
                single_rows_ = engines.single_->rows_of(engines.tasks_, task, true, worker);
            else
                double_rows_ = engines.double_->rows_of(engines.tasks_, task, true, worker);
        }

        // Adds counts to the machine, and notes there whether double precision refined its scores or solved it again.
        Solution solve(const BoxProblem& problem, Start start, Stop& stop, Machine& machine) {
            if (!engines_.single_) return solve_in_double(problem, std::move(start), {}, stop, machine);
            const auto finer_scores = [&](const std::vector<double>& lambda, const Places& places,
                                          std::vector<double>& scores) {
                FreshScores(engines_.problem_, engines_.tasks_.classes_of(task_),
                            engines_.single_->gamma_of(engines_.tasks_, task_), engines_.settings_.level, problem,
                            lambda)
                    .compute(places, engines_.spare_, scores);
            };
            const SolverSettings settings{.tol = engines_.settings_.tol,
                                          .max_iter = engines_.settings_.max_iter,
                                          .kernel_error = engines_.problem_.kernel_error,
                                          .finer = true,
                                          .finer_scores = std::ref(finer_scores),
                                          .finer_error = engines_.problem_.double_error};
            Solution solution =
                engines_.single_->solve(problem, single_rows_, settings, std::move(start), stop, machine);
            const auto is = [&](Status status) { return solution.status == status; };
            if (is(Status::converged) || is(Status::max_iter) || is(Status::interrupted)) return solution;
            machine.in_double = true;
            return solve_in_double(problem, {std::move(solution.lambda), {}, 0.0}, solution, stop, machine);
        }
        void end() {
            const auto classes = engines_.tasks_.classes_of(task_);
            if (!engines_.single_) return engines_.double_->end_task(classes);
            engines_.single_->end_task(classes);
            if (!double_rows_.source) return;
            double_rows_.source.reset();
            engines_.double_->leave(worker_);
        }

       private:
        // before: how the solver in single precision ended, whose steps count.
        Solution solve_in_double(const BoxProblem& problem, Start start, const Outcome& before, Stop& stop,
                                 Machine& machine) {
            SolverSettings settings{
                engines_.settings_.tol, engines_.settings_.max_iter, engines_.problem_.double_error, false, {}, 0.0};
            if (settings.max_iter >= 0) settings.max_iter -= std::min(settings.max_iter, before.iterations);
            if (!double_rows_.source) {
                // The worker's share goes over to the double rows, unless the single ones are needed again.
                if (!keeps_single_) {
                    single_rows_.source.reset();
                    engines_.single_->leave(worker_);
                }
                double_rows_ = engines_.fine().rows_of(engines_.tasks_, task_, !keeps_single_, worker_);
            }
            Solution solution = engines_.fine().solve(problem, double_rows_, settings, std::move(start), stop, machine);
            solution.iterations += before.iterations;
            solution.visits += before.visits;
            solution.free_steps += before.free_steps;
            solution.refined = machine.in_double;
            return solution;
        }

        Precisions& engines_;
        std::size_t task_;
        int worker_;
        bool keeps_single_;
        TaskRows<float> single_rows_;
        TaskRows<double> double_rows_;
    };

    Spare& spare() { return spare_; }

   private:
    // The engine of double precision, which is made here if the other one is the first.
    Engine<double>& fine() {
        std::call_once(made_, [&] {
            if (single_)
                double_ = std::make_unique<Engine<double>>(problem_, tasks_, memory_, spare_, false, settings_);
        });
        return *double_;
    }

    const Problem& problem_;
    const Tasks& tasks_;
    const TrainSettings& settings_;
    Spare spare_;
    RowMemory memory_;
    std::unique_ptr<Engine<float>> single_;   // null if the problem is in double precision
    std::unique_ptr<Engine<double>> double_;  // beside a single one: null until fine() makes it
    std::once_flag made_;
};

}  // namespace dagmar
