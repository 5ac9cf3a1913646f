// Whether samples have only finite numbers.
#pragma once

#include "base/parallel.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// False if a number is infinite or NaN. Idle threads help.
template <class S>
bool all_finite(const DenseView<S>& x, Spare& spare);

}  // namespace dagmar
