#include "base/level.hpp"

namespace dagmar {

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

}  // namespace dagmar
