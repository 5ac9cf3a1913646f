// The working set: a few samples whose multipliers move between two passes over all scores.
//
// Half of a set is new: the strongest candidates for a (largest score that may go up) and for b (largest second-order
// gain beside a) from different chunks of the samples. The other half comes from the previous set. The block of the
// kernel between its samples fits the first-level cache, and all its steps together cost one pass over the scores of
// all samples. On Letter a set of 32 needs a tenth of the passes of one pair at a time, for a fifth more rows.
//
// If the set can hold all samples (SmallRows), it does, always.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "solver/scores.hpp"

namespace dagmar {

template <class T>
class WorkingSet {
   public:
    WorkingSet(const BoxProblem& problem, RowSource<T>& rows, const Simd<T>& simd, const Simd<double>& fine,
               double largest, SolverScratch<T>& scratch)
        : p_(problem), rows_(rows), simd_(simd), fine_(fine), set_(scratch.set), before_(scratch.before),
          movers_(scratch.movers), to_(scratch.to), n_(rows.is_whole() ? rows.n() : kWorking),
          scores_(scratch.arrays_of_set.at_least(4 * n_)), lambda_(scores_ + n_), cap_(lambda_ + n_), sign_(cap_ + n_),
          diagonal_(scratch.diagonal_of_set.at_least(n_)), chunk_gain_(scratch.chunk_gain), stamp_(scratch.stamp) {
        pairs_.floor = std::clamp(kFloorShare * largest, 4.0 * std::numeric_limits<double>::min(), kFloor);
        pairs_.largest = largest;
        pairs_.scores = scores_;
        pairs_.lambda = lambda_;
        pairs_.cap = cap_;
        pairs_.sign = sign_;
        pairs_.diagonal = diagonal_;
        movers_.clear();
        to_.clear();
        if (rows.is_whole()) {
            set_.resize(rows.n());
            std::iota(set_.begin(), set_.end(), 0);
            return;
        }
        gain_ = scratch.gain.at_least(rows.n());
        chunk_gain_.assign(kMostChunks, -kInfinity);
        stamp_.assign(rows.n(), 0);
        for (auto* list : {&set_, &before_}) {
            list->clear();
            list->reserve(kWorking + 1);
        }
    }

    // Chooses the set. False if there is no candidate, because rounding hides the gap.
    bool select(const Scores<T>& scores, const Extremes& now, double goal) {
        if (rows_.is_whole()) return true;
        before_.swap(set_);
        open(0);
        ++round_;
        offer(scores, scores.chunk_top(), now.bottom, kCandidate * goal,
              [&](double best, std::size_t first, std::size_t end) {
                  return fine_.find(scores.values().data(), scores.may_up_bits(), best, first, end);
              });
        set_.resize(members_);
        if (set_.empty()) return false;
        const std::size_t a = usize(set_.front());
        const T *row = rows_.first_row(set_), *diagonal = rows_.diagonal(), top = static_cast<T>(now.top);
        const T floor = std::max(static_cast<T>(pairs_.floor), 4 * std::numeric_limits<T>::min());
        simd_.gains(scores.low(), row, diagonal, top, diagonal[a], floor, rows_.n(), scores.chunk(), gain_,
                    chunk_gain_.data());
        open(members_);
        offer(scores, chunk_gain_, 0.0, 0.0, [&](double best, std::size_t first, std::size_t end) {
            return simd_.find(gain_, nullptr, static_cast<T>(best), first, end);
        });
        for (const std::int32_t place : before_)
            if (members_ < rows_.working()) add(usize(place));
        set_.resize(members_);
        return true;
    }

    // Steps of pairs inside the set, at most `most`. Returns how many were made, and notes which multipliers moved and
    // to where; -1, with nothing to move, if a multiplier is no longer finite.
    std::int64_t solve(const Scores<T>& scores, const Extremes& now, double goal, std::int64_t most) {
        const std::size_t count = set_.size(), n = padded(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t k = usize(set_[i]);
            sign_[i] = p_.sign[k];
            cap_[i] = p_.cap[k];
            lambda_[i] = scores.lambda()[k];
            scores_[i] = scores.values()[k];
            diagonal_[i] = rows_.diagonal()[k];
        }
        for (std::size_t i = count; i < n; ++i) {  // may move neither way
            cap_[i] = lambda_[i] = scores_[i] = sign_[i] = 0.0;
            diagonal_[i] = T(0);
        }
        const KernelBlock<T> block = rows_.block(set_);
        pairs_.n = n;
        pairs_.rows = block.rows;
        pairs_.stride = block.stride;
        pairs_.slot = block.slot;
        pairs_.single_scores = quick_;
        pairs_.rounded_too_often = false;
        pairs_.path = 0.0;
        std::fill_n(pairs_.touched, (n + 63) / 64, 0);
        const Depth depth = rows_.depth();
        const double enough = std::max(depth.of_gap * (now.top - now.bottom), depth.of_goal * goal);
        const std::int64_t made =
            simd_.solve_pairs(pairs_, enough, std::min(most, kStepsPerSample * static_cast<std::int64_t>(n)));
        if (!pairs_.single_scores || (pairs_.rounded_too_often && made < kFewSteps)) quick_ = false;
        movers_.clear();
        to_.clear();
        if (!std::all_of(lambda_, lambda_ + count, [](double v) { return std::isfinite(v); })) return -1;
        // Comparing all multipliers would cost an unpredictable branch for each.
        for (std::size_t word = 0; word < (n + 63) / 64; ++word)
            for (std::uint64_t bits = pairs_.touched[word]; bits != 0; bits &= bits - 1) {
                const std::size_t i = word * 64 + usize(std::countr_zero(bits));
                if (lambda_[i] == scores.lambda()[usize(set_[i])]) continue;
                movers_.push_back(set_[i]);
                to_.push_back(lambda_[i]);
            }
        return made;
    }
    const Places& members() const { return set_; }
    const Places& movers() const { return movers_; }
    const std::vector<double>& to() const { return to_; }

    // Whether all kernel values that the last steps used are finite.
    bool block_is_finite() const {
        for (std::size_t i = 0; i < set_.size(); ++i) {
            if (pairs_.slot[i] < 0) continue;
            const T* row = pairs_.rows + usize(pairs_.slot[i]) * pairs_.stride;
            if (!std::all_of(row, row + pairs_.n, [](T v) { return std::isfinite(v); })) return false;
        }
        return true;
    }
    double lowest_curvature() const { return pairs_.lowest_curvature; }  // if one was negative, else 0
    void note_curvature(double lowest) { pairs_.lowest_curvature = std::min(pairs_.lowest_curvature, lowest); }

    // Whether a sample was ever in a set; and the number of first-timers since the last call.
    bool was_in(std::size_t k) const { return stamp_[k] > 0; }
    std::int64_t take_newcomers() { return std::exchange(newcomers_, 0); }

   private:
    // Curvatures below this are replaced by it, as in LIBSVM; by this share of the largest kernel value, if that is
    // less.
    static constexpr double kFloor = 1e-12, kFloorShare = 1e-9;
    // Candidates must be above the other extreme by this share of the goal.
    static constexpr double kCandidate = 0.5;
    // Steps per sample, at most, before scores move.
    static constexpr std::int64_t kStepsPerSample = 10;
    // Steps with rounded scores do not pay if fewer than this are possible.
    static constexpr std::int64_t kFewSteps = 16;

    // Adds the best sample of each of the best chunks to the set, as long as they are above `base` by more than
    // `least`.
    template <class Find>
    void offer(const Scores<T>& scores, const std::vector<double>& chunk_best, double base, double least,
               const Find& find) {
        std::size_t best[kMostLargest];
        const std::size_t found =
            simd_.largest_chunks(chunk_best.data(), scores.n_chunks(), base, least, rows_.working() / 4, best);
        for (std::size_t i = 0; i < found; ++i) {
            const std::size_t first = best[i] * scores.chunk(), end = std::min(rows_.n(), first + scores.chunk());
            const std::size_t k = find(chunk_best[best[i]], first, end);
            if (k < end) add(k);
        }
    }
    // A sample that is in the set already is written, but does not count: a branch would be unpredictable.
    void add(std::size_t k) {
        set_[members_] = static_cast<std::int32_t>(k);
        members_ += stamp_[k] != round_;
        newcomers_ += stamp_[k] == 0;
        stamp_[k] = round_;
    }
    // Makes room for a whole working set behind its members so far, and for one sample more.
    void open(std::size_t members) {
        members_ = members;
        set_.resize(rows_.working() + 1);
    }

    const BoxProblem& p_;
    RowSource<T>& rows_;
    const Simd<T>& simd_;
    const Simd<double>& fine_;
    Places &set_, &before_, &movers_;
    std::vector<double>& to_;
    PairProblem<T> pairs_;
    bool quick_ = sizeof(T) == sizeof(float);  // whether steps may round scores to single precision
    std::size_t members_ = 0;                  // of the set, while it is chosen
    // Copies of what belongs to the set.
    std::size_t n_;  // the most samples, padded
    double *scores_, *lambda_, *cap_, *sign_;
    T *diagonal_, *gain_ = nullptr;
    std::vector<double>& chunk_gain_;
    std::vector<std::int64_t>& stamp_;  // the round in which a sample was last in the set
    std::int64_t round_ = 0, newcomers_ = 0;
};

}  // namespace dagmar
