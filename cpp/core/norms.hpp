// Dense samples as given: squared norms, for the choice of a precision; sums of features, for their mean; copies of
// rows.
#pragma once

#include <span>

#include "parallel.hpp"
#include "samples.hpp"

namespace dagmar {

// out[i] = |x_i - centre|^2 in double precision; an empty centre is the origin. Idle threads help.
template <class S>
void squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare, double* out);

// sums[f] = the sum of feature f over all samples, in double precision; of few samples one after the other, of many
// piece by piece. Idle threads help.
template <class S>
void column_sums(const DenseView<S>& x, Spare& spare, double* sums);

// Copies rows index[0 ... n-1] to `out`, one after the other. Idle threads help.
template <class S>
void copy_rows(const DenseView<S>& x, std::span<const std::int64_t> index, Spare& spare, S* out);

}  // namespace dagmar
