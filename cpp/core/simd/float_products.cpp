#include "simd/float_products.hpp"

namespace dagmar {

#ifdef DAGMAR_X86
namespace avx2 {
extern const FloatProducts kFloatProducts;
}
namespace avx512 {
extern const FloatProducts kFloatProducts;
}
#endif

const FloatProducts* float_products(Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return &avx512::kFloatProducts;
    if (level == Level::avx2) return &avx2::kFloatProducts;
#endif
    (void)level;
    return nullptr;
}

}  // namespace dagmar
