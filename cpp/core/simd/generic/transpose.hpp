// Copies of parts of a matrix: transposed, or of some rows and columns.
#pragma once

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

template <class T>
void gather(const T* rows, std::size_t stride, const std::int32_t* slots, const std::int32_t* places, std::size_t count,
            std::size_t n, T* block) {
    for (std::size_t i = 0; i < count; ++i) {
        const T* row = rows + static_cast<std::size_t>(slots[i]) * stride;
        T *const to = block + i * n, *mirrored = block + i;
#pragma GCC unroll 4
        for (std::size_t j = 0; j < i; ++j, mirrored += n) to[j] = *mirrored = row[places[j]];
        to[i] = row[places[i]];
        for (std::size_t j = count; j < n; ++j) to[j] = T(0);
    }
}

// One element of two registers for each of the indices, which count through both.
template <class T, std::size_t... Index>
inline Vec<T> pick(Vec<T> a, Vec<T> b, std::index_sequence<Index...>) {
#ifdef __clang__
    return __builtin_shufflevector(a, b, Index...);
#else
    return __builtin_shuffle(a, b, Vec<BitsOf<T>>{static_cast<BitsOf<T>>(Index)...});
#endif
}

// Transposes a square of registers: exchanges its upper right and lower left blocks of Size x Size elements, then does
// the same within each of the four blocks.
template <class T, std::size_t Size = kWidth<T> / 2>
inline void transpose_square(Vec<T>* square) {
    constexpr std::size_t width = kWidth<T>;
    const auto exchange = [&]<std::size_t... J>(std::index_sequence<J...>) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < width; ++i) {
            if (i & Size) continue;
            const Vec<T> upper = square[i], lower = square[i + Size];
            square[i] = pick<T>(upper, lower, std::index_sequence<(J & Size ? width + J - Size : J)...>());
            square[i + Size] = pick<T>(upper, lower, std::index_sequence<(J & Size ? width + J : J + Size)...>());
        }
    };
    exchange(std::make_index_sequence<width>());
    if constexpr (Size > 1) transpose_square<T, Size / 2>(square);
}

template <class T>
void transpose(const T* from, std::size_t stride, std::size_t n_rows, std::size_t n_columns, T* to,
               std::size_t to_stride) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    for (std::size_t i = 0; i < padded(n_rows); i += width)
        for (std::size_t j = 0; j < n_columns; j += width) {
            V square[width];
            for (std::size_t k = 0; k < width; ++k)
                square[k] = i + k < n_rows ? load<V>(from + (i + k) * stride + j) : V{};
            transpose_square<T>(square);
            for (std::size_t k = 0; k < width && j + k < n_columns; ++k) store(to + (j + k) * to_stride + i, square[k]);
        }
}

}  // namespace dagmar::DAGMAR_LEVEL
