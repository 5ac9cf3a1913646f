// Values of machines in double precision, from the vectors as given: what rounding is measured against.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "model/bank.hpp"

namespace dagmar {

// A value that is asked for. `reason` is a number for the caller.
struct Question {
    std::size_t sample, machine, reason;
    double value = 0.0;
};

class ExactValues {
   public:
    // The bank must outlive this.
    ExactValues(const Bank& bank, Level level);

    // The value of machine m on sample i.
    double value(const Samples& x, std::size_t i, std::size_t m) const;

    // Answers questions, in an order of its own, by all threads. Samples that ask the same machine share its vectors.
    // Returns false if a signal stopped it.
    bool answer(const Samples& x, const Threads& threads, std::vector<Question>& questions) const;

   private:
    // Machine m on 1, 2 or 4 samples, if the kernel is rbf and all numbers are double.
    void rbf_values(const double* const* x, std::size_t n_x, const DenseView<double>& pool, std::size_t m,
                    double* out) const;

    const Bank& bank_;
    const Level level_;
    std::vector<double> origin_;  // subtracted for dot products of dense vectors; distances do not need it
};

}  // namespace dagmar
