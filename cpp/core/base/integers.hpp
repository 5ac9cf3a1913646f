// Indices that arrive as signed integers, used as sizes and places.
#pragma once

#include <concepts>
#include <cstddef>

namespace dagmar {

// Always inline: it is called from code for every instruction set, and the linker would keep only one of them.
template <std::integral Integer>
[[gnu::always_inline]] constexpr std::size_t usize(Integer i) {
    return static_cast<std::size_t>(i);
}

}  // namespace dagmar
