#include "smo.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "active_part.hpp"
#include "free_step.hpp"
#include "integers.hpp"

namespace dagmar {
namespace {

// A working set is solved to this share of its initial gap; the rest changes with the other samples anyway. Where rows
// are streamed, each multiplier that moves costs a row, so a set is solved less far: on Covertype a fifth fewer rows,
// for a quarter more rounds.
constexpr double kShare = 0.2, kStreamedShare = 0.5;
// The solver looks back after every window of this many rounds.
constexpr std::int64_t kWindow = 256;
// Where every step moves all scores, so many cost as much as a round.
constexpr std::int64_t kStepsPerRound = 16;
// They go on to this share of the goal, as the goal may fall by what rounding can hide.
constexpr double kNearGoal = 0.8;
// Steps with rounded scores do not pay where fewer than this are possible.
constexpr std::int64_t kFewSteps = 16;
// It ends after so many rounds that do not move a multiplier: then the working set stays the same.
constexpr int kUnmoved = 3;
// It ends after this many windows without progress; sooner, if the gap is within reach of rounding.
constexpr int kPatience = 16, kLittlePatience = 1;
constexpr double kReach = 100.0;
// Progress: the gap falls by a tenth, or the objective by more than its rounding.
constexpr double kSmallerGap = 0.9, kObjectiveRounding = 1e-13;
// A step of all free samples may be made after every so many rounds, at the cost of this many times their products: it
// makes them faster. (The steps inside a working set cost as much as so many more samples.)
constexpr std::int64_t kFreeWindow = 64;
constexpr std::size_t kStepsAsSamples = 1024;
constexpr double kFreeShare = 2.0;
// It has at most so many samples, as its matrix has 32 MiB then. A tenth of them may be at a bound; or more, where they
// are few, or where it costs so many times less than the rounds.
constexpr std::size_t kMostFree = 2048, kFewFree = 64, kFreePerLeaving = 10;
constexpr double kCheap = 16.0;
// Afterwards scores are computed again if their error is above this share of the gap.
constexpr double kFreshShare = 0.1;
// The active samples are visited alone from this many samples on: of n, the n / 4 that violate most, but between so
// many and so many. (Their rows have 64 MiB in float at most, of the memory for rows.) They are solved to this share of
// the gap.
constexpr std::size_t kManySamples = 2048, kSomeActive = 2560, kMostActive = 4096;
constexpr std::int64_t kFirstVisit = 32, kPlacesPerNewcomer = 32;
constexpr double kVisitShare = 0.05;
// Curvatures below this are replaced by it, as in LIBSVM; by this share of the largest kernel value, if that is less.
constexpr double kFloor = 1e-12, kFloorShare = 1e-9;
// Sums of squares between these are exact enough: none of the squares that count is outside the range of double.
constexpr double kLeastSquare = 1e-200, kMostSquare = 1e200;
// Scores that overflow with multipliers below this come from kernel values that are not finite.
constexpr double kHuge = 1e100;
// Scores are refined at most so many times. Where single precision is too coarse even for the changes between two
// refinements, or by far too coarse from the start, a solver with finer kernel values goes on.
constexpr int kMostRefinements = 6;
constexpr double kFarTooCoarse = 1e3;
// Samples are left out that are farther from taking part in the gap than so many times what rounding may hide.
constexpr double kMargins = 10.0;
// A pass of at least so many products is worth several threads; or of so many kernel values to compute.
constexpr std::size_t kLarge = std::size_t{1} << 19, kLargeToCompute = std::size_t{1} << 17;
// So is a row to compute of at least so many samples, with the pass over it.
constexpr std::size_t kLongRow = std::size_t{1} << 15;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double square(double x) { return x * x; }

// `largest`: of the diagonal; no kernel value is far larger.
double floor_of(double largest) {
    return std::clamp(kFloorShare * largest, 4.0 * std::numeric_limits<double>::min(), kFloor);
}

template <class T>
bool all_finite(const T* values, std::size_t n) {
    return std::all_of(values, values + n, [](T v) { return std::isfinite(v); });
}

// The largest size of a value.
template <class T>
double largest_of(const T* values, std::size_t n) {
    T largest = std::numeric_limits<T>::min();  // not 0, to divide by it
    for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(values[k]));
    return static_cast<double>(largest);
}

template <class T, class Rows = TaskRows<T>>
class Solver {
   public:
    Solver(const BoxProblem& problem, Rows& rows, const SolverSettings& settings, Start start, const Simd<T>& simd,
           const Simd<double>& fine, Stop& stop)
        : p_(problem), rows_(rows), settings_(settings), simd_(simd), fine_(fine), stop_(stop), n_(rows.n()),
          chunk_(std::max(kLanes, padded((n_ + kMostChunks - 1) / kMostChunks))),
          lambda_(start.lambda.empty() ? std::vector<double>(n_, 0.0) : std::move(start.lambda)),
          scores_(std::move(start.scores)), low_(aligned_array<T>(n_)), change_(zeroed_array<T>(n_)),
          may_up_(n_ / kLanes), may_low_(n_ / kLanes), n_chunks_((n_ + chunk_ - 1) / chunk_),
          chunk_top_(padded(n_chunks_), -kInfinity), drift_(start.drift), goal_(settings.tol),
          largest_(largest_of(rows.diagonal(), n_)), error_(settings.kernel_error / largest_) {
        note_all_rooms();
        inner_.floor = floor_of(largest_);
        inner_.largest = largest_;
        if (!direct()) {
            chunk_gain_.resize(padded(n_chunks_), -kInfinity);
            stamp_.resize(n_, 0);
            block_ = std::make_unique<Block>();
            std::iota(std::begin(block_->slot), std::end(block_->slot), 0);
            for (auto* list : {&before_, &movers_, &slot_}) list->reserve(kWorking + 1);
            coef_.reserve(kWorking);
        }
        set_.reserve(direct() ? rows.n_samples() : kWorking + 1);
        if (scores_.empty()) refresh_scores();
    }

    // Four windows of rounds, or fewer if the gap falls below `enough`, nothing moves, or so many steps are made.
    // Returns the number of steps; -1 if a multiplier is no longer finite.
    std::int64_t approach(double goal, double enough, std::int64_t most) {
        goal_ = goal;
        for (std::size_t k = 0; k < n_; ++k) total_ += p_.sign[k] * lambda_[k];
        Extremes now = move_scores();
        std::int64_t steps = 0;
        for (std::int64_t round = 0; round < 4 * kWindow && steps < most && !stop_.requested(16); ++round) {
            if (!(now.top - now.bottom >= enough)) break;
            const std::int64_t made = choose(now) ? work(now, most - steps) : 0;
            if (made < 0) return -1;
            if (made == 0 || !moved_) break;
            steps += made;
            now = scores_after_work();
            if (round % kFreeWindow == kFreeWindow - 1) step_all_free(now, kFreeWindow, kInfinity);
        }
        return steps;
    }

    double lambda(std::size_t k) const { return lambda_[k]; }
    double lowest_curvature() const { return inner_.lowest; }

    Solution run() {
        if (!small_enough(rows_.diagonal())) return finish({-kInfinity, kInfinity}, 0, Status::not_finite);
        Extremes now = move_scores();
        gap_before_ = now.top - now.bottom;
        const std::int64_t most = limit();
        std::int64_t steps = 0, rounds = 0;
        Status status = Status::converged;
        while (true) {
            if (!(now.top - now.bottom < kInfinity)) {
                status = overflow();
                break;
            }
            if (now.top - now.bottom < goal_) {
                if ((hopeless() || (is_fine() && stale()) || left_out_too_many(now)) && may_refine()) {
                    refine_scores(now);
                    now = move_scores();
                    goal_ = settings_.tol - hidden();
                    continue;
                }
                if (stale()) {
                    refresh_scores();
                    now = move_scores();
                    continue;
                }
                if (precise(now)) break;
                goal_ = settings_.tol - hidden();
            }
            if (steps >= most) {
                status = Status::max_iter;
                break;
            }
            if (++rounds >= next_look_) {
                next_look_ = rounds + kWindow;
                status = look_back(now);
                if (status != Status::converged) break;
            }
            if (stop_.requested(16)) {
                status = Status::interrupted;
                break;
            }

            if (rounds >= next_free_) {
                step_all_free(now, rounds - next_free_ + kFreeWindow, rounds_left(now, rounds));
                next_free_ = rounds + kFreeWindow;
                if (lost() > kFreshShare * (now.top - now.bottom) && !is_fine()) {
                    if (hopeless() && may_refine())
                        refine_scores(now);  // which is due in the end anyway
                    else
                        refresh_scores();
                    now = move_scores();
                }
                continue;
            }
            if (rounds >= next_visit_) {
                const std::int64_t made = visit_active(now, most - steps);
                next_visit_ = rounds + visit_interval_;
                steps += made;
                if (made > 0) continue;
            }

            // Without a candidate or a step, no score is below top by more than the rounding of T.
            const std::int64_t made = choose(now) ? work(now, most - steps) : 0;
            if (made == 0 && now.top - now.bottom < settings_.tol && precise(now)) break;
            if (made < 0) {
                status = rows_are_finite() ? Status::unbounded : Status::not_finite;
                break;
            }
            unmoved_ = moved_ ? 0 : unmoved_ + 1;
            if (made == 0 || unmoved_ == kUnmoved) {
                status = try_anew(now);
                if (status != Status::converged) break;
                continue;
            }
            steps += made;
            if (direct()) rounds += made / kStepsPerRound;
            now = scores_after_work();
        }
        // The kernel is too coarse if the gap closed while the rounding of the kernel is as large as tol.
        if (status == Status::converged && coarse_) status = too_coarse();
        return finish(now, steps, status);
    }

   private:
    void note_room(std::size_t k) {
        const bool may_grow = lambda_[k] < p_.cap[k], may_shrink = lambda_[k] > 0.0;
        set(may_up_, k, p_.sign[k] > 0 ? may_grow : may_shrink);
        set(may_low_, k, p_.sign[k] > 0 ? may_shrink : may_grow);
    }
    // The same for all samples, a panel at a time.
    void note_all_rooms() {
        for (std::size_t panel = 0; panel < n_ / kLanes; ++panel) {
            unsigned up = 0, low = 0;
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const std::size_t k = panel * kLanes + lane;
                const unsigned may_grow = lambda_[k] < p_.cap[k], may_shrink = lambda_[k] > 0.0;
                const bool positive = p_.sign[k] > 0;
                up |= (positive ? may_grow : may_shrink) << lane;
                low |= (positive ? may_shrink : may_grow) << lane;
            }
            may_up_[panel] = static_cast<std::uint16_t>(up);
            may_low_[panel] = static_cast<std::uint16_t>(low);
        }
    }
    static void set(std::vector<std::uint16_t>& bits, std::size_t k, bool value) {
        const auto bit = static_cast<std::uint16_t>(1u << (k % kLanes));
        bits[k / kLanes] = static_cast<std::uint16_t>(value ? bits[k / kLanes] | bit : bits[k / kLanes] & ~bit);
    }
    static bool is_set(const std::vector<std::uint16_t>& bits, std::size_t k) {
        return bits[k / kLanes] >> (k % kLanes) & 1;
    }

    Extremes move_scores() { return move_scores(0, n_); }

    Extremes move_scores(std::size_t first, std::size_t end) {
        return simd_.update(scores_of(first, end), change_.get() + first);
    }

    // The scores of some chunks.
    PairScores<T> scores_of(std::size_t first, std::size_t end) {
        return {scores_.data() + first,
                low_.get() + first,
                may_up_.data() + first / kLanes,
                may_low_.data() + first / kLanes,
                end - first,
                chunk_,
                chunk_top_.data() + first / chunk_};
    }

    // Calls pass(part, first, end) for all chunks of samples at once; or where that pays, for parts of them, by idle
    // threads too: every lane has the same bits in any part.
    template <class Pass>
    void in_parts(bool pays, const Pass& pass) {
        if (!pays) return pass(0, 0, n_);
        rows_.spare().run(kStreams, [&](std::size_t i) {
            const auto begin = [&](std::size_t part) { return std::min(n_, n_chunks_ * part / kStreams * chunk_); };
            pass(i, begin(i), begin(i + 1));
        });
    }

    // The effect of moves on all scores: of a working set, or of many samples where rows are streamed. Then they are
    // added to one chunk after the other, so that a chunk stays in the cache.
    Extremes move_scores_by_moves() {
        const bool pays = movers_.size() * n_ >= (rows_.streams() ? kLargeToCompute : kLarge);
        const std::size_t at_once = movers_.size() > rows_.working() ? chunk_ : n_;
        Extremes parts[kStreams];
        std::fill(std::begin(parts), std::end(parts), Extremes{-kInfinity, kInfinity});
        in_parts(pays, [&](std::size_t part, std::size_t first, std::size_t end) {
            for (std::size_t at = first; at < end; at += at_once)
                widen(parts[part], move_chunks_by_moves(part, at, std::min(end, at + at_once)));
        });
        for (const Extremes& part : parts) widen(parts[0], part);
        return parts[0];
    }

    // As many moves at a time as a working set has: sums of more would lose digits in T.
    Extremes move_chunks_by_moves(std::size_t part, std::size_t first, std::size_t end) {
        Extremes now{};
        const T* coef = coef_.data();
        in_lots(movers_, rows_.working(), [&](const std::vector<std::int32_t>& lot) {
            if (rows_.streams()) {
                std::fill(change_.get() + first, change_.get() + end, T(0));
                rows_.add_rows(lot, coef, first, end, change_.get() + first, part);
                now = move_scores(first, end);
            } else {
                std::int32_t slots[kWorking];
                for (std::size_t i = 0; i < lot.size(); ++i) slots[i] = rows_.slot(usize(lot[i]));
                now = simd_.update_by_rows(scores_of(first, end), rows_.rows() + first, n_, slots, coef, lot.size());
            }
            coef += lot.size();
        });
        return now;
    }

    static void widen(Extremes& all, const Extremes& part) {
        all = {std::max(all.top, part.top), std::min(all.bottom, part.bottom)};
    }

    // Scores from lambda alone, in double precision. Terms of both signs come one class after the other and nearly
    // cancel in the end, so what an addition rounds away is added to the next term (Kahan).
    void refresh_scores() {
        scores_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) scores_[k] = p_.sign[k] * p_.target[k];
        start_from_new_scores();
        refined_at_.clear();
        if (std::all_of(lambda_.begin(), lambda_.end(), [](double value) { return value == 0.0; })) return;
        std::vector<double> lost(n_, 0.0);
        std::vector<std::int32_t> lot;
        for (std::size_t k = 0; k <= n_; ++k) {
            if (k < n_ && lambda_[k] != 0.0) lot.push_back(static_cast<std::int32_t>(k));
            if (lot.size() < rows_.working() && k < n_) continue;
            rows_.hold(lot);
            for (const std::int32_t place : lot) {
                const std::size_t a = usize(place);
                const T* row = rows_.row(a);
                const double coef = p_.sign[a] * lambda_[a];
                for (std::size_t l = 0; l < n_; ++l) {
                    const double term = -coef * static_cast<double>(row[l]) - lost[l], sum = scores_[l] + term;
                    lost[l] = (sum - scores_[l]) - term;
                    scores_[l] = sum;
                }
            }
            lot.clear();
        }
    }

    // Scores from lambda with finer kernel values: of the samples that may take part in the gap, and of those of cap 0,
    // whose scores are asked for. (Where that was not enough before, of all samples.)
    void refine_scores(const Extremes& now) {
        margin_ = refinements_ < 2 ? kMargins * hidden() : kInfinity;
        std::vector<std::int32_t> places;
        left_out_.assign(n_, false);
        for (std::size_t k = 0; k < n_; ++k) {
            if (!rows_.is_sample(k)) continue;
            if (p_.cap[k] == 0.0 || distance(k, now) < margin_)
                places.push_back(static_cast<std::int32_t>(k));
            else
                left_out_[k] = true;
        }
        settings_.refine(lambda_, places, scores_);
        start_from_new_scores();
        refined_at_ = lambda_;
        ++refinements_;
    }

    // How far a sample is from taking part in the gap.
    double distance(std::size_t k, const Extremes& now) const {
        return -violation(scores_[k], is_set(may_up_, k), is_set(may_low_, k), now);
    }

    // Whether samples that were left out of the refinement have come too near.
    bool left_out_too_many(const Extremes& now) const {
        if (!is_fine() || drift_ == 0.0) return false;
        for (std::size_t k = 0; k < n_; ++k)
            if (left_out_[k] && distance(k, now) < 0.5 * margin_) return true;
        return false;
    }

    void start_from_new_scores() {
        std::fill(change_.get(), change_.get() + n_, T(0));
        drift_ = 0.0;
    }

    bool is_fine() const { return !refined_at_.empty(); }

    // Whether finer scores would help: there are some, and they are not what we have.
    bool may_refine() const {
        return settings_.refine && error_ > 0 && refinements_ < kMostRefinements && !(is_fine() && drift_ == 0.0);
    }

    // Whether the working set holds all samples, with all their rows: then every step moves all scores.
    bool direct() const { return rows_.keeps_all(); }

    Extremes scores_after_work() {
        if (!direct() && moved_) return move_scores_by_moves();
        std::fill(change_.get(), change_.get() + n_, T(0));
        return move_scores();
    }

    // Whether all kernel values that the last steps used are finite.
    bool rows_are_finite() const {
        if (!direct()) return all_finite(inner_.rows, set_.size() * inner_.n);
        return std::all_of(set_.begin(), set_.end(),
                           [&](std::int32_t place) { return all_finite(rows_.row(usize(place)), n_); });
    }

    // The working set: the strongest candidates to go up, their strongest partners, and members of the previous set.
    // False if there is no candidate, because rounding hides the gap.
    bool choose(const Extremes& now) {
        if (direct()) {
            for (std::size_t k = 0; set_.size() < rows_.n_samples(); ++k)
                if (rows_.is_sample(k)) set_.push_back(static_cast<std::int32_t>(k));
            rows_.hold(set_);
            return true;
        }
        before_.swap(set_);
        open_set(0);
        ++now_;
        offer(chunk_top_, now.bottom, 0.5 * goal_, [&](double best, std::size_t first, std::size_t end) {
            return simd_.find_score(scores_.data(), may_up_.data(), best, first, end);
        });
        set_.resize(members_);
        if (set_.empty()) return false;
        if (!rows_.streams()) rows_.hold(set_);
        find_gains(usize(set_.front()), static_cast<T>(now.top));
        open_set(members_);
        offer(chunk_gain_, 0.0, 0.0, [&](double best, std::size_t first, std::size_t end) {
            return simd_.find(change_.get(), nullptr, static_cast<T>(best), first, end);
        });
        for (const std::int32_t place : before_)
            if (members_ < rows_.working()) add(usize(place));
        set_.resize(members_);
        if (!rows_.streams()) rows_.hold(set_);
        return true;
    }

    // Makes room for a whole working set behind its members so far, and for one sample more.
    void open_set(std::size_t members) {
        members_ = members;
        set_.resize(rows_.working() + 1);
    }

    // What samples that may go low would gain beside sample a, in change_. Its row is held or streamed.
    void find_gains(std::size_t a, T top) {
        std::vector<std::int32_t> alone;
        if (rows_.streams()) alone.push_back(static_cast<std::int32_t>(a));
        const T own = rows_.diagonal()[a], whole = T(1);
        const T floor = std::max(static_cast<T>(inner_.floor), 4 * std::numeric_limits<T>::min());
        in_parts(rows_.streams() && n_ >= kLongRow, [&](std::size_t part, std::size_t first, std::size_t end) {
            T* gains = change_.get() + first;
            const T* row = gains;
            if (rows_.streams()) {
                std::fill(gains, change_.get() + end, T(0));
                rows_.add_rows(alone, &whole, first, end, gains, part);
            } else {
                row = rows_.row(a) + first;
            }
            simd_.gains(low_.get() + first, row, rows_.diagonal() + first, top, own, floor, end - first, chunk_, gains,
                        chunk_gain_.data() + first / chunk_);
        });
    }

    // Adds the best sample of each of the best chunks to the set, while they are above `base` by more than `least`.
    template <class Find>
    void offer(const std::vector<double>& chunk_best, double base, double least, const Find& find) {
        std::size_t best[kMostLargest];
        const std::size_t found =
            simd_.largest_chunks(chunk_best.data(), n_chunks_, base, least, rows_.working() / 4, best);
        for (std::size_t i = 0; i < found; ++i) {
            const std::size_t first = best[i] * chunk_, end = std::min(n_, first + chunk_);
            const std::size_t k = find(chunk_best[best[i]], first, end);
            if (k < end) add(k);
        }
    }

    // A sample that is there already is written, but does not stay: a branch would be left to chance.
    void add(std::size_t k) {
        set_[members_] = static_cast<std::int32_t>(k);
        members_ += stamp_[k] != now_;
        newcomers_ += stamp_[k] == 0;
        stamp_[k] = now_;
    }

    // Solves the working set in at most `most` steps and notes which multipliers moved how far. Returns the number of
    // steps; -1, and moves nothing that counts, if a multiplier is no longer finite.
    std::int64_t work(const Extremes& now, std::int64_t most) {
        if (direct()) return work_directly(now, most);
        const double share = rows_.streams() ? kStreamedShare : kShare;
        return work_in_set(std::max(share * (now.top - now.bottom), 0.5 * goal_), most);
    }

    std::int64_t work_in_set(double enough, std::int64_t most) {
        const std::size_t count = set_.size(), n = padded(count);
        Block& block = *block_;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t k = usize(set_[i]);
            block.sign[i] = p_.sign[k];
            block.cap[i] = p_.cap[k];
            block.lambda[i] = lambda_[k];
            block.scores[i] = scores_[k];
            block.diagonal[i] = rows_.diagonal()[k];
        }
        for (std::size_t i = count; i < n; ++i) {  // may move neither way
            block.cap[i] = block.lambda[i] = block.scores[i] = block.sign[i] = 0.0;
            block.diagonal[i] = T(0);
        }
        gather_block(n);
        inner_.n = inner_.stride = n;
        inner_.rows = block.rows;
        inner_.diagonal = block.diagonal;
        inner_.slot = block.slot;
        inner_.cap = block.cap;
        inner_.sign = block.sign;
        inner_.scores = block.scores;
        inner_.lambda = block.lambda;
        const std::int64_t made = make_steps(enough, std::min(most, 10 * static_cast<std::int64_t>(n)));
        coef_.clear();
        movers_.clear();
        if (!all_finite(block.lambda, count)) return -1;
        for_touched(n, [&](std::size_t i) {
            const std::size_t k = usize(set_[i]);
            if (block.lambda[i] != lambda_[k]) move_to(k, block.lambda[i]);
        });
        moved_ = !coef_.empty();
        return made;
    }

    // Calls visit(k) for the samples that the last steps moved. (To compare all of them would leave a branch to chance
    // for each.)
    template <class Visit>
    void for_touched(std::size_t n, const Visit& visit) const {
        for (std::size_t word = 0; word < (n + 63) / 64; ++word)
            for (std::uint64_t bits = inner_.touched[word]; bits != 0; bits &= bits - 1)
                visit(word * 64 + usize(std::countr_zero(bits)));
    }

    // The kernel between the samples of the working set, n by n, padded with zeros.
    void gather_block(std::size_t n) {
        const std::size_t count = set_.size();
        T* block = block_->rows;
        if (!rows_.streams()) {
            slot_.resize(count);
            for (std::size_t i = 0; i < count; ++i) slot_[i] = rows_.slot(usize(set_[i]));
            simd_.gather(rows_.rows(), n_, slot_.data(), set_.data(), count, n, block);
            return;
        }
        rows_.among(set_, block, n);
        for (std::size_t i = 0; i < count; ++i) std::fill(block + i * n + count, block + (i + 1) * n, T(0));
        std::fill(block + count * n, block + n * n, T(0));
    }

    std::int64_t make_steps(double enough, std::int64_t most) {
        inner_.quick = quick_;
        inner_.tired = false;
        inner_.path = inner_.astray = 0.0;
        std::fill_n(inner_.touched, (inner_.n + 63) / 64, 0);
        const std::int64_t made = simd_.inner(inner_, enough, most);
        if (!inner_.quick || (inner_.tired && made < kFewSteps)) quick_ = false;
        return made;
    }

    // Steps among all samples, each of which moves all scores, in double precision.
    std::int64_t work_directly(const Extremes& now, std::int64_t most) {
        inner_.n = inner_.stride = n_;
        inner_.rows = rows_.rows();
        inner_.diagonal = rows_.diagonal();
        inner_.slot = rows_.slots();
        inner_.cap = p_.cap.data();
        inner_.sign = p_.sign.data();
        inner_.scores = scores_.data();
        inner_.lambda = lambda_.data();
        from_ = lambda_;
        const std::int64_t made = make_steps(kNearGoal * goal_, std::min(most, 10 * static_cast<std::int64_t>(n_)));
        if (!all_finite(lambda_.data(), n_)) return -1;
        moved_ = inner_.path > 0.0;
        slot_.clear();
        moves_.clear();
        for_touched(n_, [&](std::size_t k) {
            note_room(k);
            slot_.push_back(rows_.slot(k));
            moves_.push_back(p_.sign[k] * (lambda_[k] - from_[k]));
        });
        if (inner_.quick) {
            // One rounding in double for each multiplier.
            simd_.move_by(rows_.rows(), n_, slot_.data(), moves_.data(), moves_.size(), n_, scores_.data());
            constexpr double finer = std::numeric_limits<double>::epsilon() / std::numeric_limits<T>::epsilon();
            for (const double moved : moves_) drift_ += square(moved * (finer * largest_));
            return made;
        }
        // Scores move in double, which counts for less where T is coarser. But each step rounds them, and lambda. Where
        // many steps are alike, so are their roundings, which then add up like a straight walk, not like a random one.
        constexpr double coarse = std::numeric_limits<T>::epsilon();
        constexpr double finer = std::numeric_limits<double>::epsilon() / coarse;
        const double size = finer * std::max(std::abs(now.top), std::abs(now.bottom));
        const double random = drift_ + 2.0 * inner_.path * square(finer);
        const double straight = inner_.astray * (largest_ / coarse) + static_cast<double>(made) * size;
        drift_ = square(std::sqrt(random) + straight);
        return made;
    }

    // Moves a multiplier whose row is held or streamed, and notes what that does to scores.
    void move_to(std::size_t k, double lambda) {
        const double moved = lambda - lambda_[k];
        lambda_[k] = lambda;
        note_room(k);
        coef_.push_back(static_cast<T>(p_.sign[k] * moved));
        movers_.push_back(static_cast<std::int32_t>(k));
        drift_ += (moved * largest_) * (moved * largest_);
    }

    // After a window of rounds. converged: go on.
    Status look_back(Extremes& now) {
        if (!all_finite(scores_.data(), n_)) return overflow();  // NaN is neither top nor bottom
        const double gap = now.top - now.bottom;
        if (settings_.finer && (settings_.refine ? far_too_coarse() : hopeless())) return Status::imprecise;
        const auto [objective, rounding] = value();
        if (gap < kSmallerGap * best_gap_ || objective < best_objective_ - rounding) {
            best_gap_ = std::min(gap, best_gap_);
            best_objective_ = std::min(objective, best_objective_);
            idle_ = 0;
        } else if (++idle_ >= (gap < std::max(kReach * noise(), hidden()) ? kLittlePatience : kPatience)) {
            return try_anew(now);
        }
        return Status::converged;
    }

    // Nothing helps with these scores: computes them again, and ends if the objective is not lower than the last time.
    Status try_anew(Extremes& now) {
        refresh_scores();
        now = move_scores();
        const auto [objective, rounding] = value();
        if (!(objective < anew_objective_ - rounding)) return Status::stalled;
        best_gap_ = now.top - now.bottom;
        best_objective_ = anew_objective_ = objective;
        idle_ = unmoved_ = 0;
        return Status::converged;
    }

    // Rounds until the gap is closed, if it goes on falling as in the last window; infinity if it does not fall.
    double rounds_left(const Extremes& now, std::int64_t rounds) {
        const double gap = now.top - now.bottom, before = std::exchange(gap_before_, gap);
        if (!(gap < before && goal_ > 0.0)) return kInfinity;
        return static_cast<double>(rounds - next_free_ + kFreeWindow) * std::log(gap / goal_) / std::log(before / gap);
    }

    // Moves all free samples at once, and those that would leave their bounds, where that costs no more than the rounds
    // since the last time, and no more than those that are left. As long as many would leave their bounds, it is too
    // early. (On Letter, steps shortly before the end took a quarter of the time.)
    void step_all_free(Extremes& now, std::int64_t rounds, double left) {
        std::vector<std::int32_t> places;
        std::size_t leaving = 0;
        const double middle = 0.5 * (now.top + now.bottom);
        for (std::size_t k = 0; k < n_; ++k) {
            const bool up = is_set(may_up_, k), low = is_set(may_low_, k);
            if (!(up && low) && !(up && scores_[k] > middle) && !(low && scores_[k] < middle)) continue;
            places.push_back(static_cast<std::int32_t>(k));
            leaving += !(up && low);
        }
        const double per_round = kFreeShare * static_cast<double>(rows_.working() * (n_ + kStepsAsSamples));
        affordable_ += per_round * static_cast<double>(rounds);
        const double cost = cost_of_first_direction(places.size());
        if (places.size() < 2 || places.size() > kMostFree || std::min(affordable_, per_round * left) < cost) return;
        const bool settled = leaving * kFreePerLeaving <= places.size() || places.size() <= kFewFree;
        if (!settled && affordable_ < kCheap * cost) return;
        FreeSamples free = free_samples(places);
        if (!step_free(free, settings_.kernel_error, std::exchange(affordable_, 0.0), fine_)) return;
        std::vector<double> to = lambda_;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t k = usize(places[i]);
            to[k] = std::abs(free.at[i]);
            if (to[k] > p_.cap[k] * (1 - 1e-15)) to[k] = p_.cap[k];  // as after a step of a pair
        }
        if (balance(to)) move_all(to, now);
    }

    // Moves multipliers, and all scores with them.
    void move_all(const std::vector<double>& to, Extremes& now) {
        if (direct()) {
            lambda_ = to;
            note_all_rooms();
            refresh_scores();
            now = move_scores();
            return;
        }
        std::vector<std::int32_t> movers;
        for (std::size_t k = 0; k < n_; ++k)
            if (to[k] != lambda_[k]) movers.push_back(static_cast<std::int32_t>(k));
        const std::size_t at_once = rows_.streams() ? n_ : rows_.working();
        in_lots(movers, at_once, [&](const std::vector<std::int32_t>& lot) {
            if (!rows_.streams()) rows_.hold(lot);
            coef_.clear();
            movers_.clear();
            for (const std::int32_t k : lot) move_to(usize(k), to[usize(k)]);
            now = move_scores_by_moves();
        });
    }

    FreeSamples free_samples(const std::vector<std::int32_t>& places) {
        const std::size_t n = places.size();
        FreeSamples free(n);
        const auto block = aligned_array<T>(n * free.stride);
        rows_.among(places, block.get(), free.stride);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                free.kernel[i * free.stride + j] = static_cast<double>(block[i * free.stride + j]);
        for (const std::int32_t place : places) {
            const std::size_t k = usize(place);
            free.scores.push_back(scores_[k]);
            free.at.push_back(p_.sign[k] * lambda_[k]);
            free.low.push_back(p_.sign[k] > 0 ? 0.0 : -p_.cap[k]);
            free.high.push_back(p_.sign[k] > 0 ? p_.cap[k] : 0.0);
        }
        return free;
    }

    // Solves for the active samples alone (active_part.hpp), then moves all scores by what came of it. Returns the
    // steps made. The next visit is later if this was of little use, and sooner if it was of much.
    std::int64_t visit_active(Extremes& now, std::int64_t most) {
        // As long as many samples come in for the first time, it is too early.
        const std::int64_t places = visit_interval_ * static_cast<std::int64_t>(rows_.working());
        if (std::exchange(newcomers_, 0) > places / kPlacesPerNewcomer) return 0;
        const auto violates = [&](std::int32_t place) {
            const std::size_t k = usize(place);
            return violation(scores_[k], is_set(may_up_, k), is_set(may_low_, k), now);
        };
        std::vector<std::int32_t> active;
        for (std::int32_t k = 0; k < static_cast<std::int32_t>(n_); ++k)
            if (stamp_[usize(k)] > 0 && violates(k) > 0.0) active.push_back(k);  // of others, the row may not be needed
        const std::size_t n = std::min(active.size(), std::clamp(n_ / 4, kSomeActive, kMostActive));
        if (n < 2 || n > n_ / 2) return 0;
        keep_largest(active, n, violates);
        const std::size_t values = padded(n) * padded(n);
        T* lent = rows_.lend(values);
        ActivePart<T> part(active, rows_, p_, lambda_, scores_, lent ? lent : visited_.at_least(values));
        const double gap = now.top - now.bottom;
        Solver<T, BlockRows<T>> solver(part.problem, part.rows, settings_, std::move(part.start), simd_, fine_, stop_);
        const std::int64_t made = solver.approach(goal_, std::max(kVisitShare * gap, 0.5 * goal_), most);
        rows_.take_back();
        inner_.lowest = std::min(inner_.lowest, solver.lowest_curvature());
        if (made <= 0) {
            visit_interval_ *= 2;
            return 0;
        }
        std::vector<double> to = lambda_;
        for (std::size_t i = 0; i < n; ++i) to[usize(active[i])] = solver.lambda(i);
        move_all(to, now);
        // In steps of a pair: what gathering the block and moving all scores cost, against what short rows saved.
        const bool pays = made >= static_cast<std::int64_t>(4 * n);
        visit_interval_ = pays ? std::max(kFirstVisit, visit_interval_ / 2) : 2 * visit_interval_;
        return made;
    }

    // A step of all free samples leaves a rounding of sum s lambda = 0. One free sample takes it up, the one with the
    // most room. Returns whether it has enough.
    bool balance(std::vector<double>& lambda) const {
        double sum = -total_, lost = 0.0, room = 0.0;
        std::size_t freest = 0;
        for (std::size_t k = 0; k < n_; ++k) {
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

    // The objective, and how much of it rounding may change.
    std::pair<double, double> value() const {
        double objective = 0.0, size = 0.0;
        for (std::size_t k = 0; k < n_; ++k) {
            const double gradient = -p_.sign[k] * scores_[k];
            objective += 0.5 * lambda_[k] * (gradient - p_.target[k]);
            size += 0.5 * lambda_[k] * (std::abs(gradient) + p_.target[k]);
        }
        return {objective, kObjectiveRounding * size + rounding() * (reach() / largest_)};
    }

    // Whether curvatures, sums of four kernel values, cannot overflow.
    bool small_enough(const T* diagonal) const {
        return std::all_of(diagonal, diagonal + n_,
                           [](T v) { return std::abs(v) < std::numeric_limits<T>::max() / 8; });
    }

    // How to end if the rounding of kernel values hides the gap.
    Status too_coarse() const { return settings_.finer ? Status::imprecise : Status::stalled; }

    // Why scores are not finite.
    Status overflow() const {
        return *std::max_element(lambda_.begin(), lambda_.end()) < kHuge ? Status::not_finite : Status::unbounded;
    }

    // Rounding of a score in double precision.
    double noise() const { return std::numeric_limits<double>::epsilon() * (1.0 + reach()); }

    // What multipliers can do to a score: their root of squares, times the largest kernel value. Squares of multipliers
    // alone may leave the range of double.
    double reach() const {
        return reach_of([&](std::size_t k) { return lambda_[k]; });
    }
    // The same of their change since the scores were refined.
    double reach_since() const {
        return reach_of([&](std::size_t k) { return lambda_[k] - refined_at_[k]; });
    }
    template <class Multiplier>
    double reach_of(const Multiplier& multiplier) const {
        double sums[8] = {};  // side by side, as one sum would be a long chain of additions
        for (std::size_t k = 0; k < n_; k += 8)
            for (std::size_t i = 0; i < 8; ++i) sums[i] += square(multiplier(k + i));
        const double all = std::accumulate(sums, sums + 8, 0.0);
        if (all > kLeastSquare && all < kMostSquare) return largest_ * std::sqrt(all);
        double most = 0.0, sum = 0.0;
        for (std::size_t k = 0; k < n_; ++k) most = std::max(most, std::abs(multiplier(k)));
        if (most == 0.0) return 0.0;
        for (std::size_t k = 0; k < n_; ++k) sum += square(multiplier(k) / most);
        return most * largest_ * std::sqrt(sum);
    }

    // Standard error of a score from the rounding of kernel values: their errors add up like a random walk.
    double rounding() const {
        if (!is_fine()) return error_ * reach();
        return std::hypot(error_ * reach_since(), settings_.finer_error / largest_ * reach());
    }

    // How much of the gap rounding may hide.
    double hidden() const { return kGapSigmas * std::hypot(rounding(), lost()); }

    // Error of a score from its updates, because every change of lambda is rounded to T; beyond the error of scores
    // that are computed from lambda, in double precision.
    double lost() const {
        const double anew = std::numeric_limits<double>::epsilon() * reach();
        return std::max(0.0, on_the_way() - 2.0 * anew);
    }
    double on_the_way() const { return std::numeric_limits<T>::epsilon() * std::sqrt(drift_); }

    bool stale() const { return on_the_way() > 0.05 * settings_.tol && lost() > 0.05 * settings_.tol; }

    bool hopeless() const { return error_ > 0 && 1.5 * kGapSigmas * rounding() > settings_.tol; }

    bool far_too_coarse() const { return rounding() > kFarTooCoarse * settings_.tol; }

    // True when more steps with these kernel values would not help: the gap is closed even with its rounding added, or
    // the rounding alone is too large.
    bool precise(const Extremes& now) {
        coarse_ = hopeless();
        return coarse_ || now.top - now.bottom + hidden() < settings_.tol;
    }

    // Where the user sets none: five times LIBSVM's limit, which is for one step per pass over the samples, as steps
    // inside a working set are cheaper, but more are needed. Small problems that are not done much sooner never are:
    // their kernel values are too large beside their caps for the digits of double.
    std::int64_t limit() const {
        if (settings_.max_iter >= 0) return settings_.max_iter;
        const auto n = static_cast<std::int64_t>(n_);
        return std::clamp<std::int64_t>(5'000 * n, 2'000'000, std::max<std::int64_t>(50'000'000, 500 * n));
    }

    Solution finish(const Extremes& now, std::int64_t iterations, Status status) {
        Solution s;
        s.iterations = iterations;
        s.indefinite = inner_.lowest < -std::sqrt(std::numeric_limits<T>::epsilon()) * largest_;
        if (!all_finite(scores_.data(), n_)) status = overflow();
        s.status = status;
        if (status == Status::not_finite || status == Status::unbounded) return with_zeros(std::move(s));
        double free_sum = 0;
        std::int64_t n_free = 0;
        for (std::size_t k = 0; k < n_; ++k) {  // without branches: which samples are free is left to chance
            const double gradient = -p_.sign[k] * scores_[k];
            const bool is_free = (lambda_[k] > 0.0) & (lambda_[k] < p_.cap[k]);
            s.objective += 0.5 * lambda_[k] * (gradient - p_.target[k]);
            s.norm2 += lambda_[k] * (gradient + p_.target[k]);
            free_sum += is_free ? scores_[k] : 0.0;
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
        s.lambda = std::move(lambda_);
        s.scores = std::move(scores_);
        s.drift = drift_;
        return s;
    }

    // The start, so that no infinite number goes on from here.
    Solution with_zeros(Solution s) const {
        s.lambda.assign(n_, 0.0);
        for (std::size_t k = 0; k < n_; ++k) s.scores.push_back(p_.sign[k] * p_.target[k]);
        s.gap = kInfinity;
        return s;
    }

    const BoxProblem& p_;
    Rows& rows_;
    const SolverSettings& settings_;
    const Simd<T>& simd_;
    const Simd<double>& fine_;
    Stop& stop_;
    std::size_t n_, chunk_;
    std::vector<double> lambda_, scores_;
    Aligned<T> low_;     // scores of the samples that may go down, +inf for the others
    Aligned<T> change_;  // what the last working set subtracts from the scores; in choose(), gains
    std::vector<std::uint16_t> may_up_, may_low_;  // a bit per sample
    std::size_t n_chunks_;
    std::vector<double> chunk_top_, chunk_gain_;
    std::vector<T> coef_;
    std::vector<std::int32_t> set_, before_, movers_, slot_;
    std::vector<double> from_, moves_;  // where small tasks: lambda before the last steps, and how far s lambda moved
    bool quick_ = sizeof(T) == sizeof(float);  // whether steps may round scores to single precision
    std::vector<std::int64_t> stamp_;          // the round in which a sample was last in the set
    std::int64_t now_ = 0;
    std::size_t members_ = 0;         // of the set, while it is chosen
    std::vector<double> refined_at_;  // lambda when scores were refined; empty if they are not
    std::vector<bool> left_out_;      // of the refinement, as they were farther than this from the gap
    double margin_ = 0.0;
    int refinements_ = 0;
    double drift_, goal_;
    double largest_, error_;  // the largest kernel value, and the error of one as a share of it
    Inner<T> inner_;
    // A working set, and its block of the kernel.
    struct Block {
        alignas(64) T rows[kWorking * kWorking], diagonal[kWorking];
        alignas(64) double scores[kWorking];
        double lambda[kWorking], cap[kWorking], sign[kWorking];
        std::int32_t slot[kWorking];
    };
    std::unique_ptr<Block> block_;  // null where the working set holds all samples
    bool moved_ = false, coarse_ = false;
    std::int64_t next_look_ = kWindow;  // the round

    // What look_back() compares with.
    double best_gap_ = kInfinity, best_objective_ = kInfinity, anew_objective_ = kInfinity;
    int idle_ = 0, unmoved_ = 0;            // windows without progress; rounds that moved nothing
    double total_ = 0.0;                    // sum s lambda, of which the other samples of a part have the opposite
    double affordable_ = 0.0;               // products for a step of all free samples
    std::int64_t next_free_ = kFreeWindow;  // the round to make one
    double gap_before_ = kInfinity;         // at the start of the window
    // The round at which to visit the active samples, and how many rounds later to do it again.
    std::int64_t next_visit_ = n_ >= kManySamples ? kFirstVisit : std::numeric_limits<std::int64_t>::max(),
                 visit_interval_ = kFirstVisit;
    std::int64_t newcomers_ = 0;  // samples that were in a working set for the first time, since then
    Buffer<T> visited_;           // rows of the active samples, where other rows have too little memory to lend
};

}  // namespace

template <class T>
Solution solve(const BoxProblem& problem, TaskRows<T>& rows, const SolverSettings& settings, Start start,
               const Simd<T>& simd, const Simd<double>& fine, Stop& stop) {
    return Solver<T>(problem, rows, settings, std::move(start), simd, fine, stop).run();
}

template Solution solve<float>(const BoxProblem&, TaskRows<float>&, const SolverSettings&, Start, const Simd<float>&,
                               const Simd<double>&, Stop&);
template Solution solve<double>(const BoxProblem&, TaskRows<double>&, const SolverSettings&, Start, const Simd<double>&,
                                const Simd<double>&, Stop&);

}  // namespace dagmar
