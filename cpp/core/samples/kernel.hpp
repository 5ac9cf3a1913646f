// Kernel functions and their rounding errors.
#pragma once

#include <cmath>
#include <limits>

#include "simd/simd.hpp"

namespace dagmar {

enum class Precision : int { single_ = 0, double_ = 1 };

enum class KernelType : int {
    linear = 0,
    poly = 1,
    rbf = 2,
    sigmoid = 3,
    precomputed = 4,
    laplacian = 5,
    chi2 = 6,
    tanimoto = 7,
};

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

//   linear <x,z>    poly (gamma <x,z> + coef0)^degree    sigmoid tanh(gamma <x,z> + coef0)
//   tanimoto <x,z> / (|x|^2 + |z|^2 - <x,z>), 1 for two rows of zeros; no row has a negative value
//   rbf exp(-gamma |x-z|^2)    laplacian exp(-gamma sum |x_f-z_f|)    chi2 exp(-gamma sum (x_f-z_f)^2 / (x_f+z_f))
//
// The last three are kernels of a distance. If machines have their own gammas (only those), `gamma` is the largest of
// them, which has the largest rounding errors.
struct Kernel {
    KernelType type = KernelType::rbf;
    double gamma = 1.0;
    double coef0 = 0.0;
    int degree = 3;
    // A power of two. Samples are multiplied by it when they are loaded, so that their squares stay within the range of
    // float; `finish` divides dot products and squared distances by its square, other distances by itself. All are
    // exact.
    double scale = 1.0;
    // Whether training computes distances from differences (rbf; of sparse samples, all kernels of a distance). The
    // expansion |x|^2 + |z|^2 - 2 <x,z> is faster, but loses digits if samples are close to each other and far from the
    // centre.
    bool by_differences = false;

    // The same kernel with another gamma.
    Kernel with_gamma(double other) const { return {type, other, coef0, degree, scale, by_differences}; }

    // Whether it is exp(-gamma distance): above 0 and at most 1, with an error in proportion to the value.
    bool of_distance() const { return type == KernelType::rbf || of_differences(); }
    // Whether the distance is a sum of terms of differences, with passes of its own; that of rbf is made of products.
    bool of_differences() const { return type == KernelType::laplacian || type == KernelType::chi2; }
    // Whether dense samples that are mostly zero are handled as sparse ones (samples/sparse_copy.hpp).
    bool skips_zeros() const { return of_differences() || type == KernelType::tanimoto; }
    // Whether the distance can be computed from integer codes of features.
    bool has_codes() const { return type == KernelType::rbf || type == KernelType::laplacian; }
    // Those passes; null if it is a kernel of products.
    template <class T>
    const DistancePasses<T>* passes(const Simd<T>& simd) const {
        return type == KernelType::laplacian ? &simd.laplacian : type == KernelType::chi2 ? &simd.chi2 : nullptr;
    }
    // The term of a feature in the distance; in |x-z|^2 for kernels of products.
    template <class T>
    T term(T x, T z) const {
        const T difference = x - z, sum = x + z;
        if (type == KernelType::laplacian) return std::abs(difference);
        return type == KernelType::chi2 ? difference * (difference / (sum > T(0) ? sum : T(1)))
                                        : difference * difference;
    }
    // What a feature takes off the sum of the sizes of two samples.
    template <class T>
    T shared(T x, T z) const {
        return std::abs(x) + std::abs(z) - term(x, z);
    }
    // A dot product or distance of samples as given, from that of scaled ones; and gamma for scaled samples.
    double unscale(double sum) const { return of_differences() ? sum / scale : unscale2(sum); }

    // The squared length before scaling. (Most samples are not scaled, and two divisions would slow `finish` down.)
    double unscale2(double norm2) const { return scale == 1.0 ? norm2 : norm2 / scale / scale; }

    // Turns the dot products of one row of scaled samples into kernel values, in place; n is a multiple of kLanes and
    // `norms` are squared norms (read by rbf and tanimoto only). For other kernels of a distance, `dots` are distances.
    // With `gammas` (kernels of a distance only), value k is computed with gammas[k], which is for scaled samples,
    // instead of `gamma`.
    template <class T>
    void finish(const Simd<T>& simd, T* dots, const T* norms, T norm, std::size_t n, const T* gammas = nullptr) const;

    // One value in double precision, from what it is a function of: <x,z> of samples as given, their distance if it is
    // a kernel of that, or the Tanimoto value itself.
    double value(double inner) const;

    // The standard error of a value computed in this arithmetic, for samples of squared norms up to these. A dot
    // product of d terms collects d roundings, which add up like a random walk; the kernel function multiplies that
    // error by its slope. The factor 1/8 is measured: the estimate is then one to ten times the root mean square of the
    // errors in the worst row of Letter, Pendigits, USPS and MNIST. The error of a Tanimoto value depends only on what
    // underflow loses of the norm of x, so norm2_x is then the norm itself.
    double error(double norm2_x, double norm2_z, std::size_t n_features, Arithmetic by) const;
    // The largest absolute value, for samples of squared norms up to these.
    double largest(double norm2_x, double norm2_z) const;
    // `error` of a value divided by the value, for values above `faintest`; infinity if values have no such error. (The
    // error of a distance multiplies the value of its kernel; the products of a Tanimoto value have one sign.)
    double relative_error(double norm2_x, double norm2_z, std::size_t n_features, Arithmetic by) const;
    // `error` of a kernel of a distance, for any gamma >= smallest_gamma, as flat + slope * gamma. (Far from all
    // samples the kernel vanishes, and so does its error; it vanishes most slowly with the smallest gamma.)
    struct ErrorByGamma {
        double flat, slope;
    };
    ErrorByGamma error_by_gamma(double smallest_gamma, double norm2_x, double norm2_z, std::size_t n_features,
                                Arithmetic by) const;

   private:
    double size_of_distances(double norm2_x, double norm2_z, std::size_t n_features) const;
};

// The Tanimoto value from <x,z> and |x-z|^2: |x|^2 + |z|^2 - <x,z> without cancellation.
inline double tanimoto(double dot, double distance) {
    if (!std::isfinite(distance)) return std::numeric_limits<double>::quiet_NaN();
    return dot + distance == 0.0 ? 1.0 : dot / (dot + distance);
}

}  // namespace dagmar
