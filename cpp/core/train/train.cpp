#include "train/train.hpp"

#include <chrono>

#include "train/box_problems.hpp"
#include "train/precisions.hpp"
#include "train/schedule.hpp"

namespace dagmar {
namespace {

std::vector<std::size_t> sizes_of(const Problem& problem, const Tasks& tasks) {
    std::vector<std::size_t> sizes;
    for (std::size_t t = 0; t < tasks.size(); ++t) sizes.push_back(n_samples_of(problem, tasks, t));
    return sizes;
}

class Training {
   public:
    // given: null if all samples are in the problem.
    Training(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
             const TrainSettings& settings, const Given* given)
        : sizes_(sizes_of(problem, tasks)), variants_(variants), settings_(settings),
          boxes_(problem, tasks, soft, given), engines_(problem, tasks, settings, sizes_),
          box_(usize(settings.n_threads)) {}

    bool run(const Finished& finished, const CheckSignals& check_signals, std::vector<Machine>& machines) {
        const std::vector<std::size_t> order = schedule(sizes_, settings_.n_threads);
        machines.assign(order.size() * variants_.n, Machine{});
        Stop stop;
        // Workers list the tasks they end under the mutex, which also makes their machines visible to the calling
        // thread. They do not touch a listed machine again. Its bits do not depend on which others are trained with it,
        // so a training that was stopped can be resumed.
        std::mutex mutex;
        std::vector<std::size_t> ended;
        const auto work = [&](std::size_t piece, int worker) {
            const std::size_t task = order[piece];
            train(task, worker, stop, machines.data() + task * variants_.n);
            if (!finished || stop.requested()) return;
            const std::lock_guard lock(mutex);
            ended.push_back(task);
        };
        const auto report = [&] {
            std::vector<std::size_t> now;
            {
                const std::lock_guard lock(mutex);
                now.swap(ended);
            }
            return !now.empty() && finished(now, machines);
        };
        // The report comes first, so that a signal does not lose finished machines.
        const CheckSignals report_and_check = [&] { return report() || (check_signals && check_signals()); };
        const Threads threads{settings_.n_threads, finished ? report_and_check : check_signals};
        return parallel_for(order.size(), threads, stop, work) && !(finished && report());
    }

   private:
    // The machines of a task, one per variant.
    void train(std::size_t task, int worker, Stop& stop, Machine* machines) {
        const Spare::Task busy(engines_.spare());
        BoxProblem& box = box_[usize(worker)];
        std::vector<Solution> solved;
        for (std::size_t v = 0; v < variants_.n && !stop.requested(16); ++v) {
            const auto begun = std::chrono::steady_clock::now();
            boxes_.set(task, variants_.caps_of(v), box);
            Start start;
            if (!variants_.start.empty() && variants_.start[v] >= 0)
                start = grown(box, solved[usize(variants_.start[v])], variants_.ratio[v]);
            Solution solution = engines_.solve(task, worker, box, std::move(start), stop, machines[v]);
            boxes_.list_support(task, v, box, solution.lambda, machines[v]);
            static_cast<Outcome&>(machines[v]) = solution;
            if (settings_.outside) boxes_.list_outside(task, box, solution, machines[v].outside);
            machines[v].seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
            if (variants_.n > 1) solved.push_back(std::move(solution));
        }
        engines_.end(task, worker);
    }
    const std::vector<std::size_t> sizes_;  // samples of each task
    const Variants& variants_;
    const TrainSettings& settings_;
    BoxProblems boxes_;
    Precisions engines_;
    std::vector<BoxProblem> box_;  // of each worker
};

}  // namespace

bool train(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
           const TrainSettings& asked, const Finished& finished, const CheckSignals& check_signals,
           std::vector<Machine>& machines) {
    TrainSettings settings = asked;
    settings.n_threads = threads_worth(sizes_of(problem, tasks), variants.n, asked.per_thread, asked.n_threads);
    // Soft labels, and values on samples of cap 0, belong to each sample alone.
    const bool may_merge = soft.empty() && !settings.outside && settings.overrides.duplicates.value_or(true);
    Spare spare(settings.n_threads - 1);
    const Duplicates duplicates = may_merge ? Duplicates(problem, spare) : Duplicates();
    if (!duplicates.any())
        return Training(problem, tasks, variants, soft, settings, nullptr).run(finished, check_signals, machines);
    const Given given{duplicates, problem, variants};
    const Problem distinct = duplicates.distinct(problem);
    const std::vector<double> sums = duplicates.sums(variants.cap);
    Variants of_sums = variants;
    of_sums.n_samples = distinct.order.size();
    of_sums.cap = sums;
    return Training(distinct, tasks, of_sums, soft, settings, &given).run(finished, check_signals, machines);
}

}  // namespace dagmar
