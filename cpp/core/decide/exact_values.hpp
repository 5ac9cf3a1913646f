// Values of machines in double precision, from the vectors as given: what rounding is measured against.
#pragma once

#include <vector>

#include "model/bank.hpp"

namespace dagmar {

class ExactValues {
   public:
    // The bank must outlive this.
    ExactValues(const Bank& bank, Level level);

    // The value of machine m on sample i.
    double value(const Samples& x, std::size_t i, std::size_t m) const;

   private:
    // The sum of the terms of a machine whose kernel is of a distance, if all numbers are double.
    double sum_by_distances(const double* x, const DenseView<double>& pool, std::size_t m) const;

    const Bank& bank_;
    const Level level_;
    std::vector<double> origin_;  // subtracted for dot products of dense vectors; distances do not need it
};

}  // namespace dagmar
