// How alike two classes are in kernel space.
#pragma once

#include "kernel.hpp"
#include "parallel.hpp"

namespace dagmar {

// out[a * n_classes + b] = sum of w_x w_z K(x, z) over x in class a and z in class b, all pairs of samples. Computed block by block,
// never holding the matrix; the same bits for any number of threads. False if poll asked to stop.
template <class T>
bool class_similarity(const GramRows<T>& gram, const std::vector<double>& weight, int n_threads, const Poll& poll,
                      double* out);

}  // namespace dagmar
