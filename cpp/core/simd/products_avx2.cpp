#define DAGMAR_LEVEL avx2
#define DAGMAR_BYTES 32
#include "simd/generic/float_products.hpp"
#include "simd/generic/integer_products.hpp"

namespace dagmar::avx2 {

extern const FloatProducts kFloatProducts;
constinit const FloatProducts kFloatProducts = float_table();
extern const IntegerProducts kWordProducts;
constinit const IntegerProducts kWordProducts = integer_table<Words>();

}  // namespace dagmar::avx2
