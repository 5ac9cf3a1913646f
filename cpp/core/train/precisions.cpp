#include "train/precisions.hpp"

#include <functional>

#include "solver/fresh_scores.hpp"

namespace dagmar {

Precisions::Precisions(const Problem& problem, const Tasks& tasks, const TrainSettings& settings,
                       std::vector<std::size_t> sizes)
    : problem_(problem), tasks_(tasks), settings_(settings), spare_(settings.n_threads),
      // An eighth is left for scratch memory and bookkeeping.
      memory_(settings.memory / 8 * 7, std::move(sizes), usize(settings.n_threads),
              problem.precision == Precision::single_ ? sizeof(float) : sizeof(double)) {
    spare_.begin_task();  // the thread that loads the samples here, and lets the others help
    if (problem.precision == Precision::single_)
        single_ = std::make_unique<Engine<float>>(problem, tasks, memory_, spare_, true, settings);
    else
        double_ = std::make_unique<Engine<double>>(problem, tasks, memory_, spare_, true, settings);
    spare_.end_task();
}

Engine<double>& Precisions::refiner() {
    std::call_once(made_, [&] {
        double_ = std::make_unique<Engine<double>>(problem_, tasks_, memory_, spare_, false, settings_);
    });
    return *double_;
}

Precisions::TaskSolver::TaskSolver(Precisions& engines, std::size_t task, int worker, bool keeps_single)
    : engines_(engines), task_(task), worker_(worker), keeps_single_(keeps_single) {
    if (engines.single_)
        single_rows_ = engines.single_->rows_of(engines.tasks_, task, true, worker);
    else
        double_rows_ = engines.double_->rows_of(engines.tasks_, task, true, worker);
}

Solution Precisions::TaskSolver::solve(const BoxProblem& problem, Start start, Stop& stop, Machine& machine) {
    if (!engines_.single_) return solve_in_double(problem, std::move(start), stop, machine);
    const auto refine = [&](const std::vector<double>& lambda, const std::vector<std::int32_t>& places,
                            std::vector<double>& scores) {
        machine.refined = true;
        const Engine<double>& fine = engines_.refiner();
        fresh_scores(fine.gram(), engines_.tasks_.classes_of(task_), fine.gamma_of(engines_.tasks_, task_),
                     simd<double>(engines_.settings_.level), problem, lambda, places, engines_.spare_, scores);
    };
    const auto sample = [&](const std::vector<double>& lambda, const std::vector<std::int32_t>& places,
                            std::vector<double>& scores) {
        sampled_scores(engines_.problem_, engines_.tasks_.classes_of(task_),
                       engines_.single_->gamma_of(engines_.tasks_, task_), engines_.settings_.level, problem, lambda,
                       places, engines_.spare_, scores);
    };
    const SolverSettings settings{engines_.settings_.tol,
                                  engines_.settings_.max_iter,
                                  engines_.problem_.kernel_error,
                                  true,
                                  std::ref(refine),
                                  engines_.problem_.double_error,
                                  std::ref(sample)};
    Solution solution = engines_.single_->solve(problem, single_rows_, settings, std::move(start), stop, machine);
    const auto is = [&](Status status) { return solution.status == status; };
    if (is(Status::converged) || is(Status::max_iter) || is(Status::interrupted)) return solution;
    machine.refined = machine.in_double = true;
    return solve_in_double(problem, {std::move(solution.lambda), {}, 0.0}, stop, machine);
}

Solution Precisions::TaskSolver::solve_in_double(const BoxProblem& problem, Start start, Stop& stop, Machine& machine) {
    SolverSettings settings{
        engines_.settings_.tol, engines_.settings_.max_iter, engines_.problem_.double_error, false, {}, 0.0, {}};
    if (settings.max_iter >= 0) settings.max_iter -= std::min(settings.max_iter, machine.iterations);
    Engine<double>& engine = engines_.single_ ? engines_.refiner() : *engines_.double_;
    if (!double_rows_.source) {
        // The worker's share goes over to the double rows, unless the single ones are needed again.
        if (!keeps_single_) {
            single_rows_.source.reset();
            engines_.single_->leave(worker_);
        }
        double_rows_ = engine.rows_of(engines_.tasks_, task_, !keeps_single_, worker_);
    }
    return engine.solve(problem, double_rows_, settings, std::move(start), stop, machine);
}

void Precisions::TaskSolver::end() {
    const auto classes = engines_.tasks_.classes_of(task_);
    if (!engines_.single_) {
        engines_.double_->end_task(classes);
        return;
    }
    engines_.single_->end_task(classes);
    if (!double_rows_.source) return;
    double_rows_.source.reset();
    engines_.double_->leave(worker_);
}

}  // namespace dagmar
