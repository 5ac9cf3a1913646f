#define DAGMAR_LEVEL avx2
#define DAGMAR_BYTES 32
#include "simd/generic/integer_products.hpp"
#include "simd/generic/table.hpp"

namespace dagmar::avx2 {

constinit const IntegerProducts kWords = integer_table<Words>();
constinit const Tables kTables = tables_with(&kWords);

}  // namespace dagmar::avx2
