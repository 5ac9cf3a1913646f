// Squared norms of dense samples as given, for the choice of a precision.
#pragma once

#include <span>

#include "parallel.hpp"
#include "samples.hpp"

namespace dagmar {

// out[i] = |x_i - centre|^2 in double precision; an empty centre is the origin. Idle threads help.
template <class S>
void squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare, double* out);

}  // namespace dagmar
