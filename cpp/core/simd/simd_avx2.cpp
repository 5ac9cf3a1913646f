#define DAGMAR_LEVEL avx2
#define DAGMAR_BYTES 32
#include "simd/generic/table.hpp"
