#define DAGMAR_LEVEL avx512
#define DAGMAR_BYTES 64
#include "simd/generic/integer_products.hpp"
#include "simd/generic/table.hpp"

namespace dagmar::avx512 {

constinit const IntegerProducts kWords = integer_table<Words>();
constinit const Tables kTables = tables_with(&kWords);

}  // namespace dagmar::avx512
