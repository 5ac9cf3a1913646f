// Sigmoids and systems that couple them. A number is one chain of operations in one lane; sums over lanes are added in
// a fixed order. So bits do not depend on the width of the registers.
#pragma once

#include <cmath>

#include "simd/generic/powers.hpp"
#include "simd/probabilities.hpp"

namespace dagmar::DAGMAR_LEVEL {

using Doubles = Vec<double>;

inline Doubles limited(Doubles z, double most) {
    const Doubles top = splat<Doubles>(most);
    return larger<double>(z < top ? z : top, -top);
}

// exp(z) for |z| < 700.
inline Doubles exponential(Doubles z) { return power_of_two<double>(z * splat<Doubles>(1.4426950408889634074)); }

// log(x) for x >= 1: n log 2 + log m, with m between 1/sqrt 2 and sqrt 2, and log m = 2 (s + s^3/3 + s^5/5 + ...) of
// s = (m - 1) / (m + 1). s^2 is below 0.0295, so that 11 terms are enough.
inline Doubles logarithm(Doubles x) {
    using Bits = Vec<std::uint64_t>;
    constexpr std::uint64_t one = std::uint64_t{1023} << 52, mantissa = (std::uint64_t{1} << 52) - 1;
    constexpr double root = 1.4142135623730951;
    const Bits bits = reinterpret_cast<Bits>(x);
    Doubles m = reinterpret_cast<Doubles>((bits & mantissa) | one);
    // The exponent as a number: its bits below those of 2^52.
    Doubles n = reinterpret_cast<Doubles>((bits >> 52) | (std::uint64_t{1075} << 52)) - splat<Doubles>(0x1p52 + 1023.0);
    const auto above = m > splat<Doubles>(root);
    m = above ? m * splat<Doubles>(0.5) : m;
    n = above ? n + splat<Doubles>(1.0) : n;
    const Doubles s = (m - splat<Doubles>(1.0)) / (m + splat<Doubles>(1.0)), s2 = s * s;
    Doubles series = splat<Doubles>(1.0 / 21.0);
#pragma GCC unroll 16
    for (int k = 9; k >= 0; --k) series = series * s2 + splat<Doubles>(1.0 / (2 * k + 1));
    return n * splat<Doubles>(0.69314718055994530942) + splat<Doubles>(2.0) * s * series;
}

inline void sigmoids(const double* values, const std::int64_t* machine, const double* slope, const double* offset,
                     double most, std::size_t n, double* later) {
    const Doubles one = splat<Doubles>(1.0);
    for (std::size_t pair = 0; pair < n; ++pair) {
        const auto m = static_cast<std::size_t>(machine[pair]);
        for (std::size_t lane = 0; lane < kLanes; lane += kWidth<double>) {
            const Doubles value = load<Doubles>(values + m * kLanes + lane);
            const Doubles z = limited(splat<Doubles>(slope[m]) * value + splat<Doubles>(offset[m]), most);
            store(later + pair * kLanes + lane, one / (one + exponential(z)));
        }
    }
}

inline Doubles square_root(Doubles x) {
#if DAGMAR_BYTES == 64
    return _mm512_sqrt_pd(x);
#elif DAGMAR_BYTES == 32
    return _mm256_sqrt_pd(x);
#else
    for (std::size_t u = 0; u < kWidth<double>; ++u) x[u] = std::sqrt(x[u]);
    return x;
#endif
}

// Sums of kLanes chains.
struct LaneSums {
    Doubles of[kPerPanel<double>] = {};

    double total() const {
        double lanes[kLanes];
        for (std::size_t p = 0; p < kPerPanel<double>; ++p) store(lanes + p * kWidth<double>, of[p]);
        for (std::size_t half = kLanes / 2; half > 0; half /= 2)
            for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
        return lanes[0];
    }
};

// Calls visit(at, p) for every register of n numbers; p is its place in a panel.
template <class Visit>
inline void for_registers(std::size_t n, const Visit& visit) {
    for (std::size_t first = 0; first < n; first += kLanes)
        for (std::size_t p = 0; p < kPerPanel<double>; ++p) visit(first + p * kWidth<double>, p);
}

inline double log_loss(const HeldOutValues& of, Line line, double most, double* p) {
    const Doubles one = splat<Doubles>(1.0), slope = splat<Doubles>(line.slope), offset = splat<Doubles>(line.offset);
    LaneSums sums;
    for_registers(of.n, [&](std::size_t at, std::size_t lane) {
        const Doubles z = limited(slope * load<Doubles>(of.value + at) + offset, most);
        const Doubles one_and_exp = one + exponential(z);
        store(p + at, one / one_and_exp);
        const Doubles loss = logarithm(one_and_exp) - z * (one - load<Doubles>(of.target + at));
        sums.of[lane] += load<Doubles>(of.weight + at) * loss;
    });
    return sums.total();
}

inline SigmoidSums sigmoid_sums(const HeldOutValues& of, const double* p) {
    LaneSums residual, of_value, curvature, curvature_of_value;
    for_registers(of.n, [&](std::size_t at, std::size_t lane) {
        const Doubles here = load<Doubles>(p + at), value = load<Doubles>(of.value + at);
        const Doubles weight = load<Doubles>(of.weight + at);
        const Doubles r = weight * (load<Doubles>(of.target + at) - here);
        const Doubles c = weight * (here - here * here);
        residual.of[lane] += r;
        of_value.of[lane] += r * value;
        curvature.of[lane] += c;
        curvature_of_value.of[lane] += c * value;
    });
    return {residual.total(), of_value.total(), curvature.total(), curvature_of_value.total()};
}

inline CentredSums centred_sums(const HeldOutValues& of, const double* p, double mean) {
    LaneSums residual, curvature;
    for_registers(of.n, [&](std::size_t at, std::size_t lane) {
        const Doubles here = load<Doubles>(p + at), from = load<Doubles>(of.value + at) - splat<Doubles>(mean);
        const Doubles by = load<Doubles>(of.weight + at) * from;
        residual.of[lane] += by * (load<Doubles>(of.target + at) - here);
        curvature.of[lane] += by * from * (here - here * here);
    });
    return {residual.total(), curvature.total()};
}

// ---------------------------------------------------------------- coupling

// The place of pair (i, j), i < j, in the order (0, 1), (0, 2), ...
inline std::size_t pair_place(std::size_t i, std::size_t j, std::size_t k) {
    return i * (2 * k - i - 1) / 2 + j - i - 1;
}

// Coupling of the samples in one register; numbers of a pair or class are kLanes apart in `later` and `p`.
//
// The matrix is Q of coupling.hpp, scaled to a diagonal of 1, in a triangle of registers, row after row. It is factored
// as L L', a block of kRows rows and columns at a time, whose sums stay in registers.
class CoupledLanes {
   public:
    CoupledLanes(const double* later, std::size_t k, double ridge, double* scratch)
        : later_(later), k_(k), ridge_(ridge), triangle_(scratch), diagonal_(triangle_ + k * (k + 1) / 2 * width),
          scale_(diagonal_ + k * width), x_(scale_ + k * width) {}

    void solve(double* p) {
        set_diagonal();
        std::size_t first = 0;
        for (; first + kRows <= k_; first += kRows) factor_rows<kRows>(first);
        factor_rest<kRows - 1>(first);
        // L y = scale is solved along with the factor; now L' x = y.
        for (std::size_t i = k_; i-- > 0;) {
            const Doubles x = at(x_, i) * load<Doubles>(row(i) + i * width);
            store(x_ + i * width, x);
            for (std::size_t j = 0; j < i; ++j)
                store(x_ + j * width, at(x_, j) - load<Doubles>(row(i) + j * width) * x);
        }
        refine(p);
    }

   private:
    static constexpr std::size_t width = kWidth<double>;
    static constexpr std::size_t kRows = kBytes == 64 ? 4 : 2;  // sums of a block fit the register file

    static Doubles at(const double* of_classes, std::size_t c) { return load<Doubles>(of_classes + c * width); }
    double* row(std::size_t i) const { return triangle_ + i * (i + 1) / 2 * width; }
    // r_ij r_ji of classes i < j.
    Doubles product(std::size_t i, std::size_t j) const {
        const Doubles later = load<Doubles>(later_ + pair_place(i, j, k_) * kLanes);
        return later - later * later;
    }

    void set_diagonal() {
        for (std::size_t c = 0; c < k_; ++c) store(diagonal_ + c * width, Doubles{});
        const double* pair = later_;
        for (std::size_t i = 0; i < k_; ++i) {
            Doubles own = at(diagonal_, i);
            for (std::size_t j = i + 1; j < k_; ++j, pair += kLanes) {
                const Doubles later = load<Doubles>(pair), earlier = splat<Doubles>(1.0) - later;
                own += later * later;
                store(diagonal_ + j * width, at(diagonal_, j) + earlier * earlier);
            }
            store(diagonal_ + i * width, own);
            const Doubles scale = splat<Doubles>(1.0) / square_root(own);
            store(scale_ + i * width, scale);
            store(x_ + i * width, scale);
        }
    }

    // The last rows, at most N.
    template <std::size_t N>
    void factor_rest(std::size_t first) {
        if (first + N == k_) return factor_rows<N>(first);
        if constexpr (N > 1) factor_rest<N - 1>(first);
    }

    // Rows first ... first+N-1 of L, with the inverse of each pivot in its place, and of y.
    template <std::size_t N>
    void factor_rows(std::size_t first) {
        for (std::size_t column = 0; column < first; column += kRows) left_block<N>(first, column);
        diagonal_block<N>(first);
        for (std::size_t i = first; i < first + N; ++i) {
            Doubles y = at(x_, i);
            for (std::size_t j = 0; j < i; ++j) y -= load<Doubles>(row(i) + j * width) * at(x_, j);
            store(x_ + i * width, y * load<Doubles>(row(i) + i * width));
        }
    }

    // The sums of a block without what its own columns take off.
    template <std::size_t N, std::size_t M>
    void subtract_columns_before(std::size_t first, std::size_t column, Doubles (&sums)[N][M]) const {
        const double *rows[N], *columns[M];
        for (std::size_t r = 0; r < N; ++r) rows[r] = row(first + r);
        for (std::size_t c = 0; c < M; ++c) columns[c] = row(column + c);
        for (std::size_t t = 0; t < column * width; t += width) {
            Doubles right[M];
#pragma GCC unroll 8
            for (std::size_t c = 0; c < M; ++c) right[c] = load<Doubles>(columns[c] + t);
#pragma GCC unroll 8
            for (std::size_t r = 0; r < N; ++r) {
                const Doubles left = load<Doubles>(rows[r] + t);
#pragma GCC unroll 8
                for (std::size_t c = 0; c < M; ++c) sums[r][c] -= left * right[c];
            }
        }
    }

    template <std::size_t N>
    void left_block(std::size_t first, std::size_t column) {
        Doubles sums[N][kRows];
        for (std::size_t r = 0; r < N; ++r)
            for (std::size_t c = 0; c < kRows; ++c)
                sums[r][c] = -product(column + c, first + r) * at(scale_, first + r) * at(scale_, column + c);
        subtract_columns_before(first, column, sums);
        for (std::size_t c = 0; c < kRows; ++c) {
            const std::size_t place = (column + c) * width;
            const Doubles inverse = load<Doubles>(row(column + c) + place);
            for (std::size_t r = 0; r < N; ++r) {
                sums[r][c] *= inverse;
                store(row(first + r) + place, sums[r][c]);
                for (std::size_t d = c + 1; d < kRows; ++d)
                    sums[r][d] -= sums[r][c] * load<Doubles>(row(column + d) + place);
            }
        }
    }

    template <std::size_t N>
    void diagonal_block(std::size_t first) {
        Doubles sums[N][N];
        for (std::size_t r = 0; r < N; ++r) {
            for (std::size_t c = 0; c < r; ++c)
                sums[r][c] = -product(first + c, first + r) * at(scale_, first + r) * at(scale_, first + c);
            for (std::size_t c = r; c < N; ++c) sums[r][c] = splat<Doubles>(1.0 + ridge_);
        }
        subtract_columns_before(first, first, sums);
        for (std::size_t c = 0; c < N; ++c) {
            // A pivot that rounding has made smaller is about the ridge.
            const Doubles pivot = larger<double>(sums[c][c], splat<Doubles>(ridge_));
            const Doubles inverse = splat<Doubles>(1.0) / square_root(pivot);
            store(row(first + c) + (first + c) * width, inverse);
            for (std::size_t r = c + 1; r < N; ++r) {
                sums[r][c] *= inverse;
                store(row(first + r) + (first + c) * width, sums[r][c]);
            }
            for (std::size_t r = c + 1; r < N; ++r)
                for (std::size_t d = c + 1; d <= r; ++d) sums[r][d] -= sums[r][c] * sums[d][c];
        }
    }

    // One step of p_i = (sum_j r_ji r_ij p_j + multiplier) / Q_ii from the solution.
    void refine(double* out) {
        const auto normalise = [&] {
            Doubles sum{};
            for (std::size_t c = 0; c < k_; ++c) sum += at(x_, c);
            return splat<Doubles>(1.0) / sum;
        };
        for (std::size_t c = 0; c < k_; ++c) store(x_ + c * width, at(x_, c) * at(scale_, c));
        Doubles by = normalise();
        double* others = triangle_;  // what the other classes say of each; the factor is no longer needed
        for (std::size_t c = 0; c < k_; ++c) {
            store(x_ + c * width, larger<double>(at(x_, c) * by, Doubles{}));
            store(others + c * width, Doubles{});
        }
        for (std::size_t i = 0; i < k_; ++i) {
            const Doubles p = at(x_, i);
            Doubles own = at(others, i);
            for (std::size_t j = i + 1; j < k_; ++j) {
                const Doubles of_pair = product(i, j);
                own += of_pair * at(x_, j);
                store(others + j * width, at(others, j) + of_pair * p);
            }
            store(others + i * width, own);
        }
        Doubles multiplier{};
        for (std::size_t c = 0; c < k_; ++c) multiplier += at(x_, c) * (at(diagonal_, c) * at(x_, c) - at(others, c));
        multiplier = larger<double>(multiplier, Doubles{});
        for (std::size_t c = 0; c < k_; ++c) store(x_ + c * width, (at(others, c) + multiplier) / at(diagonal_, c));
        by = normalise();
        for (std::size_t c = 0; c < k_; ++c) store(out + c * kLanes, at(x_, c) * by);
    }

    const double* later_;
    const std::size_t k_;
    const double ridge_;
    double *triangle_, *diagonal_, *scale_, *x_;
};

inline void couple(const double* later, std::size_t k, double ridge, double* scratch, double* p) {
    for (std::size_t lane = 0; lane < kLanes; lane += kWidth<double>)
        CoupledLanes(later + lane, k, ridge, scratch).solve(p + lane);
}

constexpr ProbabilityFunctions probability_table() {
    return {.sigmoids = sigmoids,
            .log_loss = log_loss,
            .sums = sigmoid_sums,
            .centred_sums = centred_sums,
            .couple = couple};
}

}  // namespace dagmar::DAGMAR_LEVEL
