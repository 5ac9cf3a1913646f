#include "simd.hpp"

namespace dagmar {

namespace plain {
extern const Simd<float> single_table;
extern const Simd<double> double_table;
}  // namespace plain
#ifdef DAGMAR_X86
namespace avx2 {
extern const Simd<float> single_table;
extern const Simd<double> double_table;
}  // namespace avx2
namespace avx512 {
extern const Simd<float> single_table;
extern const Simd<double> double_table;
}  // namespace avx512
#endif

Level best_level() {
#ifdef DAGMAR_X86
    __builtin_cpu_init();
    const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return Level::avx512;
    if (fma) return Level::avx2;
#endif
    return Level::plain;
}

template <>
const Simd<float>& simd<float>(Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::single_table;
    if (level == Level::avx2) return avx2::single_table;
#endif
    (void)level;
    return plain::single_table;
}

template <>
const Simd<double>& simd<double>(Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::double_table;
    if (level == Level::avx2) return avx2::double_table;
#endif
    (void)level;
    return plain::double_table;
}

}  // namespace dagmar
