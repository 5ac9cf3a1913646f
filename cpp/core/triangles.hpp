// Upper triangular matrices U in rows, for steps of all free samples: K = U' U, and linear systems with it. Included by
// simd_impl.hpp, inside a namespace of its instruction set.
//
// A row has `stride` values, a multiple of kLanes. Behind the last column they are 0; left of the diagonal they are not
// used. An element is one chain of operations, so its bits do not depend on the width of the registers.

// Rows that are computed side by side, against two registers of columns: their sums fit the register file.
constexpr std::size_t kRowsAtOnce = kBytes == 64 ? 8 : 4;

// Takes the first k rows, times their values in the columns of Count rows from row k on, off those rows.
template <class T, std::size_t Count>
inline void subtract_rows_above(T* u, std::size_t stride, std::size_t k) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, wide = 2 * width;
    for (std::size_t at = k / wide * wide; at < stride; at += wide) {
        V sums[Count][2];
        for_each<Count>([&]<std::size_t r>() {
            sums[r][0] = load<V>(u + (k + r) * stride + at);
            sums[r][1] = load<V>(u + (k + r) * stride + at + width);
        });
        for (std::size_t i = 0; i < k; ++i) {
            const T* const above = u + i * stride;
            const V first = load<V>(above + at), second = load<V>(above + at + width);
            for_each<Count>([&]<std::size_t r>() {
                const V coef = splat<V>(above[k + r]);
                sums[r][0] -= coef * first;
                sums[r][1] -= coef * second;
            });
        }
        for_each<Count>([&]<std::size_t r>() {
            store(u + (k + r) * stride + at, sums[r][0]);
            store(u + (k + r) * stride + at + width, sums[r][1]);
        });
    }
}

// u: K from the diagonal on; becomes U. Returns whether K is positive definite. A pivot that is not positive belongs to
// a kernel that is not; it becomes infinite, and so its sample does not move.
template <class T>
bool factor(T* u, std::size_t n, std::size_t stride) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>;
    bool is_definite = true;
    // Calls change(values of the row, from a whole register on).
    const auto for_registers = [&](std::size_t k, const auto& change) {
        for (std::size_t at = k / width * width; at < stride; at += width) change(at);
    };
    const auto finish = [&](std::size_t first, std::size_t end) {
        for (std::size_t k = first; k < end; ++k) {
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
    };
    std::size_t k = 0;
    for (; k + kRowsAtOnce <= n; k += kRowsAtOnce) {
        subtract_rows_above<T, kRowsAtOnce>(u, stride, k);
        finish(k, k + kRowsAtOnce);
    }
    for (; k < n; ++k) {
        subtract_rows_above<T, 1>(u, stride, k);
        finish(k, k + 1);
    }
    return is_definite;
}

// What stands from column `at` on, if it is right of column k, else 0.
template <class T>
inline Vec<T> right_of(std::size_t k, const T* row, std::size_t at) {
    using Places = Vec<std::conditional_t<sizeof(T) == sizeof(float), std::int32_t, std::int64_t>>;
    Places places;
    for (std::size_t u = 0; u < kWidth<T>; ++u) places[u] = static_cast<std::int32_t>(u);
    return places > (Places{} + (static_cast<std::int32_t>(k) - static_cast<std::int32_t>(at))) ? load<Vec<T>>(row + at)
                                                                                                : Vec<T>{};
}

// Solves K x = b and K x = c, in place. b and c have `stride` values, 0 behind the n-th.
template <class T>
void solve_two(const T* u, std::size_t n, std::size_t stride, T* b, T* c) {
    using V = Vec<T>;
    constexpr std::size_t width = kWidth<T>, per = kPerPanel<T>;
    for (std::size_t k = 0; k < n; ++k) {
        const T* const row = u + k * stride;
        const T inverse = T(1) / row[k];  // a division of what the row before leaves would have to wait for it
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
        for_each<per>([&]<std::size_t p>() {
            const std::size_t at = first + p * width;
            const V values = right_of(k, row, at);
            sums[0][p] = values * load<V>(b + at);
            sums[1][p] = values * load<V>(c + at);
        });
        for (std::size_t at = first + kLanes; at < stride; at += kLanes)
            for_each<per>([&]<std::size_t p>() {
                const V values = load<V>(row + at + p * width);
                sums[0][p] += values * load<V>(b + at + p * width);
                sums[1][p] += values * load<V>(c + at + p * width);
            });
        for (T* const side : {b, c}) {
            T lanes[kLanes];
            for (std::size_t p = 0; p < per; ++p) store(lanes + p * width, sums[side == c][p]);
            for (std::size_t half = kLanes / 2; half > 0; half /= 2)
                for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
            side[k] = (side[k] - lanes[0]) * inverse;
        }
    }
}

// Takes a sample out, of n. Without its column, the rows from there on have one value left of the diagonal, which a
// rotation of two neighbours at a time makes zero.
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
