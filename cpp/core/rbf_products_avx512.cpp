#define DAGMAR_LEVEL avx512
#define DAGMAR_BYTES 64
#include "rbf_products_impl.hpp"

namespace dagmar::avx512 {

extern const FloatProducts floats;
constinit const FloatProducts floats = float_table();
extern const LevelProducts levels16;
constinit const LevelProducts levels16 = level_table<Bits16>();

}  // namespace dagmar::avx512
