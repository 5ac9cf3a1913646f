#include "base/costs.hpp"

namespace dagmar {

const Costs& costs(Level level) {
    // All costs but those of integers scale by about the same factor.
#ifdef DAGMAR_X86
    static const bool has_vnni = __builtin_cpu_supports("avx512vnni");
#else
    static constexpr bool has_vnni = false;
#endif
    // Without VNNI, sums of integer products need the same ports as float ones.
    static const Costs avx512 = has_vnni ? Costs{} : Costs{.byte_codes = 1.0, .word_codes = 1.0};
    static constexpr Costs avx2{.byte_codes = 1.8, .word_codes = 1.8};  // no byte products: words are used
    static constexpr Costs plain{.byte_codes = 1.0, .word_codes = 1.0};
    return level == Level::avx512 ? avx512 : level == Level::avx2 ? avx2 : plain;
}

}  // namespace dagmar
