#define DAGMAR_LEVEL plain
#include "row_distances_impl.hpp"
