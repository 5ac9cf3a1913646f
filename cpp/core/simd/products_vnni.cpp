// AVX-512 with instructions that multiply bytes or words and add up the products.
#define DAGMAR_LEVEL vnni
#define DAGMAR_BYTES 64
#include "simd/generic/integer_products.hpp"

namespace dagmar::vnni {

extern const IntegerProducts kWordProducts, kByteProducts, kSmallByteProducts;
constinit const IntegerProducts kWordProducts = integer_table<Words>();
constinit const IntegerProducts kByteProducts = integer_table<Bytes>();
constinit const IntegerProducts kSmallByteProducts = integer_table<SmallBytes>();

}  // namespace dagmar::vnni
