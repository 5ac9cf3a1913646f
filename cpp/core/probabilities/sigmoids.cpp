#include "probabilities/sigmoids.hpp"

#include <algorithm>
#include <limits>

#include "base/integers.hpp"
#include "base/memory.hpp"

namespace dagmar {
namespace {

constexpr int kMostSteps = 100;
// A machine is finished when its gradient, per sample, is below this.
constexpr double kFlat = 1e-8;
// Keeps a step finite if all values of a machine are equal; relative to the other entry of the Hessian.
constexpr double kRidge = 1e-12;
// A step must improve the loss by this share of what the gradient promises. If none above kShortest does, the fit has
// ended.
constexpr double kEnough = 1e-4, kShortest = 1e-10;
// Beyond this exponent a probability is 0 or 1 but for rounding, and exp is still finite.
constexpr double kFarthest = 500.0;
// Losses that differ relatively by less than this are equal but for rounding.
constexpr double kRounding = 1e-14;

// The fit of one machine after the other, in memory that is used again.
class SigmoidFit {
   public:
    explicit SigmoidFit(Level level) : functions_(probability_functions(level)) {}

    Line fit(const HeldOut& of, std::size_t begin, std::size_t end) {
        double total = 0, n_positive = 0, largest = 0;
        for (std::size_t i = begin; i < end; ++i) {
            total += of.weight[i];
            if (of.positive[i]) n_positive += of.weight[i];
            largest = std::max(largest, std::abs(of.value[i]));
        }
        if (!(total > 0)) return {0.0, 0.0};
        const double n_negative = total - n_positive, scale = largest == 0 ? 1.0 : largest;
        const std::size_t n = padded(end - begin);
        double *value = memory_.at_least(4 * n), *target = value + n, *weight = target + n;
        p_ = weight + n;
        std::fill(value, p_, 0.0);
        for (std::size_t i = begin; i < end; ++i) {
            value[i - begin] = of.value[i] / scale;
            target[i - begin] = of.positive[i] ? (n_positive + 1) / (n_positive + 2) : 1 / (n_negative + 2);
            weight[i - begin] = of.weight[i];
        }
        const Line found =
            minimise({value, target, weight, n}, {0.0, std::log((n_negative + 1) / (n_positive + 1))}, total);
        return {found.slope / scale, found.offset};
    }

   private:
    Line minimise(const HeldOutValues& of, Line now, double total) {
        double loss = functions_.log_loss(of, now, kFarthest, p_);
        for (int k = 0; k < kMostSteps; ++k) {
            const SigmoidSums g = functions_.sums(of, p_);
            if (!(std::max(std::abs(g.of_value), std::abs(g.residual)) > kFlat * total)) break;
            // The Hessian is diagonal if values are measured from their mean, weighted by curvature. So nothing
            // cancels.
            const double h_offset = std::max(g.curvature, std::numeric_limits<double>::min());
            const double mean = g.curvature_of_value / h_offset;
            const CentredSums centred = functions_.centred_sums(of, p_, mean);
            const double h_slope = centred.curvature + kRidge * h_offset;
            const double by_slope = -centred.residual / h_slope, by_offset = -g.residual / h_offset - mean * by_slope;
            const double enough =
                kEnough * (centred.residual * centred.residual / h_slope + g.residual * g.residual / h_offset);
            // A step must improve the loss; it is halved until it does.
            double step = 1.0;
            while (true) {
                const Line there{now.slope + step * by_slope, now.offset + step * by_offset};
                const double tried = functions_.log_loss(of, there, kFarthest, p_);
                if (!(tried > loss - step * enough + kRounding * loss)) {
                    now = there;
                    loss = tried;
                    break;
                }
                step /= 2;
                if (step <= kShortest / 2) return now;
            }
        }
        return now;
    }

    const ProbabilityFunctions& functions_;
    Buffer<double> memory_;
    double* p_ = nullptr;  // the probability of each value
};

}  // namespace

std::vector<Line> fit_sigmoids(const HeldOut& values, Level level, const Threads& threads) {
    const std::size_t n = values.begin.size() - 1;
    std::vector<Line> lines(n);
    constexpr std::size_t at_once = 16;  // machines
    share_out(n, at_once, threads, [&](std::size_t begin, std::size_t end) {
        SigmoidFit fit(level);
        for (std::size_t m = begin; m < end; ++m)
            lines[m] = fit.fit(values, usize(values.begin[m]), usize(values.begin[m + 1]));
    });
    return lines;
}

}  // namespace dagmar
