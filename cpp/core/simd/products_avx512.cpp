#define DAGMAR_LEVEL avx512
#define DAGMAR_BYTES 64
#include "simd/generic/float_products.hpp"
#include "simd/generic/integer_products.hpp"

namespace dagmar::avx512 {

extern const FloatProducts kFloatProducts;
constinit const FloatProducts kFloatProducts = float_table();
extern const IntegerProducts kWordProducts;
constinit const IntegerProducts kWordProducts = integer_table<Words>();

}  // namespace dagmar::avx512
