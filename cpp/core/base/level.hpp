// The instruction sets that the core is compiled for.
#pragma once

namespace dagmar {

enum class Level : int { plain = 0, avx2 = 1, avx512 = 2 };

// The best level of this processor and its operating system.
Level best_level();

// Whether this processor multiplies and adds integers in one instruction. Only with Level::avx512.
bool has_vnni();

}  // namespace dagmar
