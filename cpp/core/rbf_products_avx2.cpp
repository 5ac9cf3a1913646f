#define DAGMAR_LEVEL avx2
#define DAGMAR_BYTES 32
#define DAGMAR_GRID
#include "rbf_products_impl.hpp"

namespace dagmar::avx2 {

extern const GridProducts products16;
constinit const GridProducts products16 = grid_table<Bits16>();
extern const FloatProducts floats;
constinit const FloatProducts floats = float_table();
extern const LevelProducts levels16;
constinit const LevelProducts levels16 = level_table<Bits16>();

}  // namespace dagmar::avx2
