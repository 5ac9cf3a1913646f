#define DAGMAR_LEVEL vnni
#define DAGMAR_BYTES 64
#define DAGMAR_GRID
#include "rbf_products_impl.hpp"

namespace dagmar::vnni {

extern const GridProducts products16, products8, products7;
constinit const GridProducts products16 = grid_table<Bits16>();
constinit const GridProducts products8 = grid_table<Bits8>();
constinit const GridProducts products7 = grid_table<Bits7>();
extern const LevelProducts levels16;
constinit const LevelProducts levels16 = level_table<Bits16>();
extern const LevelProducts levels8;
constinit const LevelProducts levels8 = level_table<UnsignedRows8>();

}  // namespace dagmar::vnni
