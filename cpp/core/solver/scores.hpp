// The multipliers of a problem and the scores that follow from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "rows/row_source.hpp"
#include "solver/accuracy.hpp"
#include "solver/problem.hpp"
#include "solver/progress.hpp"

namespace dagmar {

// Memory of a solver that a worker keeps from one task to the next, so that small tasks allocate little.
template <class T>
struct SolverScratch {
    Buffer<T> low, gain, diagonal_of_set;
    Buffer<double> arrays_of_set;
    std::vector<std::uint16_t> may_up, may_low;
    std::vector<double> chunk_top, chunk_gain, to;
    std::vector<std::int64_t> stamp;
    Places set, before, movers;
    Moves moves;
};

template <class T>
class Scores {
   public:
    Scores(const BoxProblem& problem, RowSource<T>& rows, const Simd<T>& simd, Start start, SolverScratch<T>& scratch)
        : p_(problem), rows_(rows), simd_(simd),
          chunk_(std::max(kLanes, padded((rows.n() + kMostChunks - 1) / kMostChunks))),
          n_chunks_((rows.n() + chunk_ - 1) / chunk_),
          lambda_(start.lambda.empty() ? std::vector<double>(rows.n(), 0.0) : std::move(start.lambda)),
          values_(std::move(start.scores)), low_(scratch.low.at_least(rows.n())), may_up_(scratch.may_up),
          may_low_(scratch.may_low), chunk_top_(scratch.chunk_top), largest_(largest_of(rows.diagonal(), rows.n())),
          drift2_(start.drift2), moves_(scratch.moves) {
        may_up_.assign(rows.n() / kLanes, 0);
        may_low_.assign(rows.n() / kLanes, 0);
        chunk_top_.assign(padded(n_chunks_), -kInfinity);
        for (std::size_t k = 0; k < n(); ++k) note_room(k);
        if (values_.empty()) refresh();
    }

    std::size_t n() const { return lambda_.size(); }
    const std::vector<double>& lambda() const { return lambda_; }
    const std::vector<double>& values() const { return values_; }
    bool may_up(std::size_t k) const { return is_set(may_up_, k); }
    bool may_low(std::size_t k) const { return is_set(may_low_, k); }
    double largest() const { return largest_; }  // kernel value: of the diagonal, no other is far larger
    // Squared errors of all moves of a score since scores were computed; errors of moves add up like a random walk.
    double drift2() const { return drift2_; }

    // By how much a sample violates the conditions of an optimum beside the sample at the other extreme; not above 0 if
    // it does not.
    double violation(std::size_t k, const Extremes& now) const {
        return std::max(may_up(k) ? values_[k] - now.bottom : -kInfinity,
                        may_low(k) ? now.top - values_[k] : -kInfinity);
    }

    Extremes extremes() { return simd_.update_by_rows(view(), nullptr, 0, nullptr, nullptr, 0); }

    // Moves multipliers of these places to new values, and all scores with them.
    Extremes move(const Places& places, const std::vector<double>& to) {
        moves_.places = places;
        moves_.by.clear();
        const double unit = rows_.unit() * largest_;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t k = usize(places[i]);
            const double moved = to[i] - lambda_[k];
            lambda_[k] = to[i];
            note_room(k);
            moves_.by.push_back(p_.sign[k] * moved);
            drift2_ += square(moved * unit);
        }
        return rows_.move(view(), moves_);
    }
    // The same for all multipliers that differ.
    Extremes move_all(const std::vector<double>& to, const Extremes& now) {
        const Places movers = places_where([&](std::size_t k) { return to[k] != lambda_[k]; });
        std::vector<double> moved_to;
        for (const std::int32_t k : movers) moved_to.push_back(to[usize(k)]);
        return movers.empty() ? now : move(movers, moved_to);
    }

    // Multipliers that balance, sum s lambda = 0, if these do not but for rounding: the sign that weighs more is scaled
    // down. Multipliers that were far larger for a while leave their rounding behind in the sum; shifting the samples
    // would then change the machine.
    std::optional<std::vector<double>> balanced() const {
        double positive = 0.0, negative = 0.0;
        for (std::size_t k = 0; k < n(); ++k) (p_.sign[k] > 0 ? positive : negative) += lambda_[k];
        if (!(std::abs(positive - negative) > kBalance * (positive + negative))) return {};
        const double heavier = positive > negative ? 1.0 : -1.0;
        const double share = std::min(positive, negative) / std::max(positive, negative);
        std::vector<double> to = lambda_;
        for (std::size_t k = 0; k < n(); ++k) to[k] *= p_.sign[k] == heavier ? share : 1.0;
        return to;
    }

    // Scores from lambda alone, with the rows of this precision.
    Extremes refresh() {
        values_.resize(n());
        for (std::size_t k = 0; k < n(); ++k) values_[k] = p_.sign[k] * p_.target[k];
        drift2_ = 0.0;
        refined_at_.clear();
        const Places support = places_where([&](std::size_t k) { return lambda_[k] != 0.0; });
        if (support.empty()) return extremes();
        // Terms of both signs come one class after the other and nearly cancel in the end, so what an addition rounds
        // away is added to the next term (Kahan).
        std::vector<double> lost(n(), 0.0);
        rows_.each_row(support, [&](std::size_t place, const T* row) {
            const double coef = p_.sign[place] * lambda_[place];
            for (std::size_t l = 0; l < values_.size(); ++l) {
                const double term = -coef * static_cast<double>(row[l]) - lost[l], sum = values_[l] + term;
                lost[l] = (sum - values_[l]) - term;
                values_[l] = sum;
            }
        });
        return extremes();
    }
    // Scores from lambda with finer kernel values: of samples that may take part in the gap, and of those with cap 0,
    // whose scores are results. Samples farther from the gap than `margin` are left out; an infinite margin leaves out
    // none.
    Extremes refine(const FinerScores& finer_scores, double margin, const Extremes& now) {
        margin_ = margin;
        const auto takes_part = [&](std::size_t k) { return p_.cap[k] == 0.0 || -violation(k, now) < margin; };
        left_out_ = places_where([&](std::size_t k) { return rows_.is_sample(k) && !takes_part(k); });
        const Places places = places_where([&](std::size_t k) { return rows_.is_sample(k) && takes_part(k); });
        std::vector<double> finer;
        finer_scores(lambda_, places, finer);
        for (std::size_t i = 0; i < places.size(); ++i) values_[usize(places[i])] = finer[i];
        drift2_ = 0.0;
        refined_at_ = lambda_;
        return extremes();
    }
    bool refined() const { return !refined_at_.empty(); }
    // Whether samples that were left out of the refinement have come too near since.
    bool left_out_too_many(const Extremes& now) const {
        return refined() && drift2_ != 0.0 && std::any_of(left_out_.begin(), left_out_.end(), [&](std::int32_t k) {
                   return -violation(usize(k), now) < 0.5 * margin_;
               });
    }

    Footing footing() const {
        const double reach = reach_of([&](std::size_t k) { return lambda_[k]; });
        const double since = refined() ? reach_of([&](std::size_t k) { return lambda_[k] - refined_at_[k]; }) : reach;
        double sum = 0.0;
        for (std::size_t k = 0; k < n(); ++k) sum += std::abs(refined() ? lambda_[k] - refined_at_[k] : lambda_[k]);
        return {reach, since, refined(), drift2_, largest_ * sum};
    }

    // Errors of scores, from some that are computed with finer kernel values.
    struct Errors {
        double difference;  // between the means of the two signs
        double spread;      // standard error within a sign
    };
    Errors measure(const FinerScores& finer_scores) const {
        Places places;
        std::size_t first_of_sign[3] = {0, 0, 0};
        for (const double sign : {-1.0, 1.0}) {
            add_some(sign, places);
            first_of_sign[sign < 0 ? 1 : 2] = places.size();
        }
        std::vector<double> finer, mean(2, 0.0);
        finer_scores(lambda_, places, finer);
        double squares = 0.0;
        for (std::size_t side = 0; side < 2; ++side) {
            const std::size_t begin = first_of_sign[side], end = first_of_sign[side + 1];
            if (begin == end) continue;
            for (std::size_t i = begin; i < end; ++i) {
                finer[i] -= values_[usize(places[i])];
                mean[side] += finer[i] / static_cast<double>(end - begin);
            }
            for (std::size_t i = begin; i < end; ++i) squares += square(finer[i] - mean[side]);
        }
        const double freedom = static_cast<double>(std::max<std::size_t>(3, places.size()) - 2);
        return {std::abs(mean[1] - mean[0]), std::sqrt(squares / freedom)};
    }
    // kernel_error: standard error of a score from the rounding of kernel values.
    Objective objective(double kernel_error, double reach) const {
        double value = 0.0, size = 0.0;
        for (std::size_t k = 0; k < n(); ++k) {
            const double gradient = -p_.sign[k] * values_[k];
            value += 0.5 * lambda_[k] * (gradient - p_.target[k]);
            size += 0.5 * lambda_[k] * (std::abs(gradient) + p_.target[k]);
        }
        return {value, kObjectiveRounding * size + kernel_error * (reach / largest_)};
    }
    bool finite() const {
        return std::all_of(values_.begin(), values_.end(), [](double v) { return std::isfinite(v); });
    }

    // What the chunks of samples offer for a working set; see PairScores.
    const T* low() const { return low_; }  // scores of samples that may go low, +inf for the others
    const std::uint16_t* may_up_bits() const { return may_up_.data(); }
    const std::vector<double>& chunk_top() const { return chunk_top_; }
    std::size_t chunk() const { return chunk_; }
    std::size_t n_chunks() const { return n_chunks_; }

    // Gives lambda and values away.
    void finish(Solution& solution) {
        solution.drift2 = drift2_;
        solution.lambda = std::move(lambda_);
        solution.scores = std::move(values_);
    }

   private:
    // Sums of squares between these are exact enough: none of the squares that count is outside the range of double.
    static constexpr double kLeastSquare = 1e-200, kMostSquare = 1e200;
    // Scores of each sign whose errors are measured.
    static constexpr std::size_t kMeasured = 16;
    // Share of all multipliers that rounding leaves in the sum of s lambda at most.
    static constexpr double kBalance = 1e-9;
    // Share of the objective's terms that is rounding.
    static constexpr double kObjectiveRounding = 1e-13;

    static double square(double x) { return x * x; }

    static double largest_of(const T* values, std::size_t n) {
        T largest = std::numeric_limits<T>::min();  // not 0, because errors are divided by it
        for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(values[k]));
        return static_cast<double>(largest);
    }

    template <class Condition>
    Places places_where(const Condition& holds) const {
        Places places;
        for (std::size_t k = 0; k < n(); ++k)
            if (holds(k)) places.push_back(static_cast<std::int32_t>(k));
        return places;
    }

    // Some places of a sign, spread evenly: free ones, whose scores make the gap, or any if few are free.
    void add_some(double sign, Places& places) const {
        Places all, free;
        for (std::size_t k = 0; k < n(); ++k) {
            if (!rows_.is_sample(k) || p_.sign[k] != sign || p_.cap[k] == 0.0) continue;
            all.push_back(static_cast<std::int32_t>(k));
            if (may_up(k) && may_low(k)) free.push_back(static_cast<std::int32_t>(k));
        }
        const Places& from = free.size() < kMeasured ? all : free;
        const std::size_t count = std::min(kMeasured, from.size());
        for (std::size_t i = 0; i < count; ++i) places.push_back(from[i * from.size() / count]);
    }

    using Bits = std::vector<std::uint16_t>;  // a bit per sample, a word per panel
    static bool is_set(const Bits& bits, std::size_t k) { return bits[k / kLanes] >> (k % kLanes) & 1; }
    PairScores<T> view() {
        return {values_.data(), low_, may_up_.data(), may_low_.data(), n(), chunk_, chunk_top_.data()};
    }
    void note_room(std::size_t k) {
        const bool may_grow = lambda_[k] < p_.cap[k], may_shrink = lambda_[k] > 0.0, positive = p_.sign[k] > 0;
        const auto set = [k](Bits& bits, bool value) {
            const auto bit = static_cast<std::uint16_t>(1u << (k % kLanes));
            bits[k / kLanes] = static_cast<std::uint16_t>(value ? bits[k / kLanes] | bit : bits[k / kLanes] & ~bit);
        };
        set(may_up_, positive ? may_grow : may_shrink);
        set(may_low_, positive ? may_shrink : may_grow);
    }
    // The root of squares of multipliers, times the largest kernel value. Squares of multipliers may leave the range of
    // double.
    template <class Multiplier>
    double reach_of(const Multiplier& multiplier) const {
        double sums[8] = {};  // side by side, as one sum would be a long chain of additions
        for (std::size_t k = 0; k < n(); k += 8)
            for (std::size_t i = 0; i < 8; ++i) sums[i] += square(multiplier(k + i));
        const double all = std::accumulate(sums, sums + 8, 0.0);
        if (all > kLeastSquare && all < kMostSquare) return largest_ * std::sqrt(all);
        double most = 0.0, sum = 0.0;
        for (std::size_t k = 0; k < n(); ++k) most = std::max(most, std::abs(multiplier(k)));
        if (most == 0.0) return 0.0;
        for (std::size_t k = 0; k < n(); ++k) sum += square(multiplier(k) / most);
        return most * largest_ * std::sqrt(sum);
    }

    const BoxProblem& p_;
    RowSource<T>& rows_;
    const Simd<T>& simd_;
    std::size_t chunk_, n_chunks_;
    std::vector<double> lambda_, values_;
    T* const low_;
    Bits &may_up_, &may_low_;
    std::vector<double>& chunk_top_;
    double largest_, drift2_;
    Moves& moves_;
    std::vector<double> refined_at_;  // lambda when scores were refined; empty if they are not
    Places left_out_;                 // of the refinement
    double margin_ = 0.0;
};

}  // namespace dagmar
