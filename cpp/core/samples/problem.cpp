#include "samples/problem.hpp"

#include <stdexcept>

namespace dagmar {

void check(const Problem& problem) {
    const auto& start = problem.class_start;
    const bool sparse = std::holds_alternative<SparseView>(problem.x);
    const bool precomputed = problem.kernel.type == KernelType::precomputed;
    if (start.size() < 2 || start.front() != 0 || !std::is_sorted(start.begin(), start.end()))
        throw std::invalid_argument("class_start must ascend from 0 and name at least one class");
    if (start.back() != problem.order.size())
        throw std::invalid_argument("class_start must end at the number of samples in order");
    // The rows of a precomputed kernel are read at the columns of the same samples.
    const std::size_t n = precomputed ? std::min(n_samples(problem.x), n_features(problem.x)) : n_samples(problem.x);
    if (std::any_of(problem.order.begin(), problem.order.end(), [&](auto i) { return i < 0 || usize(i) >= n; }))
        throw std::invalid_argument("order names samples that x does not have");
    if (!problem.centre.empty() && (sparse || problem.centre.size() != n_features(problem.x)))
        throw std::invalid_argument("centre must have one number per feature of dense samples");
    if (problem.common && !(sparse && std::is_sorted(problem.common->begin(), problem.common->end())))
        throw std::invalid_argument("common must be features of sparse samples that ascend");
    if (!problem.codes.empty() && (sparse || precomputed || problem.codes.size() != 3 * n_features(problem.x)))
        throw std::invalid_argument("codes must have three numbers per feature of dense samples");
    if (!problem.norms.empty() && problem.norms.size() != n_samples(problem.x))
        throw std::invalid_argument("norms must have one number per sample of x");
    if (sparse && precomputed) throw std::invalid_argument("a precomputed kernel must be dense");
}

}  // namespace dagmar
