#define DAGMAR_LEVEL avx512
#define DAGMAR_BYTES 64
#include "row_sums_impl.hpp"
