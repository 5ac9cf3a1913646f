// Kernel functions and their rounding errors.
#pragma once

#include <limits>

#include "simd/simd.hpp"

namespace dagmar {

enum class Precision : int { single_ = 0, double_ = 1 };

enum class KernelType : int { linear = 0, poly = 1, rbf = 2, sigmoid = 3, precomputed = 4, tanimoto = 5 };

// What an operation loses.
struct Arithmetic {
    double unit;            // relative rounding error: half a unit in the last place
    double smallest = 0.0;  // the smallest positive number: what underflow loses at most
    double faintest = 0.0;  // an exponential below this is computed as 0
};
template <class T>
inline constexpr Arithmetic kArithmetic = {static_cast<double>(std::numeric_limits<T>::epsilon()) / 2,
                                           static_cast<double>(std::numeric_limits<T>::denorm_min()),
                                           sizeof(T) == sizeof(float) ? 0x1p-80 : 0x1p-640};
static_assert(kFaintest<float> == -80 && kFaintest<double> == -640);

//   linear <x,z>    poly (gamma <x,z> + coef0)^degree    rbf exp(-gamma |x-z|^2)    sigmoid tanh(gamma <x,z> + coef0)
//   tanimoto <x,z> / (|x|^2 + |z|^2 - <x,z>), 1 for two rows of zeros; no row has a negative value
//
// If machines have their own gammas (rbf only), `gamma` is the largest of them, which has the largest rounding errors.
struct Kernel {
    KernelType type = KernelType::rbf;
    double gamma = 1.0;
    double coef0 = 0.0;
    int degree = 3;
    // A power of two. Samples are multiplied by it when they are loaded, so that their squares stay within the range of
    // float; `finish` divides dot products and distances by its square. Both are exact.
    double scale = 1.0;
    // Whether training computes |x-z|^2 from differences (rbf only). The expansion |x|^2 + |z|^2 - 2 <x,z> is faster,
    // but loses digits if samples are close to each other and far from the centre.
    bool by_differences = false;

    // The same kernel with another gamma.
    Kernel with_gamma(double other) const { return {type, other, coef0, degree, scale, by_differences}; }

    // The squared length before scaling. (Most samples are not scaled, and two divisions would slow `finish` down.)
    double unscale2(double norm2) const { return scale == 1.0 ? norm2 : norm2 / scale / scale; }

    // Turns the dot products of one row of scaled samples into kernel values, in place; n is a multiple of kLanes and
    // `norms` are squared norms (read by rbf and tanimoto only). With `gammas` (rbf only), value k is computed with
    // gammas[k], which is for scaled samples, instead of `gamma`.
    template <class T>
    void finish(const Simd<T>& simd, T* dots, const T* norms, T norm, std::size_t n, const T* gammas = nullptr) const;

    // One value in double precision, from <x,z> and |x-z|^2 of samples as given.
    double value(double dot, double distance) const;

    // The standard error of a value computed in this arithmetic, for samples of squared norms up to these. A dot
    // product of d terms collects d roundings, which add up like a random walk; the kernel function multiplies that
    // error by its slope. The factor 1/8 is measured: the estimate is then one to ten times the root mean square of the
    // errors in the worst row of Letter, Pendigits, USPS and MNIST. The error of a Tanimoto value depends only on what
    // underflow loses of the norm of x, so norm2_x is then the norm itself.
    double error(double norm2_x, double norm2_z, std::size_t n_features, Arithmetic by) const;
    // The largest absolute value, for samples of squared norms up to these.
    double largest(double norm2_x, double norm2_z) const;
    // `error` of a value divided by the value, for values above `faintest`; infinity if values have no such error. (The
    // error of a distance multiplies an rbf value; the products of a Tanimoto value have one sign.)
    double relative_error(double norm2_x, double norm2_z, std::size_t n_features, Arithmetic by) const;
};

// Kernel::error of an rbf kernel, for any gamma >= smallest_gamma, as flat + slope * gamma. (Far from all samples the
// kernel vanishes, and so does its error; it vanishes most slowly with the smallest gamma.)
struct ErrorByGamma {
    double flat, slope;
};
ErrorByGamma error_by_gamma(double smallest_gamma, double norm2_x, double norm2_z, std::size_t n_features,
                            Arithmetic by);

}  // namespace dagmar
