#define DAGMAR_LEVEL plain
#define DAGMAR_BYTES 16
#include "row_sums_impl.hpp"
