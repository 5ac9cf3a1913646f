// Vector functions for probabilities, in double precision: sigmoids, and systems that couple them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/level.hpp"
#include "simd/panels.hpp"

namespace dagmar {

// Held-out values of a machine; n is a multiple of kLanes, and what fills the last panel has weight 0.
struct HeldOutValues {
    const double *value, *target, *weight;
    std::size_t n;
};

struct Line {
    double slope, offset;
};

// What two passes over the held-out values find (probabilities/sigmoids.cpp).
struct SigmoidSums {
    double residual, of_value;             // sums of the residuals t - p, and of value times residual
    double curvature, curvature_of_value;  // sums of p (1 - p), and of value times p (1 - p)
};
struct CentredSums {
    double residual, curvature;  // sums of (value - mean) residual and of (value - mean)^2 p (1 - p)
};

struct ProbabilityFunctions {
    // later[pair * kLanes + lane] = 1 / (1 + exp(slope[m] values[m * kLanes + lane] + offset[m])), where m is
    // machine[pair], for n pairs. `later` may be `values` if machines are in the order of pairs. Exponents are limited
    // to [-most, most].
    void (*sigmoids)(const double* values, const std::int64_t* machine, const double* slope, const double* offset,
                     double most, std::size_t n, double* later);
    // p[k] = 1 / (1 + exp(slope value[k] + offset)); returns the weighted log loss.
    double (*log_loss)(const HeldOutValues& of, Line line, double most, double* p);
    SigmoidSums (*sums)(const HeldOutValues& of, const double* p);
    CentredSums (*centred_sums)(const HeldOutValues& of, const double* p, double mean);
    // For kLanes samples side by side: later[pair * kLanes + lane], the probability of the later class of each pair,
    // becomes p[c * kLanes + lane] for k classes. `scratch` has room for coupling_scratch(k) numbers.
    void (*couple)(const double* later, std::size_t k, double ridge, double* scratch, double* p);
};

// Numbers that `couple` needs: a triangle, and three for each class, for the lanes of a register.
constexpr std::size_t coupling_scratch(std::size_t k) { return (k * (k + 1) / 2 + 3 * k) * kLanes; }

const ProbabilityFunctions& probability_functions(Level level);

// What each instruction set is compiled to.
namespace plain {
extern const ProbabilityFunctions kProbabilities;
}
namespace avx2 {
extern const ProbabilityFunctions kProbabilities;
}
namespace avx512 {
extern const ProbabilityFunctions kProbabilities;
}

}  // namespace dagmar
