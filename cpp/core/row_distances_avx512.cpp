#define DAGMAR_LEVEL avx512
#define DAGMAR_BYTES 64
#include "row_distances_impl.hpp"
