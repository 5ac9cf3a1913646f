#include "simd/simd.hpp"

namespace dagmar {

namespace plain {
template <class T>
const Simd<T>& simd_table();
}
#ifdef DAGMAR_X86
namespace avx2 {
template <class T>
const Simd<T>& simd_table();
}
namespace avx512 {
template <class T>
const Simd<T>& simd_table();
}
#endif

template <class T>
const Simd<T>& simd([[maybe_unused]] Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::simd_table<T>();
    if (level == Level::avx2) return avx2::simd_table<T>();
#endif
    return plain::simd_table<T>();
}

template const Simd<float>& simd(Level);
template const Simd<double>& simd(Level);

}  // namespace dagmar
