#define DAGMAR_LEVEL plain
#define DAGMAR_BYTES 16
#include "simd/generic/table.hpp"
