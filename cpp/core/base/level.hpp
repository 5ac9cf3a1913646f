// The instruction sets that the core is compiled for.
#pragma once

namespace dagmar {

enum class Level : int { plain = 0, avx2 = 1, avx512 = 2 };

// The best level of this processor.
Level best_level();

}  // namespace dagmar
