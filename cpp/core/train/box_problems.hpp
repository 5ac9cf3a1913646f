// Tasks as box-constrained problems, and their solutions as machines.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "samples/duplicates.hpp"
#include "train/train.hpp"

namespace dagmar {

// The samples as they were given, if the problem has only distinct ones.
struct Given {
    const Duplicates& duplicates;
    const Problem& problem;
    const Variants& variants;
};

class BoxProblems {
   public:
    // soft: empty, or the soft labels of every task's samples; see train. given: null if all samples are in the
    // problem.
    BoxProblems(const Problem& problem, const Tasks& tasks, std::span<const double> soft, const Given* given)
        : problem_(problem), tasks_(tasks), soft_(soft), given_(given), first_{0} {
        for (std::size_t t = 0; t < tasks.size(); ++t)
            first_.push_back(first_.back() + n_samples_of(problem, tasks, t));
    }

    // The problem of a task, with caps from those of all training samples.
    void set(std::size_t task, const double* cap, BoxProblem& p) const {
        std::size_t n = 0;
        for (const std::int32_t c : tasks_.classes_of(task)) n += padded(problem_.class_size(usize(c)));
        p.sign.assign(n, 1.0);
        p.target.assign(n, 1.0);
        p.cap.assign(n, 0.0);
        const double* soft = soft_.empty() ? nullptr : soft_.data() + first_[task];
        for_classes(task, [&](std::size_t at, std::size_t c, std::int8_t side) {
            for (std::size_t k = problem_.class_start[c]; k < problem_.class_start[c + 1]; ++k, ++at) {
                const double y = soft ? *soft++ : side;
                p.sign[at] = y < 0 ? -1.0 : 1.0;
                p.target[at] = std::abs(y);
                p.cap[at] = y == 0.0 ? 0.0 : cap_of(task, cap[k]) / std::abs(y);
            }
        });
    }
    // The support vectors of a solution, as training samples with coefficients.
    void list_support(std::size_t task, std::size_t variant, const BoxProblem& p, const std::vector<double>& lambda,
                      Machine& machine) const {
        std::vector<std::pair<std::int32_t, double>> found;
        found.reserve(lambda.size());
        const auto add = [&](std::size_t sample, double sign, double own) {
            if (own > 0) found.emplace_back(static_cast<std::int32_t>(sample), sign * own);
        };
        if (given_)
            share_out(task, variant, p, lambda, add);
        else
            for_classes(task, [&](std::size_t at, std::size_t c, std::int8_t) {
                const std::size_t first = problem_.class_start[c];
                for (std::size_t k = 0; k < problem_.class_size(c); ++k) add(first + k, p.sign[at + k], lambda[at + k]);
            });
        if (!std::is_sorted(found.begin(), found.end())) std::sort(found.begin(), found.end());
        machine.sample.resize(found.size());
        machine.coef.resize(found.size());
        for (std::size_t i = 0; i < found.size(); ++i) std::tie(machine.sample[i], machine.coef[i]) = found[i];
        if (given_)
            machine.merged = static_cast<std::int64_t>(n_samples_of(given_->problem, tasks_, task) -
                                                       n_samples_of(problem_, tasks_, task));
    }
    // The machine's values on the samples of cap 0.
    void list_outside(std::size_t task, const BoxProblem& p, const Solution& solution,
                      std::vector<double>& outside) const {
        for_classes(task, [&](std::size_t at, std::size_t c, std::int8_t) {
            for (std::size_t k = at; k < at + problem_.class_size(c); ++k)
                if (p.cap[k] == 0) outside.push_back(p.sign[k] * p.target[k] - solution.scores[k] + solution.bias);
        });
    }

   private:
    double cap_of(std::size_t task, double cap) const {
        return cap == 0.0 ? 0.0 : (tasks_.C.empty() ? cap : tasks_.C[task] * cap);  // C may be infinite
    }
    // Calls visit(place in the padded problem, class, side) for the classes of a task.
    template <class Visit>
    void for_classes(std::size_t task, const Visit& visit) const {
        std::size_t at = 0;
        for (auto i = usize(tasks_.begin[task]); i < usize(tasks_.begin[task + 1]); ++i) {
            const std::size_t c = usize(tasks_.classes[i]);
            visit(at, c, tasks_.sides[i]);
            at += padded(problem_.class_size(c));
        }
    }
    // The first of equal samples takes what its cap allows, then the next, so that few of them are support vectors.
    template <class Add>
    void share_out(std::size_t task, std::size_t variant, const BoxProblem& p, const std::vector<double>& lambda,
                   const Add& add) const {
        const double* const caps = given_->variants.caps_of(variant);
        const auto& start = given_->problem.class_start;
        std::vector<double> left = lambda;
        for (std::size_t k = 0; k < lambda.size(); ++k)  // the sum of caps is rounded
            if (lambda[k] == p.cap[k]) left[k] = std::numeric_limits<double>::infinity();
        for_classes(task, [&](std::size_t at, std::size_t c, std::int8_t) {
            for (std::size_t k = start[c]; k < start[c + 1]; ++k) {
                const std::size_t place = at + usize(given_->duplicates.of()[k]) - problem_.class_start[c];
                const double taken = std::min(left[place], cap_of(task, caps[k]));
                left[place] -= taken;
                add(k, p.sign[place], taken);
            }
        });
    }

    const Problem& problem_;
    const Tasks& tasks_;
    std::span<const double> soft_;
    const Given* given_;
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
