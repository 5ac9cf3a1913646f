// Steps of the pair solver inside a PairProblem, by second-order selection (Fan, Chen & Lin, 2005).
#pragma once

#include <cmath>

#include "simd/generic/curvature.hpp"
#include "simd/generic/largest.hpp"
#include "simd/generic/multipliers.hpp"

namespace dagmar::DAGMAR_LEVEL {

// A number of each sample: in registers if the count N of samples is known, else (0) in memory.
template <class S, std::size_t N>
class Numbers {
    using V = Vec<S>;
    using Place = SignedOf<S>;
    static constexpr std::size_t width = kWidth<S>, kCount = N / width;

   public:
    explicit Numbers(S* values) : values_(values) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kCount; ++i) registers_[i] = load<V>(values + i * width);
    }

    // The register that begins with sample k.
    V operator[](std::size_t k) const {
        if constexpr (N > 0)
            return registers_[k / width];
        else
            return load<V>(values_ + k);
    }
    void set(std::size_t k, V numbers) {
        if constexpr (N > 0)
            registers_[k / width] = numbers;
        else
            store(values_ + k, numbers);
    }

    // The number of sample a becomes `of_a`, and that of b `of_b`. Whole registers are stored, because a load of a
    // register would have to wait for a shorter store.
    void put(std::size_t a, S of_a, std::size_t b, S of_b) {
        if constexpr (N > 0) {
#pragma GCC unroll 8
            for (std::size_t i = 0; i < kCount; ++i) registers_[i] = replaced(i * width, a, of_a, b, of_b);
        } else {
            for (const std::size_t k : {a, b}) set(k / width * width, replaced(k / width * width, a, of_a, b, of_b));
        }
    }

   private:
    V replaced(std::size_t k, std::size_t a, S of_a, std::size_t b, S of_b) const {
        const auto places = counting_from(static_cast<Place>(k));
        const auto is_a = places == splat<Vec<Place>>(static_cast<Place>(a));
        const auto is_b = places == splat<Vec<Place>>(static_cast<Place>(b));
        return is_a ? splat<V>(of_a) : is_b ? splat<V>(of_b) : (*this)[k];
    }

    S* values_;
    V registers_[kCount + 1];
};

// S is the type of the scores. Floats fill half as many registers as doubles and need no conversions. They are rounded
// as distances from the middle of the gap, so that those of the pairs that matter have the most digits. They serve one
// call only: the caller's scores stay as they are, and the caller moves them by the change of lambda.
template <class T, class S>
class PairSteps : Multipliers<T, S> {
   public:
    explicit PairSteps(PairProblem<T>& problem) : Multipliers<T, S>(problem) {
        if constexpr (kSingle)
            round_scores();
        else
            scores_ = p_.scores;
    }

    // Whether the rounding of the scores is far below this gap. (False if a score is NaN.)
    bool precise_enough(double enough) const { return !kSingle || largest_score_ * kRoundoff < kShare * enough; }

    std::int64_t run(double enough, std::int64_t max_steps) {
        if constexpr (kSingle)
            if (p_.n == kSmallSet) return run_with<kSmallSet>(enough, max_steps);
        return run_with<0>(enough, max_steps);
    }

   private:
    // Each step, as in Fan, Chen & Lin: scores move by the step before; a has the highest score that may go up; the gap
    // is compared with `enough`; b has the largest gain beside a; the pair moves to the minimum or to a bound.
    //
    // N: the number of samples if it is that of most working sets, else 0. A step takes as long as its chain of
    // dependences. So for N samples all stays in registers, inverse curvatures are computed before the first step, and
    // the place of the highest score is found with it.
    template <std::size_t N>
    std::int64_t run_with(double enough, std::int64_t max_steps) {
        using Highest = std::conditional_t<(N > 0), PackedHighest<N>, LargestLane<S>>;
        using Strongest = std::conditional_t<kSingle, PackedLargest<N>, LargestLane<S>>;
        Numbers<S, N> scores(scores_), not_up(not_up_), not_low(not_low_);
        // Local copies: as far as the compiler knows, a store of a register could change members.
        const std::size_t n = p_.n;
        const T* const diagonal = p_.diagonal;
        const V floor = splat<V>(std::max(static_cast<S>(p_.floor), 4 * std::numeric_limits<S>::min()));
        const auto inverse_curvatures = [&](V own, const T* row, std::size_t k) {
            return inverse_curvature<S>(own, load_as<S>(diagonal + k), load_as<S>(row + k), floor);
        };
        for (std::size_t a = 0; a < N; ++a) {
            if (p_.slot[a] < 0) continue;
            const V own = splat<V>(static_cast<S>(diagonal[a]));
            for_registers<N>(n,
                             [&](std::size_t k) { store(inverses_ + a * N + k, inverse_curvatures(own, row(a), k)); });
        }
        const T *row_a = diagonal, *row_b = diagonal;
        S delta = 0;
        for (std::int64_t step = 0;; ++step) {
            Highest highest(candidates_, n);
            V bottom = splat<V>(kFar);
            for_registers<N>(n, [&](std::size_t k) {
                const V score = scores[k] - delta * (load_as<S>(row_a + k) - load_as<S>(row_b + k));
                scores.set(k, score);
                highest.offer(k, score + not_up[k]);
                const V low = score + not_low[k];
                bottom = low < bottom ? low : bottom;
            });
            if (step == max_steps || is_done(highest, -largest<S>(-bottom), step, enough)) return ended_after(step);
            const std::size_t a = highest.place();
            const V top = splat<V>(highest.about()), own = splat<V>(static_cast<S>(diagonal[a]));
            row_a = row(a);
            Strongest strongest(candidates_, n);
            for_registers<N>(n, [&](std::size_t k) {
                V inverse;
                if constexpr (N > 0) {
                    inverse = load<V>(inverses_ + a * N + k);
                    store(scores_ + k, scores[k]);
                } else {
                    inverse = inverse_curvatures(own, row_a, k);
                    if constexpr (kSingle) store(inverses_ + k, inverse);
                }
                strongest.offer(k, gain_of<S>(top, scores[k] + not_low[k], inverse));
            });
            if (!(strongest.value() > 0)) return ended_after(step);
            const std::size_t b = strongest.place();
            const auto moved = this->move(a, b, step_to_minimum(a, b, inverses_[kSingle ? a * N + b : 0]));
            not_up.put(a, moved.not_up(0), b, moved.not_up(1));
            not_low.put(a, moved.not_low(0), b, moved.not_low(1));
            delta = static_cast<S>(moved.delta);
            row_b = row(b);
        }
    }

    // Calls work(k) for the first sample k of every register.
    template <std::size_t N, class Work>
    [[gnu::always_inline]] static void for_registers(std::size_t n, const Work& work) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < (N > 0 ? N : n); k += width) work(k);
    }

    std::int64_t ended_after(std::int64_t steps) const {
        this->store_lambda();
        return steps;
    }

    using Multipliers<T, S>::p_, Multipliers<T, S>::not_up_, Multipliers<T, S>::not_low_, Multipliers<T, S>::kFar;
    using V = Vec<S>;
    static constexpr std::size_t width = kWidth<S>;
    static constexpr bool kSingle = sizeof(S) == sizeof(float);
    static_assert(kSmallSet * kSmallSet >= kMostPairSamples);  // `inverses_` also holds those of one sample
    // Rounding may take up to this share of the gap, after which steps end.
    static constexpr double kRoundoff = 0x1p-24, kShare = 0.2;
    // The bits that a place takes of the highest score may hide up to one part in kDistinct of the gap.
    static constexpr S kDistinct = 8;
    // The inverse in single precision is used if the curvature is at least this share of the kernel values whose
    // difference it is, and neither tiny nor huge.
    static constexpr double kDigits = 0x1p-12, kLeast = 1e-30;

    // Whether to end before this step: the gap is closed, scores were rounded too often, nothing may go up, or scores
    // have overflowed.
    template <class Highest>
    [[gnu::always_inline]] bool is_done(const Highest& highest, S bottom, std::int64_t step, double enough) {
        const S top = highest.value(), gap = top - bottom;
        if (step > 0 && static_cast<double>(gap) < enough) return true;
        if constexpr (kSingle)
            p_.rounded_too_often =
                p_.path > square(kShare * enough / kRoundoff) || (top - highest.about()) * kDistinct > gap;
        return p_.rounded_too_often || !(std::abs(top) < kFar);
    }

    // The length of the step from a and b to the minimum along this pair. In single precision a division would take
    // longer than the rest. It is needed only if there are too few digits of the curvature, or of its inverse.
    [[gnu::always_inline]] double step_to_minimum(std::size_t a, std::size_t b, S inverse) {
        const auto drop = static_cast<double>(scores_[a] - scores_[b]);
        const double diagonals = static_cast<double>(p_.diagonal[a]) + static_cast<double>(p_.diagonal[b]);
        const double exact = diagonals - 2.0 * static_cast<double>(row(a)[b]), curvature = std::max(exact, p_.floor);
        p_.lowest_curvature = std::min(p_.lowest_curvature, exact);
        if constexpr (kSingle)
            if (curvature > std::max(kDigits * diagonals, kLeast) && curvature < 1.0 / kLeast) [[likely]]
                return drop * static_cast<double>(inverse);
        return drop / curvature;
    }

    const T* row(std::size_t k) const { return p_.rows + static_cast<std::size_t>(p_.slot[k]) * p_.stride; }

    void round_scores() {
        using D = Vec<double>;
        D top = splat<D>(-static_cast<double>(kFar)), bottom = -top, largest_score = {};
        for (std::size_t k = 0; k < p_.n; k += kWidth<double>) {
            const D score = load<D>(p_.scores + k);
            const D up = score + widened(not_up_ + k), below = score + widened(not_low_ + k);
            top = up > top ? up : top;
            bottom = below < bottom ? below : bottom;
        }
        const D middle = splat<D>(0.5 * (largest<double>(top) - largest<double>(-bottom)));
        for (std::size_t k = 0; k < p_.n; k += kWidth<double>) {
            const D score = load<D>(p_.scores + k) - middle;
            store_narrowed(rounded_ + k, score);
            const D size = load<D>(p_.cap + k) > D{} ? (score < D{} ? -score : score) : D{};
            largest_score = size < largest_score ? largest_score : size;  // NaN stays
        }
        largest_score_ = largest<double>(largest_score);
        scores_ = rounded_;
    }

    static double square(double x) { return x * x; }

    double largest_score_ = 0.0;  // of the samples that may move, in single precision
    S* scores_;
    alignas(64) S candidates_[kMostPairSamples];
    alignas(64) S rounded_[kSingle ? kMostPairSamples : 1], inverses_[kSingle ? kSmallSet * kSmallSet : 1];
};

template <class T>
std::int64_t solve_pairs(PairProblem<T>& problem, double enough, std::int64_t max_steps) {
    if constexpr (sizeof(T) == sizeof(float)) {
        if (problem.single_scores) {
            PairSteps<T, float> steps(problem);
            if (steps.precise_enough(enough)) return steps.run(enough, max_steps);
            problem.single_scores = false;
        }
    }
    return PairSteps<T, double>(problem).run(enough, max_steps);
}

}  // namespace dagmar::DAGMAR_LEVEL
