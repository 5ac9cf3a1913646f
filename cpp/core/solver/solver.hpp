// The pair solver: sequential minimal optimisation for one box-constrained problem.
//
// Given signs s_k = +-1, targets t_k > 0 and caps U_k >= 0 for samples k = 1 ... n,
//
//     minimise over lambda    1/2 sum_kl s_k s_l lambda_k lambda_l K_kl - sum_k t_k lambda_k
//     subject to              0 <= lambda_k <= U_k,   sum_k s_k lambda_k = 0
//
// C-SVC has t = 1 and U = C times weights; a machine on soft labels y has t = |y| and U = C / |y|.
// A sample with U = 0 takes no part.
//
// With G_k = s_k sum_l s_l lambda_l K_kl - t_k, the solver keeps the *score* of each sample, -s_k G_k. A step moves
// along s_a lambda_a up and s_b lambda_b down, which changes every score by -delta (K_ka - K_kb), without signs.
//
//     up  = samples whose s lambda may grow      top    = largest score in up
//     low = samples whose s lambda may shrink    bottom = smallest score in low
//     gap = top - bottom; the answer is within `tol` of optimal when gap < tol (LIBSVM's rule)
//
// A step takes the pair where a attains top and b has the largest (top - score_b)^2 / (K_aa + K_bb - 2 K_ab) in low
// (Fan, Chen & Lin, Working set selection using second order information, JMLR 2005; the loop over such steps is
// PairSteps::run_with in simd/generic/pair_steps.hpp).
//
// A round chooses a working set (working_set.hpp), makes steps inside it and moves all scores (scores.hpp). Now and
// then the solver moves all free samples at once (free_step.hpp), or goes on for a while with the active samples alone
// (active_part.hpp). Before it ends it makes sure that rounding hides nothing (accuracy.hpp); it gives up when it no
// longer gets anywhere (progress.hpp). Where kernel rows come from is behind one face (rows/row_source.hpp).
//
// T is the type of kernel rows. Scores, multipliers and the sums that decide when to stop are double. The effect of a
// working set on all scores is summed in T, by SmallRows in double. Steps inside a set over float rows use float copies
// of scores while their rounding is far below the gap (simd/generic/pair_steps.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "solver/active_part.hpp"
#include "solver/free_step.hpp"

namespace dagmar {

// A round of the whole set costs as much as one round of a working set for this many steps.
constexpr std::int64_t kStepsPerRound = 16;

template <class T>
class Solver {
   public:
    // fine: the functions of double precision.
    Solver(const BoxProblem& problem, RowSource<T>& rows, const SolverSettings& settings, const ActiveSizes& active,
           Start start, const Simd<T>& simd, const Simd<double>& fine, Stop& stop, SolverScratch<T>& scratch)
        : p_(problem), rows_(rows), settings_(settings), simd_(simd), fine_(fine), stop_(stop),
          scores_(problem, rows, simd, std::move(start), scratch),
          working_set_(problem, rows, simd, fine, scores_.largest(), scratch),
          accuracy_(settings.tol, settings.kernel_error, settings.finer_error, scores_.largest(),
                    static_cast<bool>(settings.finer_scores)),
          free_step_(problem, rows, settings.kernel_error, fine), active_part_(rows.is_whole() ? 0 : rows.n(), active),
          goal_(settings.tol), most_steps_(limit()) {}

    Solution run() {
        Extremes now = scores_.extremes();
        if (!curvatures_are_finite()) return finish(now, Status::not_finite);
        free_step_.begin(now.top - now.bottom);
        while (true) {
            if (const auto status = end(now)) return finish(now, *status);
            if (free_step_.due(rounds_)) {
                step_all_free(now);
                continue;
            }
            if (active_part_.due(rounds_) && visit_active_part(now)) continue;
            if (const auto status = work_in_set(now)) return finish(now, *status);
        }
    }

   private:
    // A gap below this many roundings of a score may be nothing but rounding: then little patience is enough.
    static constexpr double kNearRounding = 100.0;
    // After a step of all free samples, scores are computed again if their error is above this share of the gap, or of
    // the goal once the gap is closed.
    static constexpr double kFreshShare = 0.1;
    // Scores that overflow with multipliers below this come from kernel values that are not finite.
    static constexpr double kHuge = 1e100;
    // Scores are refined at most kMostRefinements times. The first kNearRefinements times, samples farther from the gap
    // than kMargins times what rounding may hide are left out.
    static constexpr int kMostRefinements = 6, kNearRefinements = 2;
    static constexpr double kMargins = 10.0;
    // Multipliers that do not balance are mended this many times at most.
    static constexpr int kMostMends = 6;
    // A solver over an active part makes this many rounds at most.
    static constexpr std::int64_t kApproach = 4 * Progress::kWindow;

    // What a solver over an active part does: rounds until the gap is below `enough`, but not many. Returns the steps
    // made; -1 if a multiplier is no longer finite.
    std::int64_t approach(double goal, double enough, std::int64_t most) {
        goal_ = goal;
        for (std::size_t k = 0; k < scores_.n(); ++k) total_ += p_.sign[k] * scores_.lambda()[k];
        Extremes now = scores_.extremes();
        for (; rounds_ < kApproach && steps_ < most && !stop_.requested(16); ++rounds_) {
            if (!(now.top - now.bottom >= enough)) break;
            if (!working_set_.select(scores_, now, goal_)) break;
            const std::int64_t made = working_set_.solve(scores_, now, goal_, most - steps_);
            if (made < 0) return -1;
            if (made == 0 || working_set_.movers().empty()) break;
            steps_ += made;
            now = scores_.move(working_set_.movers(), working_set_.to());
            if (free_step_.due(rounds_ + 1))
                if (const auto to = free_step_.step(scores_, now, rounds_ + 1, 0.0, total_))
                    now = scores_.move_all(*to, now);
        }
        return steps_;
    }

    // Whether to end before the next round: the gap is closed, a limit is reached, nothing helps any more, or a signal
    // came.
    std::optional<Status> end(Extremes& now) {
        while (now.top - now.bottom < goal_)
            if (const auto status = end_of_closed_gap(now)) return status;
        if (!(now.top - now.bottom < kInfinity)) return overflow();
        if (steps_ >= most_steps_) return Status::max_iter;
        ++rounds_;
        if (progress_.window_ends(rounds_))
            if (const auto status = look_back(now)) return status;
        if (stop_.requested(16)) return Status::interrupted;
        return {};
    }
    // The gap is below the goal. Makes sure of it with better scores if necessary, which may open it again, and lowers
    // the goal by what rounding may hide. Multipliers that do not balance are mended first.
    std::optional<Status> end_of_closed_gap(Extremes& now) {
        if (const auto to = scores_.balanced()) {
            if (++mends_ > kMostMends) return settings_.finer ? Status::imprecise : Status::stalled;
            scores_.move_all(*to, now);
            now = scores_.refresh();
            return {};
        }
        const Footing footing = scores_.footing();
        if (accuracy_.must_measure(footing, scores_.n())) {
            const typename Scores<T>::Errors errors = scores_.measure(settings_.finer_scores);
            accuracy_.measured(footing, errors.difference, errors.spread);
        }
        const bool stale = accuracy_.stale(footing);
        if (may_refine() &&
            (accuracy_.too_coarse(footing) || (scores_.refined() && stale) || scores_.left_out_too_many(now))) {
            refine(now);
            set_goal();
            return {};
        }
        if (stale) {
            now = scores_.refresh();
            return {};
        }
        const auto status = verdict(now, footing);
        if (!status) set_goal();
        return status;
    }
    // After a window of rounds.
    std::optional<Status> look_back(Extremes& now) {
        if (!scores_.finite()) return overflow();  // NaN is neither top nor bottom
        const Footing footing = scores_.footing();
        if (settings_.finer &&
            (settings_.finer_scores ? accuracy_.far_too_coarse(footing) : accuracy_.too_coarse(footing)))
            return Status::imprecise;
        const double near = std::max(kNearRounding * Accuracy::noise(footing), accuracy_.hidden(footing));
        if (progress_.goes_on(now.top - now.bottom, objective(), near)) return {};
        return start_anew(now);
    }
    // Nothing helps with these scores: computes them again, and ends if the objective is not lower than the last time.
    std::optional<Status> start_anew(Extremes& now) {
        now = scores_.refresh();
        if (progress_.starts_anew(now.top - now.bottom, objective())) return {};
        return Status::stalled;
    }
    void step_all_free(Extremes& now) {
        if (const auto to = free_step_.step(scores_, now, rounds_, goal_, total_)) {
            now = scores_.move_all(*to, now);
            ++free_steps_;
        }
        const Footing footing = scores_.footing();
        const double gap = std::max(now.top - now.bottom, goal_);
        if (accuracy_.lost(footing) <= kFreshShare * gap || scores_.refined()) return;
        if (accuracy_.too_coarse(footing) && may_refine())
            refine(now);  // which is due in the end anyway
        else
            now = scores_.refresh();
    }
    // Solves for the active samples alone, then moves all scores by what came of it. False if there was nothing to
    // gain.
    bool visit_active_part(Extremes& now) {
        const Places active = active_part_.choose(scores_, working_set_, rows_.working(), now, rounds_);
        if (active.empty()) return false;
        const std::size_t n = padded(active.size());
        T* lent = rows_.lend(n * n);
        ActiveProblem<T> part(active, rows_, simd_, p_, scores_, lent ? lent : memory_.at_least(n * n));
        const ActiveSizes none{std::numeric_limits<std::size_t>::max()};
        SolverScratch<T> scratch;
        Solver solver(part.problem, part.rows, settings_, none, std::move(part.start), simd_, fine_, stop_, scratch);
        const double enough = std::max(ActivePart<T>::kShare * (now.top - now.bottom), 0.5 * goal_);
        const std::int64_t made = solver.approach(goal_, enough, most_steps_ - steps_);
        rows_.take_back();
        working_set_.note_curvature(solver.working_set_.lowest_curvature());
        active_part_.note(made, active.size(), rounds_);
        if (made <= 0) return false;
        std::vector<double> to = scores_.lambda();
        for (std::size_t i = 0; i < active.size(); ++i) to[usize(active[i])] = solver.scores_.lambda()[i];
        now = scores_.move_all(to, now);
        steps_ += made;
        ++visits_;
        return true;
    }
    std::optional<Status> work_in_set(Extremes& now) {
        const bool chosen = working_set_.select(scores_, now, goal_);
        const std::int64_t made = chosen ? working_set_.solve(scores_, now, goal_, most_steps_ - steps_) : 0;
        if (made < 0) return working_set_.block_is_finite() ? Status::unbounded : Status::not_finite;
        // Without a candidate or a step, no score is below top by more than the rounding of T.
        if (made == 0 && now.top - now.bottom < settings_.tol)
            if (const auto status = verdict(now, scores_.footing())) return status;
        const bool moved = chosen && !working_set_.movers().empty();
        if (!progress_.moves(moved) || made == 0) return start_anew(now);
        steps_ += made;
        if (rows_.is_whole()) rounds_ += made / kStepsPerRound;
        if (moved) now = scores_.move(working_set_.movers(), working_set_.to());
        return {};
    }

    // Curvatures are sums of four kernel values.
    bool curvatures_are_finite() const {
        return std::all_of(rows_.diagonal(), rows_.diagonal() + rows_.n(),
                           [](T v) { return std::abs(v) < std::numeric_limits<T>::max() / 8; });
    }
    // How to end with these scores: converged if the gap is closed even with all that rounding may hide added;
    // otherwise if the rounding of kernel values alone is as large as tol, so that more steps would not help.
    std::optional<Status> verdict(const Extremes& now, const Footing& footing) const {
        if (accuracy_.too_coarse(footing)) return settings_.finer ? Status::imprecise : Status::stalled;
        if (now.top - now.bottom + accuracy_.hidden(footing) < settings_.tol) return Status::converged;
        return {};
    }
    // Whether finer scores would help: there are some, and they are not what we have.
    bool may_refine() const {
        return settings_.finer_scores && accuracy_.kernel_rounds() && refinements_ < kMostRefinements &&
               !(scores_.refined() && scores_.drift2() == 0.0);
    }
    void refine(Extremes& now) {
        const double margin =
            refinements_ < kNearRefinements ? kMargins * accuracy_.hidden(scores_.footing()) : kInfinity;
        now = scores_.refine(settings_.finer_scores, margin, now);
        ++refinements_;
    }
    void set_goal() { goal_ = settings_.tol - accuracy_.hidden(scores_.footing()); }
    Objective objective() const {
        const Footing footing = scores_.footing();
        return scores_.objective(accuracy_.rounding(footing), footing.reach);
    }
    // Why scores are not finite.
    Status overflow() const {
        const auto& lambda = scores_.lambda();
        return *std::max_element(lambda.begin(), lambda.end()) < kHuge ? Status::not_finite : Status::unbounded;
    }
    // Unless the user sets one: five times LIBSVM's limit, which is for one step per pass over the samples; steps
    // inside a working set are cheaper, but more are needed. Small problems that are not done much sooner never are:
    // their kernel values are too large beside their caps for the digits of double.
    std::int64_t limit() const {
        if (settings_.max_iter >= 0) return settings_.max_iter;
        const auto n = static_cast<std::int64_t>(rows_.n());
        return std::clamp<std::int64_t>(5'000 * n, 2'000'000, std::max<std::int64_t>(50'000'000, 500 * n));
    }
    Solution finish(const Extremes& now, Status status) {
        Solution s;
        const std::vector<double>&lambda = scores_.lambda(), &values = scores_.values();
        s.iterations = steps_;
        s.visits = visits_;
        s.free_steps = free_steps_;
        s.refined = refinements_ > 0;
        s.indefinite =
            working_set_.lowest_curvature() < -std::sqrt(std::numeric_limits<T>::epsilon()) * scores_.largest();
        s.status = scores_.finite() ? status : overflow();
        if (s.status == Status::not_finite || s.status == Status::unbounded) {
            // The start, so that no infinite number goes on from here.
            s.lambda.assign(scores_.n(), 0.0);
            for (std::size_t k = 0; k < scores_.n(); ++k) s.scores.push_back(p_.sign[k] * p_.target[k]);
            s.gap = kInfinity;
            return s;
        }
        double free_sum = 0;
        std::int64_t n_free = 0;
        for (std::size_t k = 0; k < scores_.n(); ++k) {  // without branches: which samples are free cannot be predicted
            const double gradient = -p_.sign[k] * values[k];
            const int is_free = int{lambda[k] > 0.0} & int{lambda[k] < p_.cap[k]};
            s.objective += 0.5 * lambda[k] * (gradient - p_.target[k]);
            s.norm2 += lambda[k] * (gradient + p_.target[k]);
            free_sum += is_free ? values[k] : 0.0;
            n_free += is_free;
        }
        // Without a free sample any bias between bottom and top is optimal; one set may even be empty.
        if (n_free > 0)
            s.bias = free_sum / static_cast<double>(n_free);
        else if (std::isfinite(now.top) && std::isfinite(now.bottom))
            s.bias = 0.5 * (now.top + now.bottom);
        else
            s.bias = std::isfinite(now.top) ? now.top : std::isfinite(now.bottom) ? now.bottom : 0.0;
        s.gap = std::max(0.0, now.top - now.bottom);
        scores_.finish(s);
        return s;
    }

    const BoxProblem& p_;
    RowSource<T>& rows_;
    const SolverSettings& settings_;
    const Simd<T>& simd_;
    const Simd<double>& fine_;
    Stop& stop_;
    Scores<T> scores_;
    WorkingSet<T> working_set_;
    Accuracy accuracy_;
    Progress progress_;
    FreeStep<T> free_step_;
    ActivePart<T> active_part_;
    double goal_;       // the gap to reach: tol, less what rounding may hide
    double total_ = 0;  // sum s lambda; the samples outside an active part have the opposite
    std::int64_t steps_ = 0, rounds_ = 0, most_steps_;
    std::int64_t visits_ = 0, free_steps_ = 0;
    int refinements_ = 0;
    int mends_ = 0;
    Buffer<T> memory_;  // rows of the active part, if other rows have too little to lend
};

}  // namespace dagmar
