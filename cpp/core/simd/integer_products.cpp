#include "simd/integer_products.hpp"

namespace dagmar {

#ifdef DAGMAR_X86
namespace avx2 {
extern const IntegerProducts kWordProducts;
}
namespace avx512 {
extern const IntegerProducts kWordProducts;
}
namespace vnni {
extern const IntegerProducts kWordProducts, kByteProducts, kSmallByteProducts;
}
#endif

const IntegerProducts* integer_products(Level level, int bits) {
#ifdef DAGMAR_X86
    if (level == Level::avx512 && __builtin_cpu_supports("avx512vnni"))
        return bits == 7 ? &vnni::kSmallByteProducts : bits == 8 ? &vnni::kByteProducts : &vnni::kWordProducts;
    if (bits == 16 && level == Level::avx512) return &avx512::kWordProducts;
    if (bits == 16 && level == Level::avx2) return &avx2::kWordProducts;
#endif
    (void)level, (void)bits;
    return nullptr;
}

}  // namespace dagmar
