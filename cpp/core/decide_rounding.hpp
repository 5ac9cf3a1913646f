// Signs that rounding cannot change: a bound on the rounding of a value, and the value in double where it is too close.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dense_vectors.hpp"
#include "integers.hpp"

namespace dagmar {

// What rounding may do to the values of one sample: per root of a machine's squared coefficients, the same per
// coefficients times gammas, per size of its sum, and, by underflow, per term.
struct Allowance {
    double kernel, slope, term, underflow;
};

// What bounds need to know of the machines of a bank.
class CoefficientSizes {
   public:
    // The bank must outlive this.
    explicit CoefficientSizes(const Bank& bank);

    // For a sample of squared norm `norm2` against vectors of squared norms up to `largest_norm2`, in this arithmetic.
    // The kernel's errors add up like a random walk, and those of the sum of terms too; eight standard errors are
    // allowed for.
    Allowance allowance(double norm2, double largest_norm2, std::size_t n_features, Arithmetic by) const;

    // The largest rounding error of machine m's value.
    double bound(const Allowance& a, std::size_t m) const {
        return a.kernel * root_squares_[m] + a.slope * times_gamma_[m] + a.term * sizes_[m] + a.underflow * counts_[m];
    }

    // Whether no rounding within the bound can have changed the sign of a value. NaN is above no bound, and no value is
    // above a bound that is NaN.
    bool certain(const Allowance& a, std::size_t m, double value) const {
        return std::abs(value) >= bound(a, m) && std::isfinite(value);
    }

    // Replaces those of a sample's values by exact(m) whose rounding could change which is the largest.
    template <class Exact>
    void settle(const Allowance& a, double* values, const Exact& exact) const {
        const std::size_t n = bank_.lists.n_machines();
        const std::size_t best = usize(std::max_element(values, values + n) - values);
        const double reach = values[best] - bound(a, best);
        std::vector<std::size_t> close;
        for (std::size_t m = 0; m < n; ++m)
            if (!(values[m] + bound(a, m) < reach)) close.push_back(m);  // also where one of them is not a number
        if (close.size() > 1)
            for (const std::size_t m : close) values[m] = exact(m);
    }

   private:
    const Bank& bank_;
    double smallest_gamma_ = 0;  // of the vectors, where they have their own
    // Of each machine: the root of its squared coefficients, the same of coefficients times gammas, the sum of their
    // sizes, scaled by how many there are, with its bias, and how many there are.
    std::vector<double> root_squares_, times_gamma_, sizes_, counts_;
};

template <class T>
class Rounding {
   public:
    explicit Rounding(const DenseVectors<T>& vectors)
        : v_(vectors), sizes_(vectors.bank),
          origin_(vectors.bank.kernel.type == KernelType::rbf ? std::vector<double>(vectors.d) : vectors.centre) {}

    // For a sample of this squared norm, after scaling.
    Allowance allowance(T norm2) const;

    // The value of machine m on sample i, computed again in double if rounding could have changed its sign.
    double certain(const Samples& x, std::size_t i, const Allowance& a, std::size_t m, double value) const {
        return sizes_.certain(a, m, value) ? value : exact(x, i, m);
    }

    // Computes those values of sample i again whose rounding could change which is the largest.
    void settle(const Samples& x, std::size_t i, const Allowance& a, double* values) const {
        sizes_.settle(a, values, [&](std::size_t m) { return exact(x, i, m); });
    }

   private:
    // The value in double precision, from the vectors as given.
    double exact(const Samples& x, std::size_t i, std::size_t m) const;

    const DenseVectors<T>& v_;
    CoefficientSizes sizes_;
    std::vector<double> origin_;  // subtracted for dot products; distances do not need it
};

}  // namespace dagmar
