// Signs that rounding cannot change: a value too close to zero for its bound is computed again in double.
#pragma once

#include <vector>

#include "decide/coefficient_sizes.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

// A value that is asked for in double precision. `reason` is a number for the caller.
struct Question {
    std::size_t sample, machine, reason;
    double value = 0.0;
};

template <class T>
class Rounding {
   public:
    Rounding(const Vectors<T>& vectors, const Threads& threads);

    // For a sample of this squared norm, after scaling.
    Allowance allowance(T norm2) const {
        return sizes_.allowance(v_.bank.kernel.unscale2(static_cast<double>(norm2)), v_.largest_norm2(), v_.longest);
    }
    // For a sample in integer codes (grid.hpp), this far off. Distances of codes are exact, and their size does not
    // matter: where they are large, and so is their rounding to T, the kernel is small.
    Allowance allowance_of_codes(double off) const {
        Allowance allowance = sizes_.allowance(0.0, 0.0, v_.longest);
        allowance.off = off;
        return allowance;
    }

    bool one_sided(std::size_t m) const { return sizes_.one_sided(m); }

    // Bounds on the rounding of machine m's value, for terms of any size; best for this size.
    CoefficientSizes::Line line(const Allowance& a, std::size_t m, double size) const {
        return sizes_.line(a, m, size);
    }

    bool is_certain(const Allowance& a, std::size_t m, const Sum& sum) const { return sizes_.certain(a, m, sum); }

    // The value of machine m on sample i, computed again in double if rounding could have changed its sign.
    double certain(const Samples& x, std::size_t i, const Allowance& a, std::size_t m, const Sum& sum) const {
        return sizes_.certain(a, m, sum) ? sum.value : exact(x, i, m);
    }

    // Computes those values of sample i again whose rounding could change which is the largest.
    void settle(const Samples& x, std::size_t i, const Allowance& a, Sum* sums) const {
        sizes_.settle(a, sums, [&](std::size_t m) { return exact(x, i, m); });
    }

    // Answers questions, in an order of its own, by all threads. Samples that ask the same machine share its vectors.
    // Returns false if a signal stopped it.
    bool answer(const Samples& x, const Threads& threads, std::vector<Question>& questions) const;

   private:
    // The value in double precision, from the vectors as given.
    double exact(const Samples& x, std::size_t i, std::size_t m) const;
    // The sum of its terms, by the kinds of samples and vectors.
    template <class X, class Pool>
    double terms(const X& x, std::size_t i, const Pool& pool, std::size_t m) const;
    // The same for 1, 2 or 4 samples, if the kernel is rbf and all numbers are double.
    void rbf_terms(const double* const* x, std::size_t n_x, const DenseView<double>& pool, std::size_t m,
                   double* sums) const;

    const Vectors<T>& v_;
    const Bank& whole_;  // with the vectors as given
    CoefficientSizes sizes_;
    std::vector<double> origin_;  // subtracted for dot products of dense vectors; distances do not need it
};

}  // namespace dagmar
