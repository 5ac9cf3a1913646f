#include "rbf_products.hpp"

namespace dagmar {

#ifdef DAGMAR_X86
namespace avx2 {
extern const GridProducts products16;
extern const FloatProducts floats;
extern const LevelProducts levels16;
}  // namespace avx2
namespace avx512 {
extern const FloatProducts floats;
extern const LevelProducts levels16;
}  // namespace avx512
namespace vnni {
extern const GridProducts products16, products8, products7;
extern const LevelProducts levels16, levels8;
}  // namespace vnni
#endif

const GridProducts* grid_products(Level level, int bits) {
#ifdef DAGMAR_X86
    // Without VNNI, products of integers are no faster than float in registers of 512 bits: their sums need the same
    // ports.
    if (level == Level::avx512 && __builtin_cpu_supports("avx512vnni"))
        return bits == 16 ? &vnni::products16 : bits == 8 ? &vnni::products8 : &vnni::products7;
    if (level == Level::avx2 && bits == 16) return &avx2::products16;
#endif
    (void)level, (void)bits;
    return nullptr;
}

const LevelProducts* level_products(Level level, double highest) {
#ifdef DAGMAR_X86
    if (level == Level::avx512 && __builtin_cpu_supports("avx512vnni"))
        return highest <= 255.0 ? &vnni::levels8 : &vnni::levels16;
    // Not faster than float here; but the same processors at the same level must have the same bits.
    if (level == Level::avx512) return &avx512::levels16;
    if (level == Level::avx2) return &avx2::levels16;
#endif
    (void)level, (void)highest;
    return nullptr;
}

const FloatProducts* float_products(Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return &avx512::floats;
    if (level == Level::avx2) return &avx2::floats;
#endif
    (void)level;
    return nullptr;
}

}  // namespace dagmar
