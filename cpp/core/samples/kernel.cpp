#include "samples/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dagmar {
namespace {

// Up to this degree a power is a chain of products. A longer chain would take long, and no signal can interrupt it.
constexpr int kLongestChain = 16;

template <class T>
T power(T base, int degree) {
    // In double, which represents every degree exactly: its parity decides the sign of the power.
    if (degree > kLongestChain) return static_cast<T>(std::pow(static_cast<double>(base), degree));
    T product = 1;
    for (int e = 0; e < degree; ++e) product *= base;
    return product;
}

// The product of two norms, from their squares. (The product of the squares may overflow.)
double product_of_norms(double norm2_x, double norm2_z) { return std::sqrt(norm2_x) * std::sqrt(norm2_z); }

// The rounding of the value itself, in addition to that of its sums; measured at 0.7 units.
constexpr double kOwnRounding = 6.0;

// 6: the rounding of the samples themselves and of the sum of two norms, which does not average out over terms.
double roundings_of(std::size_t n_features) { return std::sqrt(static_cast<double>(n_features)) + 6.0; }

}  // namespace

template <class T>
void Kernel::finish(const Simd<T>& simd, T* dots, const T* norms, T norm, std::size_t n, const T* gammas) const {
    // A gamma beyond the range of T gives 0 for all samples that differ at all, and so does the largest T.
    constexpr double largest = static_cast<double>(std::numeric_limits<T>::max());
    const T g = static_cast<T>(std::min(unscale(gamma), largest)), c = static_cast<T>(coef0);
    switch (type) {
        case KernelType::rbf:
            gammas ? simd.rbf_each(dots, norms, norm, gammas, n) : simd.rbf(dots, norms, norm, g, n);
            return;
        case KernelType::laplacian:
        case KernelType::chi2:
            gammas ? simd.decay_each(dots, gammas, n) : simd.decay(dots, g, n);
            return;
        case KernelType::poly:
            if (degree <= kLongestChain)
                simd.poly(dots, g, c, degree, n);
            else
                for (std::size_t k = 0; k < n; ++k) dots[k] = power(g * dots[k] + c, degree);
            return;
        case KernelType::sigmoid:
            simd.sigmoid(dots, g, c, n);
            return;
        case KernelType::linear:
            if (scale != 1.0) {
                const T factor = static_cast<T>(unscale2(1.0));
                for (std::size_t k = 0; k < n; ++k) dots[k] *= factor;
            }
            return;
        case KernelType::precomputed:
            return;
    }
}

double Kernel::value(double inner) const {
    switch (type) {
        case KernelType::rbf:
        case KernelType::laplacian:
        case KernelType::chi2:
            return std::exp(-gamma * inner);
        case KernelType::poly:
            return power(gamma * inner + coef0, degree);
        case KernelType::sigmoid:
            return std::tanh(gamma * inner + coef0);
        case KernelType::linear:
        case KernelType::precomputed:
            break;
    }
    return inner;
}

double Kernel::largest(double norm2_x, double norm2_z) const {
    const double dot = product_of_norms(norm2_x, norm2_z);
    if (type == KernelType::linear) return dot;
    if (type == KernelType::poly) return std::pow(std::abs(gamma) * dot + std::abs(coef0), degree);
    return 1.0;
}

// What the roundings of a distance are in proportion to. The norms enter that of rbf. The others are at most the sum of
// |x_f| + |z_f|, which is below twice the larger norm times the root of the number of features.
double Kernel::size_of_distances(double norm2_x, double norm2_z, std::size_t n_features) const {
    const double norm2 = std::max(norm2_x, norm2_z);
    return of_differences() ? 2.0 * std::sqrt(norm2) * std::sqrt(static_cast<double>(n_features)) : norm2;
}

Kernel::ErrorByGamma Kernel::error_by_gamma(double smallest_gamma, double norm2_x, double norm2_z,
                                            std::size_t n_features, Arithmetic by) const {
    // Far from all other samples the kernel is almost zero, but a computed value is only if the distance exceeds its
    // rounding (here eight standard errors).
    const double rounding = by.unit * size_of_distances(norm2_x, norm2_z, n_features) * roundings_of(n_features);
    const double root_x = std::sqrt(norm2_x), root_z = std::sqrt(norm2_z), far = std::max(0.0, root_x - root_z);
    // A sum of sizes is at least the root of the sum of their squares. For chi2, x_f + z_f is at most the sum of norms.
    const double distance = type == KernelType::laplacian           ? far
                            : type == KernelType::rbf || far == 0.0 ? far * far
                                                                    : far * (far / (root_x + root_z));
    const double decay = std::exp(-smallest_gamma * std::max(0.0, distance - rounding));
    return {kOwnRounding * by.unit * decay / 8.0 + by.faintest, rounding * decay / 8.0};
}

double Kernel::relative_error(double norm2_x, double norm2_z, std::size_t n_features, Arithmetic by) const {
    const double lost = static_cast<double>(n_features) * unscale(by.smallest);  // by underflow in a sum
    double scale = kOwnRounding + gamma * size_of_distances(norm2_x, norm2_z, n_features) * roundings_of(n_features);
    // A sparse sample may have many features that no vector has. They add to the distance, and to its rounding, up to
    // where the kernel is 0.
    if (of_differences()) scale -= 8.0 * std::log(std::max(by.faintest, std::numeric_limits<double>::min()));
    return by.unit * scale / 8.0 + 2.0 * gamma * lost;
}

double Kernel::error(double norm2_x, double norm2_z, std::size_t n_features, Arithmetic by) const {
    double lost = static_cast<double>(n_features) * unscale(by.smallest);  // by underflow in a sum
    const double dot = product_of_norms(norm2_x, norm2_z) * roundings_of(n_features);
    double scale = kOwnRounding, slope = 0.0;
    switch (type) {
        case KernelType::rbf:
        case KernelType::laplacian:
        case KernelType::chi2: {
            const ErrorByGamma by_gamma = error_by_gamma(gamma, norm2_x, norm2_z, n_features, by);
            return by_gamma.flat + by_gamma.slope * gamma + 2.0 * gamma * lost;
        }
        case KernelType::poly: {
            const double base = std::abs(gamma) * product_of_norms(norm2_x, norm2_z) + std::abs(coef0);
            slope = degree * std::pow(base, std::max(degree - 1, 0));
            // The base rounds, too; if coef0 is most of it, the rounding of the dot product does not cover that.
            scale = kOwnRounding * std::pow(base, degree) +
                    slope * (std::abs(gamma) * dot + kOwnRounding * std::abs(coef0));
            lost *= std::abs(gamma);
            break;
        }
        case KernelType::sigmoid:
            slope = std::abs(gamma);
            scale = kOwnRounding + slope * dot;
            break;
        case KernelType::linear:
            slope = 1.0;
            scale = dot;
            break;
        case KernelType::precomputed:
            break;
    }
    return by.unit * scale / 8.0 + slope * lost + by.smallest;
}

template void Kernel::finish(const Simd<float>&, float*, const float*, float, std::size_t, const float*) const;
template void Kernel::finish(const Simd<double>&, double*, const double*, double, std::size_t, const double*) const;

}  // namespace dagmar
