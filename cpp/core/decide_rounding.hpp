// Signs that rounding cannot change: a value that is too close to zero for its bound is computed again in double.
#pragma once

#include <vector>

#include "coefficient_sizes.hpp"
#include "integers.hpp"
#include "vectors.hpp"

namespace dagmar {

// A value that is asked for in double precision, and why: a number for those who ask.
struct Question {
    std::size_t sample, machine, reason;
    double value = 0.0;
};

template <class T>
class Rounding {
   public:
    Rounding(const Vectors<T>& vectors, const Threads& threads)
        : v_(vectors), sizes_(vectors.bank, kArithmetic<T>, threads), origin_(origin_of(vectors.bank)) {}

    // For a sample of this squared norm, after scaling.
    Allowance allowance(T norm2) const;
    // For a sample in levels (grid.hpp), so far off. Distances of levels are exact, and their size does not matter:
    // where they are large, and their rounding to T too, the kernel is small.
    Allowance allowance_of_levels(double off) const;

    bool one_sided(std::size_t m) const { return sizes_.one_sided(m); }

    // A value of machine m that is finite and at least this far from zero has a certain sign.
    double bound(const Allowance& a, std::size_t m) const { return sizes_.bound(a, m); }

    // The same for terms of any size, best for this one.
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

    // The value in double precision, from the vectors as given.
    double exact(const Samples& x, std::size_t i, std::size_t m) const;

    // Many of them, by all threads: sorts the questions and answers them. Samples that ask the same machine share its
    // vectors. Returns false if a signal stopped it.
    bool answer(const Samples& x, const Threads& threads, std::vector<Question>& questions) const;

   private:
    // The sums of terms of some samples, 1, 2 or 4, if the kernel is rbf and all numbers are double.
    void exact_rbf(const double* const* x, std::size_t n_x, const DenseView<double>& pool, const Bank& bank,
                   std::size_t m, double* sums) const;

    // Of dense vectors. (Sparse ones have no centre, and may have very many features.)
    static std::vector<double> origin_of(const Bank& bank) {
        std::vector<double> origin(bank.centre.begin(), bank.centre.end());
        if (!std::holds_alternative<SparseView>(bank.vectors)) origin.resize(n_features(bank.vectors), 0.0);
        return origin;
    }

    const Vectors<T>& v_;
    CoefficientSizes sizes_;
    std::vector<double> origin_;  // subtracted for dot products; distances do not need it
};

}  // namespace dagmar
