// The multipliers of a pair problem while steps move them.
#pragma once

#include <cmath>

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Holds s lambda between its bounds, so that a step adds delta to one sample and subtracts it from the other whatever
// their signs. S is the type of the scores.
template <class T, class S>
class Multipliers {
   protected:
    // Barriers: added to its score, -kFar excludes a sample from those that may go up, and kFar from those that may go
    // low. In single precision sums of barriers and scores must be finite.
    static constexpr S kFar = sizeof(S) == sizeof(float) ? S(1e30) : std::numeric_limits<S>::infinity();

    explicit Multipliers(PairProblem<T>& problem) : p_(problem) {
        using D = Vec<double>;
        const D nearly = splat<D>(1 - 1e-15);
        for (std::size_t k = 0; k < p_.n; k += kWidth<double>) {
            const D cap = load<D>(p_.cap + k), lambda = load<D>(p_.lambda + k);
            const auto positive = load<D>(p_.sign + k) > D{};
            const D at = positive ? lambda : -lambda, high = positive ? cap : D{}, low = positive ? D{} : -cap;
            store(at_ + k, at);
            store(high_ + k, high);
            store(low_ + k, low);
            store(high_edge_ + k, high * nearly);
            store(low_edge_ + k, low * nearly);
            store_narrowed(not_up_ + k, at < high ? D{} : splat<D>(-static_cast<double>(kFar)));
            store_narrowed(not_low_ + k, at > low ? D{} : splat<D>(static_cast<double>(kFar)));
        }
    }

    using Pair = typename VectorOf<double, 2 * sizeof(double)>::type;
    using PairBits = typename VectorOf<std::int64_t, 2 * sizeof(double)>::type;

    // The effect of a step on its two samples: the distance, and their barriers from now on.
    struct Moved {
        double delta;
        PairBits up, low;

        S not_up(std::size_t which) const { return element(up, which); }
        S not_low(std::size_t which) const { return element(low, which); }

       private:
        // The bits of a number fill half of the register.
        static S element(PairBits bits, std::size_t which) {
            using Numbers = typename VectorOf<S, sizeof(PairBits)>::type;
            return reinterpret_cast<Numbers>(bits)[which * (sizeof(double) / sizeof(S))];
        }
    };

    // Moves a up and b down, by `step` or to the first bound, which is then met exactly. Both samples are computed in
    // one register, because branches between the bounds would be unpredictable.
    Moved move(std::size_t a, std::size_t b, double step) {
        const Pair at = {at_[a], at_[b]}, high = {high_[a], high_[b]}, low = {low_[a], low_[b]};
        const Pair high_edge = {high_edge_[a], high_edge_[b]}, low_edge = {low_edge_[a], low_edge_[b]};
        const double delta = std::min(step, std::min(high[0] - at[0], at[1] - low[1]));
        const Pair moved = at + Pair{delta, -delta};
        // A sample that rounding leaves just below its cap would count as free, and could alone determine the bias,
        // which is the mean over free samples.
        const PairBits at_high = at_least(moved, high_edge), at_low = at_least(low_edge, moved);
        const Pair to = at_high ? high : at_low ? low : moved;  // NaN stays
        at_[a] = to[0];
        at_[b] = to[1];
        p_.touched[a / 64] |= std::uint64_t{1} << (a % 64);
        p_.touched[b / 64] |= std::uint64_t{1} << (b % 64);
        p_.path += (delta * p_.largest) * (delta * p_.largest);
        return {delta, at_high & bits_of(-kFar), at_low & bits_of(kFar)};
    }

    void store_lambda() const {
        for (std::size_t k = 0; k < p_.n; ++k) p_.lambda[k] = std::abs(at_[k]);
    }

    PairProblem<T>& p_;
    alignas(64) S not_up_[kMostPairSamples], not_low_[kMostPairSamples];  // barriers before the first step

   private:
    // x >= y. With AVX-512, a comparison would go through a mask register, which takes several times as long.
    static PairBits at_least(Pair x, Pair y) {
#if DAGMAR_BYTES >= 32
        return reinterpret_cast<PairBits>(_mm_cmp_pd(x, y, _CMP_GE_OQ));
#else
        return x >= y;
#endif
    }

    // A float in both halves of each element, or a double in all of it.
    static PairBits bits_of(S number) {
        using Numbers = typename VectorOf<S, sizeof(PairBits)>::type;
        return reinterpret_cast<PairBits>(splat<Numbers>(number));
    }

    // s lambda, its bounds, and the values from which on it is set to a bound.
    alignas(64) double at_[kMostPairSamples], low_[kMostPairSamples], high_[kMostPairSamples],
        low_edge_[kMostPairSamples], high_edge_[kMostPairSamples];
};

}  // namespace dagmar::DAGMAR_LEVEL
