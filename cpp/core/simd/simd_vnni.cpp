#define DAGMAR_LEVEL vnni
#define DAGMAR_BYTES 64
#include "simd/generic/integer_products.hpp"
#include "simd/tables.hpp"

namespace dagmar::vnni {

constinit const IntegerProducts kBytes8 = integer_table<Bytes>();
constinit const IntegerProducts kWords16 = integer_table<Words>();
constinit const IntegerProducts kDifferences8 = integer_table<SmallerBytes>();
constinit const IntegerProducts kDifferences16 = integer_table<SmallerWords>();
constinit const IntegerTables kIntegers = {&kBytes8, &kWords16, &kDifferences8, &kDifferences16};

}  // namespace dagmar::vnni
