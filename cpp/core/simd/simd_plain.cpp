#define DAGMAR_LEVEL plain
#define DAGMAR_BYTES 16
#include "simd/generic/table.hpp"

namespace dagmar::plain {

constinit const Tables kTables = tables_with({});

}  // namespace dagmar::plain
