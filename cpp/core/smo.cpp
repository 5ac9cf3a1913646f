#include "smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dagmar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
class Solver {
   public:
    Solver(const Problem& problem, TaskRows<T>& rows, const Settings& settings, const std::vector<double>& start,
           const Simd<T>& simd, Stop& stop)
        : p_(problem), rows_(rows), settings_(settings), simd_(simd), stop_(stop), n_(rows.n()),
          lambda_(start.empty() ? std::vector<double>(n_, 0.0) : start),
          scores_(aligned_array<double>(n_)), low_(aligned_array<T>(n_)), up_bar_(aligned_array<double>(n_)), low_bar_(aligned_array<double>(n_)) {
        for (std::size_t k = 0; k < n_; ++k) {
            scores_[k] = p_.sign[k] * p_.target[k];
            place_bars(k);
        }
    }

    Solution run() {
        start_scores();
        Extremes now = move_scores(no_row(), no_row(), 0.0);
        std::int64_t iteration = 0;
        Status status = Status::converged;
        for (;; ++iteration) {
            if (now.top - now.bottom < settings_.tol && precise(now)) break;
            if (iteration == limit()) { status = Status::max_iter; break; }
            if (iteration % 1024 == 1023 && hopeless()) { status = Status::imprecise; break; }
            if (stop_.requested(64)) { status = Status::interrupted; break; }

            const std::size_t a = static_cast<std::size_t>(now.up);
            need(a, now);
            const T* row_a = rows_.row(a);
            const std::ptrdiff_t low = simd_.partner(low_.get(), row_a, rows_.diagonal(), static_cast<T>(now.top),
                                                     rows_.diagonal()[a], n_);
            if (low < 0) {  // no sample is below top by more than T can tell
                status = settings_.kernel_error > 0 ? Status::imprecise : Status::converged;
                break;
            }
            const std::size_t b = static_cast<std::size_t>(low);
            need(b, now);
            const T* row_b = rows_.row(b);
            const double delta = step(a, b, row_a);
            place_bars(a);
            place_bars(b);
            now = move_scores(row_a, row_b, delta);
        }
        // The kernel is too coarse when the gap closed in it while its own rounding is of the size of tol.
        if (status == Status::converged && coarse_) status = Status::imprecise;
        return finish(now, iteration, status);
    }

   private:
    // Moves lambda along the pair as far as the curvature, or a bound, allows; a bound is hit exactly.
    double step(std::size_t a, std::size_t b, const T* row_a) {
        const double curvature = std::max(static_cast<double>(rows_.diagonal()[a]) + static_cast<double>(rows_.diagonal()[b]) -
                                              2.0 * static_cast<double>(row_a[b]), 1e-12);
        const double room_a = p_.sign[a] > 0 ? p_.cap[a] - lambda_[a] : lambda_[a];
        const double room_b = p_.sign[b] > 0 ? lambda_[b] : p_.cap[b] - lambda_[b];
        const double delta = std::min({(scores_[a] - scores_[b]) / curvature, room_a, room_b});
        lambda_[a] = delta == room_a ? (p_.sign[a] > 0 ? p_.cap[a] : 0.0) : lambda_[a] + p_.sign[a] * delta;
        lambda_[b] = delta == room_b ? (p_.sign[b] > 0 ? 0.0 : p_.cap[b]) : lambda_[b] - p_.sign[b] * delta;
        return delta;
    }

    void place_bars(std::size_t k) {
        const bool may_grow = lambda_[k] < p_.cap[k], may_shrink = lambda_[k] > 0.0;
        const bool up = p_.sign[k] > 0 ? may_grow : may_shrink, low = p_.sign[k] > 0 ? may_shrink : may_grow;
        up_bar_[k] = up ? 0.0 : -kInfinity;
        low_bar_[k] = low ? 0.0 : kInfinity;
    }

    Extremes move_scores(const T* row_a, const T* row_b, double delta) {
        return simd_.update(scores_.get(), low_.get(), row_a, row_b, delta, up_bar_.get(), low_bar_.get(), n_);
    }

    // Any readable row will do where nothing moves.
    const T* no_row() const { return rows_.diagonal(); }

    // Scores of a given start: one row per sample that is not at zero.
    void start_scores() {
        for (std::size_t k = 0; k < n_; ++k) {
            if (lambda_[k] == 0.0) continue;
            if (!rows_.has(k)) rows_.fetch({static_cast<std::int32_t>(k)});
            const T* row = rows_.row(k);
            const double coef = p_.sign[k] * lambda_[k];
            for (std::size_t l = 0; l < n_; ++l) scores_[l] -= coef * static_cast<double>(row[l]);
        }
    }

    // Row k and, where rows are cheaper together, those of the samples that violate most: the likely next ones.
    void need(std::size_t k, const Extremes& now) {
        if (rows_.has(k)) return;
        batch_.assign(1, static_cast<std::int32_t>(k));
        if (rows_.batch() > 1) {
            likely_.clear();
            for (std::size_t l = 0; l < n_; ++l) {
                if (l == k || rows_.has(l)) continue;
                const double violation = std::max(scores_[l] + up_bar_[l] - now.bottom, now.top - (scores_[l] + low_bar_[l]));
                if (violation > settings_.tol) likely_.emplace_back(-violation, static_cast<std::int32_t>(l));
            }
            const std::size_t extra = std::min(rows_.batch() - 1, likely_.size());
            std::nth_element(likely_.begin(), likely_.begin() + static_cast<std::ptrdiff_t>(extra), likely_.end());
            for (std::size_t i = 0; i < extra; ++i) batch_.push_back(likely_[i].second);
        }
        rows_.fetch(batch_);
    }

    // What the rounding of kernel values may do to a score: their errors add up like a random walk.
    double rounding() const {
        double squares = 0;
        for (const double l : lambda_) squares += l * l;
        return settings_.kernel_error * std::sqrt(squares);
    }

    bool hopeless() const { return settings_.kernel_error > 0 && 4.0 * rounding() > settings_.tol; }

    // True when iterating further in these kernel values would not help: the gap closed with its rounding added, or the
    // rounding alone is too large.
    bool precise(const Extremes& now) {
        if (settings_.kernel_error == 0) return true;
        coarse_ = hopeless();
        return coarse_ || now.top - now.bottom + 2.0 * rounding() < settings_.tol;
    }

    // LIBSVM's own limit where the user sets none; only a problem without a finite optimum comes near it.
    std::int64_t limit() const {
        return settings_.max_iter >= 0 ? settings_.max_iter : std::max<std::int64_t>(10'000'000, 100 * static_cast<std::int64_t>(n_));
    }

    Solution finish(const Extremes& now, std::int64_t iterations, Status status) {
        Solution s;
        double free_sum = 0;
        std::int64_t n_free = 0;
        for (std::size_t k = 0; k < n_; ++k) {
            if (lambda_[k] == 0.0) continue;
            const double gradient = -p_.sign[k] * scores_[k];
            s.objective += 0.5 * lambda_[k] * (gradient - p_.target[k]);
            s.norm2 += lambda_[k] * (gradient + p_.target[k]);
            if (lambda_[k] < p_.cap[k]) {
                free_sum += scores_[k];
                ++n_free;
            }
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
        s.iterations = iterations;
        s.status = status;
        return s;
    }

    const Problem& p_;
    TaskRows<T>& rows_;
    const Settings& settings_;
    const Simd<T>& simd_;
    Stop& stop_;
    std::size_t n_;
    std::vector<double> lambda_;
    Aligned<double> scores_;
    Aligned<T> low_;  // scores of the samples that may go down, +inf for the others
    Aligned<double> up_bar_, low_bar_;
    std::vector<std::int32_t> batch_;
    std::vector<std::pair<double, std::int32_t>> likely_;
    bool coarse_ = false;
};

}  // namespace

template <class T>
Solution solve(const Problem& problem, TaskRows<T>& rows, const Settings& settings, const std::vector<double>& start,
               const Simd<T>& simd, Stop& stop) {
    return Solver<T>(problem, rows, settings, start, simd, stop).run();
}

template Solution solve<float>(const Problem&, TaskRows<float>&, const Settings&, const std::vector<double>&,
                               const Simd<float>&, Stop&);
template Solution solve<double>(const Problem&, TaskRows<double>&, const Settings&, const std::vector<double>&,
                                const Simd<double>&, Stop&);

}  // namespace dagmar
