#include "train/support.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace dagmar {

void Support::list(std::size_t task, std::size_t variant, const BoxProblem& box, const std::vector<double>& lambda,
                   Machine& machine) {
    if (given_) {
        list_given(task, variant, box, lambda);
        const std::size_t all = n_samples_of(given_->problem, tasks_, task);
        machine.merged = static_cast<std::int64_t>(all - boxes_.n_samples_of(task));
    } else {
        list_distinct(task, box, lambda);
    }
    machine.sample = sample_;
    machine.coef = coef_;
    if (std::is_sorted(sample_.begin(), sample_.end())) return;
    std::vector<std::pair<std::int32_t, double>> support;  // the task's classes are unsorted
    for (std::size_t i = 0; i < sample_.size(); ++i) support.emplace_back(sample_[i], coef_[i]);
    std::sort(support.begin(), support.end());
    for (std::size_t i = 0; i < support.size(); ++i) std::tie(machine.sample[i], machine.coef[i]) = support[i];
}

// visit(add) calls add(sample, sign, lambda) for n samples. Each is written behind the last support vector, and stays
// if it is one: a branch would be unpredictable.
template <class Visit>
void Support::collect(std::size_t n, const Visit& visit) {
    sample_.resize(n + 1);
    coef_.resize(n + 1);
    std::size_t found = 0;
    visit([&](std::size_t sample, double sign, double lambda) {
        sample_[found] = static_cast<std::int32_t>(sample);
        coef_[found] = sign * lambda;
        found += lambda > 0;
    });
    sample_.resize(found);
    coef_.resize(found);
}

void Support::list_distinct(std::size_t task, const BoxProblem& box, const std::vector<double>& lambda) {
    collect(boxes_.n_samples_of(task), [&](const auto& add) {
        boxes_.for_classes(task, [&](std::size_t at, std::size_t first, std::size_t size, std::int8_t) {
            for (std::size_t k = 0; k < size; ++k) add(first + k, box.sign[at + k], lambda[at + k]);
        });
    });
}

// The first of equal samples takes what its cap allows, then the next, so that few of them are support vectors.
void Support::list_given(std::size_t task, std::size_t variant, const BoxProblem& box,
                         const std::vector<double>& lambda) {
    const auto& [duplicates, whole, variants] = *given_;
    const double* const caps = variants.caps_of(variant);
    left_ = lambda;
    for (std::size_t k = 0; k < lambda.size(); ++k)  // the sum of caps is rounded
        if (lambda[k] == box.cap[k]) left_[k] = std::numeric_limits<double>::infinity();
    collect(n_samples_of(whole, tasks_, task), [&](const auto& add) {
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
    });
}

}  // namespace dagmar
