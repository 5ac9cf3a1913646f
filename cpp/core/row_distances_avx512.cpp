#define DAGMAR_LEVEL avx512
#include "row_distances_impl.hpp"
