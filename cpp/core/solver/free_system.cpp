#include "solver/free_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/integers.hpp"

namespace dagmar {
namespace {

// A direction whose sum is above this share of its sizes is rounding.
constexpr double kBalance = 1e-9;
constexpr double kUnit = std::numeric_limits<double>::epsilon();

// K = U' U for some of the samples, plus a ridge that is as large as the rounding of K: without it, directions in which
// K is flat but for rounding would be chosen by that rounding.
class Factor {
   public:
    Factor(const FreeSamples& free, const std::vector<std::int32_t>& members, const Simd<double>& simd)
        : simd_(&simd), n_(members.size()), stride_(padded(n_) + kApart), u_(zeroed_array<double>(n_ * stride_)) {
        const double ridge = 4.0 * kUnit * static_cast<double>(n_);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = i; j < n_; ++j) row(i)[j] = free.row(usize(members[i]))[usize(members[j])];
        double largest = 0.0;
        for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, row(i)[i]);
        if (largest == 0.0) largest = 1.0;
        // Samples of no length have a ridge, too: they are flat in every direction.
        for (std::size_t i = 0; i < n_; ++i) row(i)[i] += ridge * std::max(row(i)[i], kUnit * largest);
        is_definite_ = simd_->factor(u_.get(), n_, stride_);
    }

    // Solves K x = b and K x = c, in place.
    void solve(std::vector<double>& b, std::vector<double>& c) const {
        for (auto* side : {&b, &c}) side->resize(stride_, 0.0);
        simd_->solve_two(u_.get(), n_, stride_, b.data(), c.data());
        for (auto* side : {&b, &c}) side->resize(n_);
    }

    void remove(std::size_t sample) { simd_->take_out(u_.get(), n_--, stride_, sample); }

    // Only then can samples be taken out.
    bool is_definite() const { return is_definite_; }

   private:
    // Rows of a power of two would share few places of the caches.
    static constexpr std::size_t kApart = kLanes;

    double* row(std::size_t k) { return u_.get() + k * stride_; }

    const Simd<double>* simd_;
    std::size_t n_, stride_;
    Aligned<double> u_;
    bool is_definite_ = true;
};

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double sum_of_sizes(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0, [](double sum, double v) { return sum + std::abs(v); });
}

// The direction of these samples, whose sum is zero.
std::vector<double> direction(const FreeSamples& free, const std::vector<std::int32_t>& members, const Factor& factor) {
    std::vector<double> step, ones(members.size(), 1.0);
    for (const std::int32_t m : members) step.push_back(free.scores[usize(m)]);
    factor.solve(step, ones);
    const double mu = sum_of(step) / sum_of(ones);
    for (std::size_t i = 0; i < step.size(); ++i) step[i] -= mu * ones[i];
    return step;
}

// Where the members would be after a step of this length if each stayed within its bounds, and all of them were moved
// by the same amount so that their sum stays what it is.
std::vector<double> within_bounds(const FreeSamples& free, const std::vector<std::int32_t>& members,
                                  const std::vector<double>& step, double length) {
    double most = 0.0, sum = 0.0, size = 0.0, between = 0.0;
    for (std::size_t i = 0; i < step.size(); ++i) {
        most = std::max(most, length * std::abs(step[i]));
        sum += free.at[usize(members[i])];
        size += std::abs(free.at[usize(members[i])]);
    }
    std::vector<double> to(step.size());
    const auto excess = [&](double shift) {
        double all = -sum;
        between = 0.0;
        for (std::size_t i = 0; i < step.size(); ++i) {
            const std::size_t m = usize(members[i]);
            to[i] = std::clamp(free.at[m] + (length * step[i] - shift), free.low[m], free.high[m]);
            all += to[i];
            between += to[i] > free.low[m] && to[i] < free.high[m];
        }
        return all;
    };
    // The excess falls with the shift, in straight pieces, as steeply as there are members between their bounds:
    // Newton's steps find its zero in a few, or else halving the interval does.
    double below = -most, above = most, shift = 0.0;
    for (int tries = 0; tries < 60; ++tries) {
        const double all = excess(shift);
        if (std::abs(all) <= kUnit * size) break;
        (all > 0.0 ? below : above) = shift;
        shift += all / std::max(1.0, between);
        if (!(shift > below && shift < above)) shift = 0.5 * (below + above);
    }
    return to;
}

// Some members' moves, what they do to all scores, and by how much the objective falls.
struct Move {
    std::vector<double> to, change;
    double gain = 0.0;
};

Move move_to(const FreeSamples& free, const std::vector<std::int32_t>& members, std::vector<double> to,
             const Simd<double>& simd) {
    Move move{std::move(to), std::vector<double>(free.stride, 0.0)};
    std::vector<double> by(members.size());
    for (std::size_t i = 0; i < by.size(); ++i) by[i] = move.to[i] - free.at[usize(members[i])];
    simd.weighted_rows(free.kernel.get(), free.stride, members.data(), by.data(), by.size(), free.stride,
                       move.change.data());
    for (std::size_t i = 0; i < by.size(); ++i) {
        const std::size_t m = usize(members[i]);
        move.gain += by[i] * (free.scores[m] - 0.5 * move.change[m]);
    }
    return move;
}

}  // namespace

bool step_free(FreeSamples& free, double kernel_error, double products, const Simd<double>& simd) {
    std::vector<std::int32_t> members(free.n());
    std::iota(members.begin(), members.end(), 0);
    Factor factor(free, members, simd);
    products -= cost_of_first_direction(members.size());
    double gained = 0.0, rounding = 0.0;
    while (members.size() > 1) {
        const std::vector<double> step = direction(free, members, factor);
        std::vector<double> change(free.stride, 0.0);
        simd.weighted_rows(free.kernel.get(), free.stride, members.data(), step.data(), step.size(), free.stride,
                           change.data());
        double slope = 0.0, curvature = 0.0, size = 0.0, squares = 0.0;
        double room = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < step.size(); ++i) {
            const std::size_t m = usize(members[i]);
            slope += step[i] * free.scores[m];
            curvature += step[i] * change[m];
            squares += step[i] * kernel_error * step[i];  // in this order they stay within range
            size += std::abs(step[i]) * std::sqrt(std::abs(free.row(m)[m]));
            if (step[i] != 0.0)
                room = std::min(room, ((step[i] > 0 ? free.high[m] : free.low[m]) - free.at[m]) / step[i]);
        }
        if (!(slope > 0.0) || !std::isfinite(slope) || !std::isfinite(size)) break;
        if (std::abs(sum_of(step)) > kBalance * sum_of_sizes(step)) break;
        // What is left of a sum of terms that cancel to their rounding is no curvature. Within this one, the objective
        // falls by four times its error.
        const double least = std::max(kUnit * size * size, 8.0 * squares);
        const double whole = slope / std::max(curvature, least), length = std::min(room, whole);
        if (!std::isfinite(length)) break;
        std::vector<double> to(step.size());
        for (std::size_t i = 0; i < step.size(); ++i) {
            const std::size_t m = usize(members[i]);
            const double bound = step[i] > 0 ? free.high[m] : free.low[m];
            const bool meets = step[i] != 0.0 && (bound - free.at[m]) / step[i] <= length * (1.0 + 4.0 * kUnit);
            to[i] = meets ? bound : free.at[m] + length * step[i];
        }
        double best = length * (slope - 0.5 * length * curvature);
        for (double& value : change) value *= length;
        const bool ends = length < room;
        for (const double share : {1.0, 0.3, 0.1}) {
            if (!(share * whole > room) || !std::isfinite(whole)) break;
            Move further = move_to(free, members, within_bounds(free, members, step, share * whole), simd);
            if (!(further.gain > best)) continue;
            best = further.gain;
            to = std::move(further.to);
            change = std::move(further.change);
            break;
        }
        std::vector<std::int32_t> inside;
        std::vector<std::size_t> met;
        for (std::size_t i = 0; i < step.size(); ++i) {
            const std::size_t m = usize(members[i]);
            rounding += kUnit * std::abs(to[i] - free.at[m]) * std::abs(free.scores[m]);
            free.at[m] = to[i];
            if (to[i] == free.low[m] || to[i] == free.high[m])
                met.push_back(i);
            else
                inside.push_back(members[i]);
        }
        for (std::size_t k = 0; k < free.n(); ++k) free.scores[k] -= change[k];
        gained += best;
        const bool again = !factor.is_definite();
        products -= again ? cost_of_first_direction(inside.size()) : cost_of_direction(inside.size());
        if (ends || products < 0.0) break;
        members.swap(inside);
        if (again)
            factor = Factor(free, members, simd);
        else
            for (std::size_t i = met.size(); i-- > 0;) factor.remove(met[i]);
    }
    return gained > 4.0 * rounding;
}

}  // namespace dagmar
