#define DAGMAR_LEVEL avx2
#define DAGMAR_BYTES 32
#include "grid_products_impl.hpp"

namespace dagmar::avx2 {

extern const GridProducts products16;
constinit const GridProducts products16 = grid_table<Bits16>();

}  // namespace dagmar::avx2
