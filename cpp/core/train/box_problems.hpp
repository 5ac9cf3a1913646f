// Tasks as box-constrained problems.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "solver/problem.hpp"
#include "train/tasks.hpp"

namespace dagmar {

class BoxProblems {
   public:
    // soft: empty, or the soft labels of every task's samples; see train.
    BoxProblems(const Problem& problem, const Tasks& tasks, std::span<const double> soft)
        : problem_(problem), tasks_(tasks), soft_(soft), first_{0} {
        for (std::size_t t = 0; t < tasks.size(); ++t)
            first_.push_back(first_.back() + dagmar::n_samples_of(problem, tasks, t));
    }

    // Signs and targets of a task.
    void set_task(std::size_t task, BoxProblem& p) const {
        std::size_t n = 0;
        for (const std::int32_t c : tasks_.classes_of(task)) n += padded(problem_.class_size(usize(c)));
        p.sign.assign(n, 1.0);
        p.target.assign(n, 1.0);
        p.cap.assign(n, 0.0);
        const double* soft = soft_.empty() ? nullptr : soft_.data() + first_[task];
        for_classes(task, [&](std::size_t at, std::size_t, std::size_t size, std::int8_t side) {
            if (!soft) {
                std::fill_n(p.sign.data() + at, size, static_cast<double>(side));
                return;
            }
            for (std::size_t place = at; place < at + size; ++place) {
                const double y = *soft++;
                p.sign[place] = y < 0 ? -1.0 : 1.0;
                p.target[place] = std::abs(y);
            }
        });
    }
    // Its caps, from those of all training samples.
    void set_caps(std::size_t task, const double* cap, BoxProblem& p) const {
        for_classes(task, [&](std::size_t at, std::size_t first, std::size_t size, std::int8_t) {
            for (std::size_t k = 0; k < size; ++k) p.cap[at + k] = cap_of(task, cap[first + k]);
            if (soft_.empty()) return;  // all targets are 1
            for (std::size_t place = at; place < at + size; ++place)
                p.cap[place] = p.target[place] == 0.0 ? 0.0 : p.cap[place] / p.target[place];
        });
    }
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
inline Start grown(const BoxProblem& p, const Solution& smaller, double ratio) {
    double linear = 0;
    for (std::size_t k = 0; k < p.cap.size(); ++k) linear += p.target[k] * smaller.lambda[k];
    double factor = smaller.norm2 > 0 ? std::clamp(linear / smaller.norm2, 1.0, ratio) : 1.0;
    if (factor < 1.01) factor = 1.0;  // the solution itself, to the bit, where there is nothing to gain
    Start start{smaller.lambda, smaller.scores, smaller.drift2 * factor * factor};
    for (std::size_t k = 0; k < p.cap.size(); ++k) {
        const double own = p.sign[k] * p.target[k];
        start.lambda[k] = std::min(p.cap[k], smaller.lambda[k] * factor);
        if (start.lambda[k] > p.cap[k] * (1 - 1e-12)) start.lambda[k] = p.cap[k];
        if (factor > 1.0) start.scores[k] = own - factor * (own - smaller.scores[k]);
    }
    return start;
}

}  // namespace dagmar
