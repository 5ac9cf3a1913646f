// Signs that rounding cannot change: a value too close to zero for its bound is computed again in double.
#pragma once

#include <vector>

#include "decide/coefficient_sizes.hpp"
#include "decide/exact_values.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

template <class T>
class Rounding : public CoefficientSizes {
   public:
    Rounding(const Vectors<T>& vectors, const Threads& threads)
        : CoefficientSizes(vectors.bank, kArithmetic<T>, threads), exact(vectors.bank, vectors.level), v_(vectors) {}

    // For a sample of this squared norm, after scaling.
    Allowance allowance(T norm2) const {
        const double unscaled = v_.bank.kernel.unscale2(static_cast<double>(norm2));
        return CoefficientSizes::allowance(unscaled, v_.largest_norm2(), v_.longest);
    }
    // For a sample in integer codes (grid.hpp), this far off. Distances of codes are exact, and their size does not
    // matter: where they are large, and so is their rounding to T, the kernel is small.
    Allowance allowance_of_codes(double off) const {
        Allowance allowance = CoefficientSizes::allowance(0.0, 0.0, v_.longest);
        allowance.off = off;
        return allowance;
    }

    // The value of machine m on sample i, computed again in double if rounding could have changed its sign.
    double certain(const Samples& x, std::size_t i, const Allowance& a, std::size_t m, const Sum& sum) const {
        return is_certain(a, m, sum) ? sum.value : exact.value(x, i, m);
    }

    // Computes those values of sample i again whose rounding could change which is the largest.
    void settle(const Samples& x, std::size_t i, const Allowance& a, std::vector<Sum>& sums) const {
        const std::size_t best = usize(first_largest(sums));
        const double reach = sums[best].value - bound(a, best, sums[best].size);
        std::vector<std::size_t> close;
        for (std::size_t m = 0; m < sums.size(); ++m)  // also where one of them is not a number
            if (!(sums[m].value + bound(a, m, sums[m].size) < reach)) close.push_back(m);
        if (close.size() > 1)
            for (const std::size_t m : close) sums[m].value = exact.value(x, i, m);
    }

    const ExactValues exact;

   private:
    const Vectors<T>& v_;
};

}  // namespace dagmar
