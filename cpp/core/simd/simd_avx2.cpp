#define DAGMAR_LEVEL avx2
#define DAGMAR_BYTES 32
#include "simd/generic/integer_products.hpp"
#include "simd/generic/table.hpp"

namespace dagmar::avx2 {

constinit const IntegerProducts kWords = integer_table<Words>();
constinit const IntegerProducts kByteDifferences = integer_table<SmallerBytes>();
constinit const IntegerProducts kWordDifferences = integer_table<SmallerWords>();
constinit const Tables kTables = tables_with({nullptr, &kWords, &kByteDifferences, &kWordDifferences});

}  // namespace dagmar::avx2
