#define DAGMAR_LEVEL avx2
#include "row_distances_impl.hpp"
