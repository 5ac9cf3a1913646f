#include "train/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace dagmar {

std::size_t n_samples_of(const Problem& problem, const Tasks& tasks, std::size_t task) {
    std::size_t n = 0;
    for (const std::int32_t c : tasks.classes_of(task)) n += problem.class_size(usize(c));
    return n;
}

void check(const Tasks& tasks) {
    if (tasks.begin.empty() || tasks.begin.front() != 0 || !std::is_sorted(tasks.begin.begin(), tasks.begin.end()) ||
        usize(tasks.begin.back()) != tasks.classes.size() || tasks.classes.size() != tasks.sides.size())
        throw std::invalid_argument("begin, classes and sides of the tasks do not fit together");
    if (std::any_of(tasks.sides.begin(), tasks.sides.end(), [](std::int8_t side) { return side != 1 && side != -1; }))
        throw std::invalid_argument("sides of the tasks must be 1 or -1");
    if (!std::all_of(tasks.C.begin(), tasks.C.end(), [](double C) { return C > 0; }))
        throw std::invalid_argument("C of the tasks must be positive");
    if (!std::all_of(tasks.gamma.begin(), tasks.gamma.end(), [](double g) { return g > 0 && std::isfinite(g); }))
        throw std::invalid_argument("gamma of the tasks must be positive and finite");
    std::vector<std::int32_t> sorted;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const auto classes = tasks.classes_of(t);
        sorted.assign(classes.begin(), classes.end());
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
            throw std::invalid_argument("task " + std::to_string(t) + " has a class twice");
    }
}

void check(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft) {
    const auto outside = [&](std::int32_t c) { return c < 0 || usize(c) >= problem.n_classes(); };
    if (std::any_of(tasks.classes.begin(), tasks.classes.end(), outside))
        throw std::invalid_argument("a task names a class that the problem does not have");
    if ((!tasks.C.empty() && tasks.C.size() != tasks.size()) ||
        (!tasks.gamma.empty() && tasks.gamma.size() != tasks.size()))
        throw std::invalid_argument("C and gamma of the tasks need one number per task");
    if (variants.n_samples != problem.order.size())
        throw std::invalid_argument("cap needs one number per sample in order");
    if (variants.start.size() != variants.ratio.size() ||
        (!variants.start.empty() && variants.start.size() != variants.n))
        throw std::invalid_argument("start and ratio need one number per variant");
    for (std::size_t v = 0; v < variants.start.size(); ++v)
        if (variants.start[v] >= static_cast<std::int32_t>(v))
            throw std::invalid_argument("a variant can start only from an earlier one");
    std::size_t n_soft = 0;
    for (std::size_t t = 0; t < tasks.size(); ++t) n_soft += n_samples_of(problem, tasks, t);
    if (!soft.empty() && soft.size() != n_soft)
        throw std::invalid_argument("soft needs one label per sample of every task");
}

}  // namespace dagmar
