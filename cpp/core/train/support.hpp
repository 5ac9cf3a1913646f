// The support vectors of a solution, as training samples with coefficients.
#pragma once

#include <vector>

#include "samples/duplicates.hpp"
#include "train/box_problems.hpp"
#include "train/machine.hpp"

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
              Machine& machine);

   private:
    void list_distinct(std::size_t task, const BoxProblem& box, const std::vector<double>& lambda);
    void list_given(std::size_t task, std::size_t variant, const BoxProblem& box, const std::vector<double>& lambda);
    template <class Visit>
    void collect(std::size_t n, const Visit& visit);

    const Problem& problem_;
    const Tasks& tasks_;
    const BoxProblems& boxes_;
    const Given* given_;
    std::vector<std::int32_t> sample_;
    std::vector<double> coef_, left_;
};

}  // namespace dagmar
