#include "free_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dagmar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A direction whose sum is above this share of its sizes is rounding.
constexpr double kBalance = 1e-9;
constexpr double kUnit = std::numeric_limits<double>::epsilon();

// K = U' U for some of the samples, plus a ridge that is as large as the rounding of K: without it, directions in which
// K is flat but for rounding would be chosen by that rounding.
class Factor {
   public:
    Factor(const FreeSamples& free, const std::vector<std::size_t>& members) : n_(members.size()), u_(n_ * n_) {
        const double ridge = 4.0 * kUnit * static_cast<double>(n_);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = i; j < n_; ++j) u_[i * n_ + j] = free.kernel[members[i] * free.n() + members[j]];
        double largest = 0.0;
        for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, u_[i * n_ + i]);
        if (largest == 0.0) largest = 1.0;
        // Samples of no length have a ridge, too: they are flat in every direction.
        for (std::size_t i = 0; i < n_; ++i) u_[i * n_ + i] += ridge * std::max(u_[i * n_ + i], kUnit * largest);
        for (std::size_t k = 0; k < n_; ++k) {
            double* row = u_.data() + k * n_;
            // A pivot that is not positive belongs to a kernel that is not positive definite. Its sample does not move.
            const double pivot = row[k] > 0.0 ? std::sqrt(row[k]) : kInfinity;
            row[k] = pivot;
            for (std::size_t j = k + 1; j < n_; ++j) row[j] /= pivot;
            for (std::size_t i = k + 1; i < n_; ++i) {
                double* below = u_.data() + i * n_;
                const double factor = row[i];
                for (std::size_t j = i; j < n_; ++j) below[j] -= factor * row[j];
            }
        }
    }

    // Solves K x = b, in place.
    void solve(std::vector<double>& b) const {
        for (std::size_t k = 0; k < n_; ++k) {
            const double* row = u_.data() + k * n_;
            b[k] /= row[k];
            for (std::size_t j = k + 1; j < n_; ++j) b[j] -= row[j] * b[k];
        }
        for (std::size_t k = n_; k-- > 0;) {
            const double* row = u_.data() + k * n_;
            for (std::size_t j = k + 1; j < n_; ++j) b[k] -= row[j] * b[j];
            b[k] /= row[k];
        }
    }

   private:
    std::size_t n_;
    std::vector<double> u_;
};

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double sum_of_sizes(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0, [](double sum, double v) { return sum + std::abs(v); });
}

// The direction of these samples, whose sum is zero.
std::vector<double> direction(const FreeSamples& free, const std::vector<std::size_t>& members) {
    const Factor factor(free, members);
    std::vector<double> step, ones(members.size(), 1.0);
    for (const std::size_t m : members) step.push_back(free.scores[m]);
    factor.solve(step);
    factor.solve(ones);
    const double mu = sum_of(step) / sum_of(ones);
    for (std::size_t i = 0; i < step.size(); ++i) step[i] -= mu * ones[i];
    return step;
}

}  // namespace

void step_free(FreeSamples& free, double kernel_error, double operations) {
    const std::size_t n = free.n();
    std::vector<std::size_t> members(n);
    std::iota(members.begin(), members.end(), std::size_t{0});
    std::vector<double> change(n);
    while (members.size() > 1) {
        const std::vector<double> step = direction(free, members);
        double slope = 0.0, curvature = 0.0, size = 0.0, squares = 0.0, room = kInfinity;
        std::fill(change.begin(), change.end(), 0.0);
        for (std::size_t i = 0; i < step.size(); ++i) {
            const double* row = free.kernel.data() + members[i] * n;
            for (std::size_t k = 0; k < n; ++k) change[k] += step[i] * row[k];
        }
        for (std::size_t i = 0; i < step.size(); ++i) {
            const std::size_t m = members[i];
            slope += step[i] * free.scores[m];
            curvature += step[i] * change[m];
            squares += step[i] * kernel_error * step[i];  // in this order they stay within range
            size += std::abs(step[i]) * std::sqrt(std::abs(free.kernel[m * n + m]));
            if (step[i] != 0.0)
                room = std::min(room, ((step[i] > 0 ? free.high[m] : free.low[m]) - free.at[m]) / step[i]);
        }
        if (!(slope > 0.0) || !std::isfinite(slope) || !std::isfinite(size)) return;
        if (std::abs(sum_of(step)) > kBalance * sum_of_sizes(step)) return;
        // What is left of a sum of terms that cancel to their rounding is no curvature. Within this one, the objective
        // falls by four times its error.
        const double least = std::max(kUnit * size * size, 8.0 * squares);
        const double length = std::min(room, slope / std::max(curvature, least));
        if (!std::isfinite(length)) return;
        std::vector<std::size_t> inside;
        for (std::size_t i = 0; i < step.size(); ++i) {
            const std::size_t m = members[i];
            const double bound = step[i] > 0 ? free.high[m] : free.low[m];
            const bool meets = step[i] != 0.0 && (bound - free.at[m]) / step[i] <= length * (1.0 + 4.0 * kUnit);
            free.at[m] = meets ? bound : free.at[m] + length * step[i];
            if (!meets) inside.push_back(m);
        }
        for (std::size_t k = 0; k < n; ++k) free.scores[k] -= length * change[k];
        operations -= cost_of_direction(members.size());
        if (length < room || operations < cost_of_direction(inside.size())) return;
        members.swap(inside);
    }
}

}  // namespace dagmar
