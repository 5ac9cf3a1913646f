#define DAGMAR_LEVEL avx512
#define DAGMAR_BYTES 64
#include "simd/generic/table.hpp"
