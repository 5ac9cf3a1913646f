// Tasks as box-constrained problems.
#pragma once

#include <span>

#include "solver/problem.hpp"
#include "train/tasks.hpp"

namespace dagmar {

class BoxProblems {
   public:
    // soft: empty, or the soft labels of every task's samples; see train.
    BoxProblems(const Problem& problem, const Tasks& tasks, std::span<const double> soft);

    std::size_t n_samples_of(std::size_t task) const { return first_[task + 1] - first_[task]; }

    // Signs and targets of a task.
    void set_task(std::size_t task, BoxProblem& p) const;
    // Its caps, from those of all training samples.
    void set_caps(std::size_t task, const double* cap, BoxProblem& p) const;
    double cap_of(std::size_t task, double cap) const {
        return cap == 0.0 ? 0.0 : (tasks_.C.empty() ? cap : tasks_.C[task] * cap);  // C may be infinite
    }

    // Calls visit(place in the padded problem, first training sample, number of samples, side) for the classes of a
    // task.
    template <class Visit>
    void for_classes(std::size_t task, const Visit& visit) const {
        std::size_t at = 0;
        for (auto i = usize(tasks_.begin[task]); i < usize(tasks_.begin[task + 1]); ++i) {
            const std::size_t c = usize(tasks_.classes[i]), n = problem_.class_size(c);
            visit(at, problem_.class_start[c], n, tasks_.sides[i]);
            at += padded(n);
        }
    }

   private:
    const Problem& problem_;
    const Tasks& tasks_;
    std::span<const double> soft_;
    std::vector<std::size_t> first_;  // where the samples of each task begin if all tasks stand one after the other
};

// The solution of a variant with caps `ratio` times smaller, as a start for this problem. It is multiplied by the
// factor, up to `ratio`, that is best for the objective: 1 if no multiplier had reached its cap.
Start grown(const BoxProblem& p, const Solution& smaller, double ratio);

}  // namespace dagmar
