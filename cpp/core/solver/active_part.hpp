// The part of a large problem that is still undecided, as a problem of its own.
//
// Active are the samples that shrinking keeps: those that are free, or would leave their bounds beside the samples that
// violate most. In the end they are few. A solver over them alone needs only short rows. All other samples stay where
// they are, and their scores are moved afterwards by the change of the multipliers. (LIBSVM shrinks the problem itself
// and computes scores again at the end; here no score gets old.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "rows/block.hpp"
#include "solver/working_set.hpp"

namespace dagmar {

// From how many samples on the active part is visited, and how many of them it has: of n samples the n / 4 that violate
// most, within these bounds. (The rows of 4096 samples take 64 MiB in single precision.)
struct ActiveSizes {
    std::size_t from = 2048, least = 2560, most = 4096;
};

// The active samples as a problem.
template <class T>
struct ActiveProblem {
    BlockRows<T> rows;
    BoxProblem problem;
    Start start;

    ActiveProblem(const Places& places, RowSource<T>& all, const Simd<T>& simd, const BoxProblem& whole,
                  const Scores<T>& scores, T* memory)
        : rows(places, all, simd, memory),
          problem{std::vector<double>(rows.n(), 1.0), std::vector<double>(rows.n(), 1.0),
                  std::vector<double>(rows.n(), 0.0)},
          start{std::vector<double>(rows.n(), 0.0), std::vector<double>(rows.n(), 0.0), 0.0} {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t k = usize(places[i]);
            problem.sign[i] = whole.sign[k];
            problem.target[i] = whole.target[k];
            problem.cap[i] = whole.cap[k];
            start.lambda[i] = scores.lambda()[k];
            start.scores[i] = scores.values()[k];
        }
    }
};

// When to visit the active part, and which samples it has.
template <class T>
class ActivePart {
   public:
    ActivePart(std::size_t n, const ActiveSizes& sizes)
        : sizes_(sizes), next_(n >= sizes.from ? kFirstVisit : std::numeric_limits<std::int64_t>::max()) {}

    bool due(std::int64_t round) const { return round >= next_; }

    // The samples of a visit in this round, ascending; empty if it is too early or there are too many.
    Places choose(const Scores<T>& scores, WorkingSet<T>& working_set, std::size_t working, const Extremes& now,
                  std::int64_t round) {
        next_ = round + interval_;
        // As long as many samples come into a working set for the first time, it is too early.
        const std::int64_t places = interval_ * static_cast<std::int64_t>(working);
        if (working_set.take_newcomers() > places / kPlacesPerNewcomer) return {};
        const auto violation = [&](std::int32_t k) { return scores.violation(usize(k), now); };
        Places active;  // the rows of samples that never were in a set may not be needed at all
        for (std::int32_t k = 0; k < static_cast<std::int32_t>(scores.n()); ++k)
            if (working_set.was_in(usize(k)) && violation(k) > 0.0) active.push_back(k);
        const std::size_t n = std::min(active.size(), std::clamp(scores.n() / 4, sizes_.least, sizes_.most));
        if (n < 2 || n > scores.n() / 2) return {};
        if (n < active.size()) {
            std::nth_element(active.begin(), active.begin() + static_cast<std::ptrdiff_t>(n), active.end(),
                             [&](std::int32_t a, std::int32_t b) { return violation(a) > violation(b); });
            active.resize(n);
            std::sort(active.begin(), active.end());
        }
        return active;
    }

    // After a visit to n samples in this round. The next one is later if it was of little use: measured in steps of a
    // pair, gathering the block and moving all scores cost more than short rows saved.
    void note(std::int64_t steps, std::size_t n, std::int64_t round) {
        const bool pays = steps >= static_cast<std::int64_t>(4 * n);
        interval_ = pays ? std::max(kFirstVisit, interval_ / 2) : 2 * interval_;
        next_ = round + interval_;
    }

    // The part is solved to this share of the gap.
    static constexpr double kShare = 0.05;

   private:
    static constexpr std::int64_t kFirstVisit = 32, kPlacesPerNewcomer = 32;
    ActiveSizes sizes_;
    std::int64_t interval_ = kFirstVisit, next_;
};

}  // namespace dagmar
