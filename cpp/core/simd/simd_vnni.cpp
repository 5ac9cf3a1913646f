#define DAGMAR_LEVEL vnni
#define DAGMAR_BYTES 64
#include "simd/generic/integer_products.hpp"
#include "simd/tables.hpp"

namespace dagmar::vnni {

constinit const IntegerProducts kEightBits = integer_table<Bytes>();
constinit const IntegerProducts kSixteenBits = integer_table<Words>();

}  // namespace dagmar::vnni
