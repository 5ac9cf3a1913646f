// Dense samples as given: whether they are finite; squared norms, for the choice of a precision; sums of features, for
// their mean; zeros; copies of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "samples.hpp"

namespace dagmar {

// Whether no number is infinite or not a number. Idle threads help.
template <class S>
bool all_finite(const DenseView<S>& x, Spare& spare);

// out[i] = |x_i - centre|^2 in double precision; an empty centre is the origin. Idle threads help.
template <class S>
void squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare, double* out);

// sums[f] = the sum of feature f over all samples, in double precision; of few samples one after the other, of many
// piece by piece. Idle threads help.
template <class S>
void column_sums(const DenseView<S>& x, Spare& spare, double* sums);

// Whether more than `most` numbers are not zero; it looks no further than it must.
template <class S>
bool more_nonzeros(const DenseView<S>& x, std::size_t most);

// Samples whose kernel values tell the error of a precision.
struct Measured {
    std::vector<std::int64_t> samples;  // those with the largest norms, then others, spread evenly over the data
    std::vector<std::int32_t> rows;     // places among them: the first kind, and some of the second, spread evenly
};

// About n_rows rows, half of them of the largest norms, and n_spread samples besides, at most all there are.
Measured samples_to_measure(std::span<const double> norms, std::size_t n_rows, std::size_t n_spread);

// Copies rows index[0 ... n-1] to `out`, one after the other. Idle threads help.
template <class S>
void copy_rows(const DenseView<S>& x, std::span<const std::int64_t> index, Spare& spare, S* out);

}  // namespace dagmar
