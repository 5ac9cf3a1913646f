// The training problem that all machines share: samples in class order, and the kernel between them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "samples/kernel.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// Only class_start is owned; the other arrays must outlive the problem and everything made from it.
struct Problem {
    Samples x;
    std::span<const std::int64_t> order;   // samples of x, sorted by class
    std::vector<std::size_t> class_start;  // where each class begins in `order`; ends with the number of samples
    Kernel kernel;
    std::span<const double> centre;  // subtracted from dense samples before the kernel is computed; empty for none
    Precision precision = Precision::double_;
    double kernel_error = 0.0;  // standard error of a kernel value in single precision
    double double_error = 0.0;  // standard error of a kernel value in double precision
    // Sparse samples: the common features, ascending (`FeaturePlaces`); by default those of the samples in `order`.
    // Part of a larger problem gets those of the whole problem, for the same bits.
    std::optional<std::span<const std::int32_t>> common;
    // Dense samples: which features are multiples of one step (integers/code_choice.hpp); empty if none is.
    std::span<const double> codes;
    // Dense samples: a number for each sample of x, such as its norm, that is equal for equal samples and seldom for
    // others. Equal samples are found by it. May be empty.
    std::span<const double> norms;

    std::size_t n_classes() const { return class_start.size() - 1; }
    std::size_t class_size(std::size_t c) const { return class_start[c + 1] - class_start[c]; }
};

// Throws std::invalid_argument if the arrays of a problem do not fit together.
void check(const Problem& problem);

}  // namespace dagmar
