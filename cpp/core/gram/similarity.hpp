// Kernel values summed between classes.
#pragma once

#include "base/parallel.hpp"
#include "gram/gram.hpp"

namespace dagmar {

// out[a * n_classes + b] = sum of w_x w_z K(x, z) over x in class a and z in class b, all pairs of samples. Computed in
// blocks that never hold the matrix, with the same bits for any number of threads. False if a signal stopped it.
template <class T>
bool class_similarity(const GramRows<T>& gram, std::span<const double> weight, const Threads& threads, double* out);

}  // namespace dagmar
