// The support vectors of a solution, as training samples with coefficients.
#pragma once

#include <tuple>

#include "samples/duplicates.hpp"
#include "train/box_problems.hpp"
#include "train/train.hpp"

namespace dagmar {

// The samples as they were given, if the problem has only distinct ones.
struct Given {
    const Duplicates& duplicates;
    const Problem& problem;
    const Variants& variants;
};

// Used by one worker.
class Support {
   public:
    // given: null if all samples are in the problem.
    Support(const Problem& problem, const Tasks& tasks, const BoxProblems& boxes, const Given* given)
        : problem_(problem), tasks_(tasks), boxes_(boxes), given_(given) {}

    void list(std::size_t task, std::size_t variant, const BoxProblem& box, const std::vector<double>& lambda,
              Machine& machine) {
        const std::size_t n = n_samples_of(given_ ? given_->problem : problem_, tasks_, task);
        sample_.resize(n + 1);
        coef_.resize(n + 1);
        found_ = 0;
        if (given_)
            list_given(task, variant, box, lambda);
        else
            boxes_.for_classes(task, [&](std::size_t at, std::size_t first, std::size_t size, std::int8_t) {
                for (std::size_t k = 0; k < size; ++k) add(first + k, box.sign[at + k], lambda[at + k]);
            });
        machine.merged = static_cast<std::int64_t>(n - n_samples_of(problem_, tasks_, task));
        machine.sample.assign(sample_.data(), sample_.data() + found_);
        machine.coef.assign(coef_.data(), coef_.data() + found_);
        if (std::is_sorted(machine.sample.begin(), machine.sample.end())) return;
        std::vector<std::pair<std::int32_t, double>> support;  // the task's classes are unsorted
        for (std::size_t i = 0; i < found_; ++i) support.emplace_back(sample_[i], coef_[i]);
        std::sort(support.begin(), support.end());
        for (std::size_t i = 0; i < found_; ++i) std::tie(machine.sample[i], machine.coef[i]) = support[i];
    }

   private:
    // Written behind the last support vector, and stays if it is one: a branch would be unpredictable.
    void add(std::size_t sample, double sign, double lambda) {
        sample_[found_] = static_cast<std::int32_t>(sample);
        coef_[found_] = sign * lambda;
        found_ += lambda > 0;
    }
    // The first of equal samples takes what its cap allows, then the next, so that few of them are support vectors.
    void list_given(std::size_t task, std::size_t variant, const BoxProblem& box, const std::vector<double>& lambda) {
        const auto& [duplicates, whole, variants] = *given_;
        const double* const caps = variants.caps_of(variant);
        left_ = lambda;
        for (std::size_t k = 0; k < lambda.size(); ++k)  // the sum of caps is rounded
            if (lambda[k] == box.cap[k]) left_[k] = std::numeric_limits<double>::infinity();
        std::size_t at = 0;
        for (const std::int32_t class_ : tasks_.classes_of(task)) {
            const std::size_t c = usize(class_);
            for (std::size_t k = whole.class_start[c]; k < whole.class_start[c + 1]; ++k) {
                const std::size_t place = at + usize(duplicates.of()[k]) - problem_.class_start[c];
                const double taken = std::min(left_[place], boxes_.cap_of(task, caps[k]));
                left_[place] -= taken;
                add(k, box.sign[place], taken);
            }
            at += padded(problem_.class_size(c));
        }
    }

    const Problem& problem_;
    const Tasks& tasks_;
    const BoxProblems& boxes_;
    const Given* given_;
    std::vector<std::int32_t> sample_;
    std::vector<double> coef_, left_;
    std::size_t found_ = 0;
};

}  // namespace dagmar
