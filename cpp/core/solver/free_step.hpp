// When to move all free samples at once, and which.
//
// On overlapping classes and smooth kernels with large caps, steps of a pair are far too short: there would be
// thousands to millions of rounds. Once few samples still leave their bounds, the solver moves all free samples at once
// (free_system.hpp), as often as that costs no more than the rounds since the last time, and no more than those that
// seem to be left. As long as many samples leave their bounds, it is too early. (On Letter, steps shortly before the
// end took a quarter of the time.) A step is kept only if the objective falls by more than rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "solver/free_system.hpp"
#include "solver/scores.hpp"

namespace dagmar {

template <class T>
class FreeStep {
   public:
    // fine: the functions of double precision.
    FreeStep(const BoxProblem& problem, RowSource<T>& rows, double kernel_error, const Simd<double>& fine)
        : p_(problem), rows_(rows), kernel_error_(kernel_error), fine_(fine) {}

    bool due(std::int64_t round) const { return round >= next_; }

    // Where all multipliers should go; nothing if a step does not pay now, or does not lower the objective.
    // total: the sum of s lambda that must stay.
    std::optional<std::vector<double>> step(const Scores<T>& scores, const Extremes& now, std::int64_t round,
                                            double goal, double total) {
        const std::int64_t rounds = round - next_ + kWindow;
        next_ = round + kWindow;
        const double left = rounds_left(now.top - now.bottom, goal, rounds), middle = 0.5 * (now.top + now.bottom);
        Places places;  // free samples, and those that would leave their bounds
        std::size_t leaving = 0;
        for (std::size_t k = 0; k < scores.n(); ++k) {
            const bool up = scores.may_up(k), low = scores.may_low(k);
            const double score = scores.values()[k];
            if (!(up && low) && !(up && score > middle) && !(low && score < middle)) continue;
            places.push_back(static_cast<std::int32_t>(k));
            leaving += !(up && low);
        }
        const double per_round =
            kShare * static_cast<double>(std::min(rows_.working(), kWorking) * (scores.n() + kStepsAsSamples));
        affordable_ += per_round * static_cast<double>(rounds);
        const double cost = cost_of_first_direction(places.size());
        if (places.size() < 2 || places.size() > kMostFree || std::min(affordable_, per_round * left) < cost) return {};
        const bool settled = leaving * kFreePerLeaving <= places.size() || places.size() <= kFewFree;
        if (!settled && affordable_ < kCheap * cost) return {};
        FreeSamples free = gather(scores, places);
        if (!step_free(free, kernel_error_, std::exchange(affordable_, 0.0), fine_)) return {};
        std::vector<double> to = scores.lambda();
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t k = usize(places[i]);
            to[k] = std::abs(free.at[i]);
            if (to[k] > p_.cap[k] * (1 - 1e-15)) to[k] = p_.cap[k];  // as after a step of a pair
        }
        if (!balance(to, total)) return {};
        return to;
    }
    // The gap before the first round, to estimate how many are left.
    void begin(double gap) { gap_before_ = gap; }

    static constexpr std::int64_t kWindow = 64;  // rounds between two steps

   private:
    // A step may cost this many times the products of the rounds it replaces, because it makes them faster. The steps
    // inside a working set cost as much as this many more samples.
    static constexpr double kShare = 2.0;
    static constexpr std::size_t kStepsAsSamples = 1024;
    // A matrix of this many samples takes 32 MiB.
    static constexpr std::size_t kMostFree = 2048;
    // A tenth of the samples may be at a bound; more, if they are few or the step is this many times cheaper than the
    // rounds.
    static constexpr std::size_t kFewFree = 64, kFreePerLeaving = 10;
    static constexpr double kCheap = 16.0;

    // If the gap goes on falling as in the last window; infinity if it does not fall.
    double rounds_left(double gap, double goal, std::int64_t rounds) {
        const double before = std::exchange(gap_before_, gap);
        if (!(gap < before && goal > 0.0)) return kInfinity;
        return static_cast<double>(rounds) * std::log(gap / goal) / std::log(before / gap);
    }
    FreeSamples gather(const Scores<T>& scores, const Places& places) {
        const std::size_t n = places.size();
        FreeSamples free(n);
        const auto block = aligned_array<T>(n * free.stride);
        rows_.among(places, block.get(), free.stride);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                free.kernel[i * free.stride + j] = static_cast<double>(block[i * free.stride + j]);
        for (const std::int32_t place : places) {
            const std::size_t k = usize(place);
            free.scores.push_back(scores.values()[k]);
            free.at.push_back(p_.sign[k] * scores.lambda()[k]);
            free.low.push_back(p_.sign[k] > 0 ? 0.0 : -p_.cap[k]);
            free.high.push_back(p_.sign[k] > 0 ? p_.cap[k] : 0.0);
        }
        return free;
    }
    // A step of all free samples leaves a rounding of sum s lambda = total. The free sample with the most room takes it
    // up. Returns whether it has enough.
    bool balance(std::vector<double>& lambda, double total) const {
        double sum = -total, lost = 0.0, room = 0.0;
        std::size_t freest = 0;
        for (std::size_t k = 0; k < lambda.size(); ++k) {
            const double term = p_.sign[k] * lambda[k] - lost, next = sum + term;
            lost = (next - sum) - term;
            sum = next;
            const double own = std::min(lambda[k], p_.cap[k] - lambda[k]);
            if (own > room) {
                room = own;
                freest = k;
            }
        }
        if (!(std::abs(sum) < room)) return sum == 0.0;
        lambda[freest] -= p_.sign[freest] * sum;
        return true;
    }

    const BoxProblem& p_;
    RowSource<T>& rows_;
    double kernel_error_;
    const Simd<double>& fine_;
    double affordable_ = 0.0;  // products that a step may cost
    double gap_before_ = kInfinity;
    std::int64_t next_ = kWindow;
};

}  // namespace dagmar
