// Passes over all dense samples, in which idle threads help: checks and sums, from which centre and precision are
// chosen. Plain C++, compiled once and without fused operations: sums are in double precision and have the same bits on
// every machine and for any number of threads. They take a few thousandths of a fit.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// Rows that are summed before their sum is added to the total. Samples on several machines are summed in blocks of
// this many rows, and must give the same bits.
constexpr std::size_t kBlockRows = 4096;

// False if a number is infinite or NaN.
template <class S>
bool all_finite(const DenseView<S>& x, Spare& spare);

// The sum of each feature over all samples.
template <class S>
std::vector<double> column_sums(const DenseView<S>& x, Spare& spare);

// The sum of all numbers, and that of the squares of what they differ from `mean`.
template <class S>
double sum_of_values(const DenseView<S>& x);
template <class S>
double sum_of_squares(const DenseView<S>& x, double mean);

// |x_i - centre|^2 of each sample; an empty centre is the origin.
template <class S>
std::vector<double> squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare);

// The largest |x| of each row; infinity if a number of the row is infinite or NaN.
template <class S>
std::vector<double> largest_of_rows(const DenseView<S>& x, Spare& spare);

}  // namespace dagmar
