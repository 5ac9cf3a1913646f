// Upper triangular matrices U with K = U' U, and linear systems with K: for steps that move all free samples.
//
// A row has `stride` values, a multiple of kLanes. They are 0 behind the last column and unused left of the diagonal.
// An element is one chain of operations, so its bits do not depend on the width of the registers.
#pragma once

#include <cmath>
#include <cstring>

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Rows that are computed side by side, against two registers of columns: their sums fit the register file.
constexpr std::size_t kRowsAtOnce = kBytes == 64 ? 8 : 4;

// Subtracts from rows k ... k+Count-1 the first k rows, each times its value in the column of the diagonal.
template <class T, std::size_t Count>
inline void subtract_rows_above(T* u, std::size_t stride, std::size_t k) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, wide = 2 * width;
    for (std::size_t at = k / wide * wide; at < stride; at += wide) {
        V sums[Count][2];
        for (std::size_t r = 0; r < Count; ++r)
            for (std::size_t p = 0; p < 2; ++p) sums[r][p] = load<V>(u + (k + r) * stride + at + p * width);
        for (std::size_t i = 0; i < k; ++i) {
            const T* const above = u + i * stride;
            const V first = load<V>(above + at), second = load<V>(above + at + width);
#pragma GCC unroll 8
            for (std::size_t r = 0; r < Count; ++r) {
                const V coef = splat<V>(above[k + r]);
                sums[r][0] -= coef * first;
                sums[r][1] -= coef * second;
            }
        }
        for (std::size_t r = 0; r < Count; ++r)
            for (std::size_t p = 0; p < 2; ++p) store(u + (k + r) * stride + at + p * width, sums[r][p]);
    }
}

// A pivot that is not positive becomes infinite, so that its sample does not move.
template <class T>
bool factor(T* u, std::size_t n, std::size_t stride) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    bool is_definite = true;
    // Calls change(at) for each register of row k from the diagonal on.
    const auto for_registers = [&](std::size_t k, const auto& change) {
        for (std::size_t at = k / width * width; at < stride; at += width) change(at);
    };
    in_batches<kRowsAtOnce>(n, [&]<std::size_t Count>(std::size_t first) {
        subtract_rows_above<T, Count>(u, stride, first);
        for (std::size_t k = first; k < first + Count; ++k) {
            T* const row = u + k * stride;
            for (std::size_t i = first; i < k; ++i) {
                const T* const above = u + i * stride;
                const V coef = splat<V>(above[k]);
                for_registers(k,
                              [&](std::size_t at) { store(row + at, load<V>(row + at) - coef * load<V>(above + at)); });
            }
            is_definite = is_definite && row[k] > T(0);
            const T pivot = row[k] > T(0) ? std::sqrt(row[k]) : std::numeric_limits<T>::infinity();
            for_registers(k, [&](std::size_t at) { store(row + at, load<V>(row + at) / splat<V>(pivot)); });
            row[k] = pivot;
        }
    });
    return is_definite;
}

// The values from column `at` on, with 0 for those that are not right of column k.
template <class T>
inline Vec<T> right_of(std::size_t k, const T* row, std::size_t at) {
    using Place = SignedOf<T>;
    const auto is_right = counting_from(static_cast<Place>(at)) > (Vec<Place>{} + static_cast<Place>(k));
    return is_right ? load<Vec<T>>(row + at) : Vec<T>{};
}

template <class T>
void solve_two(const T* u, std::size_t n, std::size_t stride, T* b, T* c) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    for (std::size_t k = 0; k < n; ++k) {
        const T* const row = u + k * stride;
        const T inverse = T(1) / row[k];  // ready early: a division of b[k] would wait for the row before
        b[k] *= inverse;
        c[k] *= inverse;
        const V of_b = splat<V>(b[k]), of_c = splat<V>(c[k]);
        const auto subtract = [&](V values, std::size_t at) {
            store(b + at, load<V>(b + at) - values * of_b);
            store(c + at, load<V>(c + at) - values * of_c);
        };
        const std::size_t first = k / width * width;
        subtract(right_of(k, row, first), first);
        for (std::size_t at = first + width; at < stride; at += width) subtract(load<V>(row + at), at);
    }
    for (std::size_t k = n; k-- > 0;) {
        const T* const row = u + k * stride;
        const T inverse = T(1) / row[k];
        V sums[2][per];
        const std::size_t first = k / kLanes * kLanes;
        for (std::size_t p = 0; p < per; ++p) {
            const std::size_t at = first + p * width;
            const V values = right_of(k, row, at);
            sums[0][p] = values * load<V>(b + at);
            sums[1][p] = values * load<V>(c + at);
        }
        for (std::size_t at = first + kLanes; at < stride; at += kLanes)
#pragma GCC unroll 8
            for (std::size_t p = 0; p < per; ++p) {
                const V values = load<V>(row + at + p * width);
                sums[0][p] += values * load<V>(b + at + p * width);
                sums[1][p] += values * load<V>(c + at + p * width);
            }
        for (T* const side : {b, c}) {
            T lanes[kLanes];
            for (std::size_t p = 0; p < per; ++p) store(lanes + p * width, sums[side == c][p]);
            for (std::size_t half = kLanes / 2; half > 0; half /= 2)
                for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
            side[k] = (side[k] - lanes[0]) * inverse;
        }
    }
}

// Without the sample's column, each row from there on has one value left of the diagonal. Rotations of neighbouring
// rows make these zero.
template <class T>
void take_out(T* u, std::size_t n, std::size_t stride, std::size_t sample) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    constexpr T least = sizeof(T) == sizeof(float) ? T(1e-30) : T(1e-280), most = T(1) / least;
    for (std::size_t i = 0; i < n; ++i) {
        T* const row = u + i * stride;
        std::memmove(row + std::max(i, sample + 1) - 1, row + std::max(i, sample + 1),
                     (n - std::max(i, sample + 1)) * sizeof(T));
        row[n - 1] = T(0);
    }
    for (std::size_t i = sample; i + 1 < n; ++i) {
        T *const row = u + i * stride, *const below = row + stride;
        const T squares = row[i] * row[i] + below[i] * below[i];
        const T length = squares > least && squares < most ? std::sqrt(squares) : std::hypot(row[i], below[i]);
        const T cosine = row[i] / length, sine = below[i] / length;
        for (std::size_t at = i / width * width; at < stride; at += width) {
            const V a = load<V>(row + at), b = load<V>(below + at);
            store(row + at, splat<V>(cosine) * a + splat<V>(sine) * b);
            store(below + at, splat<V>(cosine) * b - splat<V>(sine) * a);
        }
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
