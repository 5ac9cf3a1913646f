// The part of a large problem that is still undecided, as a problem of its own.
//
// Active are the samples that shrinking keeps: those that are free, or would leave their bounds beside the samples that
// violate most. In the end they are few. A solver over them alone needs short rows only; all other samples stay where
// they are, and their scores are moved afterwards, by what came of it. (LIBSVM shrinks the problem itself, and computes
// scores again at the end; here no score gets old.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "block_rows.hpp"
#include "integers.hpp"
#include "smo.hpp"

namespace dagmar {

// By how much a sample violates the conditions of an optimum beside the sample at the other extreme; not above 0 if it
// does not.
inline double violation(double score, bool may_up, bool may_low, const Extremes& now) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    return std::max(may_up ? score - now.bottom : none, may_low ? now.top - score : none);
}

// The `most` largest of these samples by `size`, in ascending order.
template <class Size>
void keep_largest(std::vector<std::int32_t>& samples, std::size_t most, const Size& size) {
    if (samples.size() <= most) return;
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(most), samples.end(),
                     [&](std::int32_t a, std::int32_t b) { return size(a) > size(b); });
    samples.resize(most);
    std::sort(samples.begin(), samples.end());
}

template <class T>
struct ActivePart {
    BlockRows<T> rows;
    BoxProblem problem;
    Start start;

    template <class Rows>
    ActivePart(const std::vector<std::int32_t>& places, Rows& all, const BoxProblem& whole,
               const std::vector<double>& lambda, const std::vector<double>& scores, T* memory)
        : rows(places, all, memory), problem{std::vector<double>(rows.n(), 1.0), std::vector<double>(rows.n(), 1.0),
                                             std::vector<double>(rows.n(), 0.0)},
          start{std::vector<double>(rows.n(), 0.0), std::vector<double>(rows.n(), 0.0), 0.0} {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t k = usize(places[i]);
            problem.sign[i] = whole.sign[k];
            problem.target[i] = whole.target[k];
            problem.cap[i] = whole.cap[k];
            start.lambda[i] = lambda[k];
            start.scores[i] = scores[k];
        }
    }
};

}  // namespace dagmar
