// Steps of the pair solver inside a PairProblem, by second-order selection (Fan, Chen & Lin, 2005).
#pragma once

#include <cmath>

#include "simd/generic/curvature.hpp"
#include "simd/generic/largest.hpp"
#include "simd/generic/multipliers.hpp"

namespace dagmar::DAGMAR_LEVEL {

// values[k] = value, by a store of a whole register: a load of a register would have to wait for a shorter store.
template <class S>
inline void put(S* values, std::size_t k, S value) {
    using Place = SignedOf<S>;
    S* const from = values + k / kWidth<S> * kWidth<S>;
    const auto is_here = counting_from(Place{0}) == (Vec<Place>{} + static_cast<Place>(k % kWidth<S>));
    const Vec<S> old = load<Vec<S>>(from);
    store(from, is_here ? splat<Vec<S>>(value) : old);
}

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
        return p_.n == kFew ? run_with<kFew>(enough, max_steps) : run_with<0>(enough, max_steps);
    }

    // N: the number of samples if it is that of most working sets, else 0. Then loops are unrolled, and all inverse
    // curvatures are computed before the first step: within a step, others wait for them.
    template <std::size_t N>
    std::int64_t run_with(double enough, std::int64_t max_steps) {
        for (std::size_t a = 0; kSingle && a < N; ++a)
            if (p_.slot[a] >= 0)
                for (std::size_t k = 0; k < N; k += width) store(inverses_ + a * N + k, inverse_curvatures(a, k));
        Candidates up = move_scores<N>(0, p_.diagonal, p_.diagonal);
        std::int64_t step = 0;
        for (; step < max_steps && !is_done(up, step, enough); ++step) {
            const std::size_t a = up.highest.place();
            const Strongest strongest = gains_beside<N>(a, up.highest.value());
            if (!(strongest.value() > 0)) break;
            const std::size_t b = strongest.place();
            const double delta = move_pair(a, b, step_to_minimum(a, b, inverses_[kSingle ? a * N + b : 0]));
            up = move_scores<N>(static_cast<S>(delta), row(a), row(b));
        }
        this->store_lambda();
        return step;
    }

   private:
    using Multipliers<T, S>::p_, Multipliers<T, S>::not_up_, Multipliers<T, S>::not_low_, Multipliers<T, S>::kFar;
    using V = Vec<S>;
    static constexpr std::size_t width = kWidth<S>;
    static constexpr bool kSingle = sizeof(S) == sizeof(float);
    static constexpr std::size_t kFew = 2 * kLanes;  // samples of most working sets
    static_assert(kFew * kFew >= kMostPairSamples);
    using Strongest = std::conditional_t<kSingle, PackedLargest, LargestLane<S>>;
    // Rounding may take up to this share of the gap, after which steps end.
    static constexpr double kRoundoff = 0x1p-24, kShare = 0.2;
    // The inverse in single precision is used if the curvature is at least this share of the kernel values whose
    // difference it is, and neither tiny nor huge.
    static constexpr double kDigits = 0x1p-12, kLeast = 1e-30;

    // The samples that may go up, and the smallest scores of those that may go low.
    struct Candidates {
        LargestLane<S> highest;
        V bottom;

        S gap() const { return highest.value() + largest<S>(-bottom); }
    };

    // Moves scores by a step of this length; 0 finds the first candidates.
    template <std::size_t N>
    [[gnu::always_inline]] Candidates move_scores(S delta, const T* row_a, const T* row_b) {
        // Copies: as far as the compiler knows, a store of a register could change members.
        const std::size_t n = N ? N : p_.n;
        S* const scores = scores_;
        Candidates found{LargestLane<S>(candidates_, n), splat<V>(kFar)};
#pragma GCC unroll 8
        for (std::size_t k = 0; k < n; k += width) {
            const V score = load<V>(scores + k) - delta * (load_as<S>(row_a + k) - load_as<S>(row_b + k));
            store(scores + k, score);
            const V up = score + load<V>(not_up_ + k), low = score + load<V>(not_low_ + k);
            found.highest.offer(k, up);
            found.bottom = low < found.bottom ? low : found.bottom;
        }
        return found;
    }

    // Whether to end before this step: the gap is closed, scores were rounded too often, nothing may go up, or scores
    // have overflowed.
    [[gnu::always_inline]] bool is_done(const Candidates& up, std::int64_t step, double enough) {
        if (step > 0 && static_cast<double>(up.gap()) < enough) return true;
        if constexpr (kSingle) p_.rounded_too_often = p_.path > square(kShare * enough / kRoundoff);
        return p_.rounded_too_often || !(std::abs(up.highest.value()) < kFar);
    }

    // The second-order gains of all samples that may go low beside a, which goes up from the score `top`.
    template <std::size_t N>
    [[gnu::always_inline]] Strongest gains_beside(std::size_t a, S top) {
        const std::size_t n = N ? N : p_.n;
        const S* const scores = scores_;
        const V highest = splat<V>(top);
        Strongest found(candidates_, n);
#pragma GCC unroll 8
        for (std::size_t k = 0; k < n; k += width) {
            const V low = load<V>(scores + k) + load<V>(not_low_ + k);
            V inverse;
            if constexpr (kSingle && N > 0) {
                inverse = load<V>(inverses_ + a * N + k);
            } else {
                inverse = inverse_curvatures(a, k);
                if constexpr (kSingle) store(inverses_ + k, inverse);
            }
            found.offer(k, gain_of<S>(highest, low, inverse));
        }
        return found;
    }

    // Inverse curvatures of the pairs of a and the samples from k on.
    V inverse_curvatures(std::size_t a, std::size_t k) const {
        const V floor = splat<V>(std::max(static_cast<S>(p_.floor), 4 * std::numeric_limits<S>::min()));
        return inverse_curvature<S>(splat<V>(static_cast<S>(p_.diagonal[a])), load_as<S>(p_.diagonal + k),
                                    load_as<S>(row(a) + k), floor);
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

    // Moves the multipliers of a pair by this length, or to a bound. Returns the length.
    [[gnu::always_inline]] double move_pair(std::size_t a, std::size_t b, double step) {
        const auto moved = this->move(a, b, step);
        put(not_up_, a, moved.not_up(0));
        put(not_low_, a, moved.not_low(0));
        put(not_up_, b, moved.not_up(1));
        put(not_low_, b, moved.not_low(1));
        return moved.delta;
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
    alignas(64) S rounded_[kSingle ? kMostPairSamples : 1], inverses_[kSingle ? kFew * kFew : 1];
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
