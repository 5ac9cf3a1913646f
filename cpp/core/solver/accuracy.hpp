// How accurate scores are, and whether that is enough for `tol`: functions of a few numbers.
//
// Kernel values are rounded, in double too, and so is every move of a score. The solver adds what this may hide to the
// gap before it calls a machine converged. If single precision hides too much, scores are refined once the gap is
// closed: computed from lambda with kernel values in double, which are not kept. From then on the rounding of kernel
// values counts only for the change of lambda, and the solver goes on in single precision. If even that is too coarse,
// it hands over to a solver in double.
//
// Errors of kernel values need not be independent. If values of a class have the same last digits, they are rounded the
// same way, and the errors of scores grow with the sum of the multipliers instead of the root of their squares. So if
// such a bias could matter, errors of scores are measured: some scores are computed in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace dagmar {

// The gap is a difference between the extremes of many scores, and rounding biases it low: allow this many standard
// errors.
constexpr double kGapSigmas = 4.0;
// Kernel values are too coarse if this many standard errors of their rounding alone exceed tol: then more steps do not
// help. (Half as many again as for the gap, as a reserve.)
constexpr double kHopelessSigmas = 1.5 * kGapSigmas;

// What the error of scores follows from.
struct Footing {
    double reach = 0;      // what multipliers can do to a score: root of their squares, times the largest kernel value
    double since = 0;      // the same for their change since scores were refined
    bool refined = false;  // whether scores were refined
    double drift2 = 0;     // squared errors of all moves of scores since they were computed
    double sum = 0;        // of multipliers (of their change, if scores were refined), times the largest kernel value
};

class Accuracy {
   public:
    // largest: the largest kernel value. measurable: whether errors of scores can be measured.
    Accuracy(double tol, double kernel_error, double finer_error, double largest, bool measurable = false)
        : tol_(tol), error_(kernel_error / largest), finer_error_(finer_error / largest),
          bias_(measurable ? kCommon * error_ : 0.0), measurable_(measurable) {}

    // Whether errors of scores must be measured before these scores can end the solver: what kernel errors may
    // have in common could hide something, and nothing is known about multipliers this large. Measuring takes as long
    // as some 64 kernel rows: with few samples, closing the gap further takes less.
    bool must_measure(const Footing& f, std::size_t n_samples) const {
        const double little = n_samples < kFewSamples ? kSomeBias : kLittleBias;
        return measurable_ && !f.refined &&
               (measured_ == 0.0 ? bias_ * f.sum > little * tol_ : f.sum > kGrowth * measured_);
    }
    // Takes over what was measured: by how much the errors of the two signs differ in the mean, and their standard
    // error otherwise. Kernel errors are about two standard errors, so that is what `error_` is here, too. It is never
    // lowered: a few scores may miss samples near each other, whose errors are the largest.
    void measured(const Footing& f, double difference, double spread) {
        error_ = std::max(error_, 2.0 * spread / f.reach);
        bias_ = difference / f.sum;
        measured_ = f.sum;
    }

    // Whether kernel values have an error at all; those that the user gave count as exact.
    bool kernel_rounds() const { return error_ > 0; }

    // Standard error of a score from the rounding of kernel values: their errors add up like a random walk.
    double rounding(const Footing& f) const {
        return f.refined ? std::hypot(error_ * f.since, finer_error_ * f.reach) : error_ * f.reach;
    }

    // Error of a score from its moves, beyond the error of scores that are computed from lambda in double precision.
    double lost(const Footing& f) const {
        return std::max(0.0, std::sqrt(f.drift2) - 2.0 * std::numeric_limits<double>::epsilon() * f.reach);
    }

    // How much of the gap rounding may hide.
    double hidden(const Footing& f) const { return bias_ * f.sum + kGapSigmas * std::hypot(rounding(f), lost(f)); }

    // Whether scores moved so often that they should be computed again before the solver ends.
    bool stale(const Footing& f) const { return lost(f) > kLittle * tol_; }

    // Whether the rounding of kernel values alone is as large as tol.
    bool too_coarse(const Footing& f) const {
        return kernel_rounds() && (measured_ > 0.0 ? bias_ * f.sum : 0.0) + kHopelessSigmas * rounding(f) > tol_;
    }

    // Whether refining scores cannot help either.
    bool far_too_coarse(const Footing& f) const { return rounding(f) > kFarTooCoarse * tol_; }

    // Rounding of a score in double precision.
    static double noise(const Footing& f) { return std::numeric_limits<double>::epsilon() * (1.0 + f.reach); }

   private:
    static constexpr double kLittle = 0.05, kFarTooCoarse = 1e3, kGrowth = 1.25;
    // Shares of tol.
    static constexpr double kLittleBias = 0.1, kSomeBias = 0.4;
    static constexpr std::size_t kFewSamples = 512;
    // Kernel errors between two classes have a mean of up to a fifth of their standard error (measured, with whole
    // numbers and offsets by class). Weighted means of single samples differ more: by up to 0.45 of it between the
    // largest and the smallest (measured, with a Laplacian kernel and whole numbers plus or minus 1e-4).
    static constexpr double kCommon = 0.5;
    double tol_, error_, finer_error_;  // errors as shares of the largest kernel value
    double bias_;                       // the same for what they have in common
    bool measurable_;
    double measured_ = 0.0;  // the sum of multipliers when errors were measured
};

}  // namespace dagmar
