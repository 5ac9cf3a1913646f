#include "base/level.hpp"

#ifdef DAGMAR_X86
#include <cpuid.h>

#include <cstdint>
#endif

namespace dagmar {

#ifdef DAGMAR_X86
namespace {

// Asked from the processor itself: not every compiler's runtime library has what __builtin_cpu_supports needs.
struct Features {
    bool avx2 = false, avx512 = false, vnni = false;

    Features() {
        std::uint32_t a, b, c, d;
        if (!__get_cpuid(1, &a, &b, &c, &d)) return;
        const bool fma = c >> 12 & 1, saves_registers = c >> 27 & 1, avx = c >> 28 & 1;
        if (!fma || !saves_registers || !avx || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
        constexpr std::uint32_t f = 1u << 16, dq = 1u << 17, bw = 1u << 30, vl = 1u << 31, all = f | dq | bw | vl;
        const std::uint32_t saved = saved_registers();
        avx2 = (b >> 5 & 1) && (saved & 0x06) == 0x06;
        avx512 = avx2 && (b & all) == all && (saved & 0xe6) == 0xe6;
        vnni = avx512 && (c >> 11 & 1);
    }

    // The registers that the operating system keeps for each thread: bits 1 and 2 stand for those of AVX, 5 to 7 for
    // the others of AVX-512.
    static std::uint32_t saved_registers() {
        std::uint32_t low, high;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return low;
    }
};

const Features& features() {
    static const Features found;
    return found;
}

}  // namespace

Level best_level() { return features().avx512 ? Level::avx512 : features().avx2 ? Level::avx2 : Level::plain; }
bool has_vnni() { return features().vnni; }
#else
Level best_level() { return Level::plain; }
bool has_vnni() { return false; }
#endif

}  // namespace dagmar
