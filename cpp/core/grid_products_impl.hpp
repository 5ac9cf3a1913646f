// The body of grid_products_<level>.cpp, which set DAGMAR_LEVEL (a namespace) and DAGMAR_BYTES (register width).
#include "grid_products.hpp"
#include "simd_vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

using Integers = Vec<std::int32_t>;
using Floats = Vec<float>;

struct Bits16 {
    static constexpr int bits = 16;
    static constexpr double faster = kBytes == 64 ? 1.9 : 1.8;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
#if DAGMAR_BYTES == 64
        return reinterpret_cast<Integers>(_mm512_dpwssd_epi32(
            reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row)));
#else
        return sums + reinterpret_cast<Integers>(
                          _mm256_madd_epi16(reinterpret_cast<__m256i>(lanes), reinterpret_cast<__m256i>(row)));
#endif
    }
};

#if DAGMAR_BYTES == 64
struct Bits8 {
    static constexpr int bits = 8;
    static constexpr double faster = 3.8;
    static Integers add_products(Integers sums, Integers lanes, Integers row) {
        return reinterpret_cast<Integers>(_mm512_dpbusd_epi32(
            reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(lanes), reinterpret_cast<__m512i>(row)));
    }
};
#endif

// Q rows against P panels, from row q and panel p on.
template <class Bits, std::size_t Q, std::size_t P, class Finish>
inline void grid_block(const GridOperands& of, std::size_t q, std::size_t p, const Finish& finish, float* out) {
    constexpr std::size_t width = kWidth<float>, per = kPerPanel<float>;
    Integers sums[Q][P * per] = {};
    const std::int32_t* row[Q];
    std::int32_t norm[Q];
    for (std::size_t i = 0; i < Q; ++i) {
        const auto v = static_cast<std::size_t>(of.vectors[q + i]);
        row[i] = reinterpret_cast<const std::int32_t*>(of.rows + v * of.n_words);
        norm[i] = of.row_norms[v];
    }
    const std::size_t step = of.n_words * kLanes;
    const auto* panel = reinterpret_cast<const std::int32_t*>(of.panels + p * step);
    for (std::size_t w = 0; w < of.n_words; ++w) {
        Integers lanes[P * per];
#pragma GCC unroll 32
        for (std::size_t u = 0; u < P * per; ++u)
            lanes[u] = load<Integers>(panel + u / per * step + w * kLanes + u % per * width);
#pragma GCC unroll 32
        for (std::size_t i = 0; i < Q; ++i) {
            const Integers x = splat<Integers>(row[i][w]);
#pragma GCC unroll 32
            for (std::size_t u = 0; u < P * per; ++u) sums[i][u] = Bits::add_products(sums[i][u], lanes[u], x);
        }
    }
    const std::size_t n_lanes = of.n_panels * kLanes;
#pragma GCC unroll 32
    for (std::size_t i = 0; i < Q; ++i)
#pragma GCC unroll 32
        for (std::size_t u = 0; u < P * per; ++u) {
            const std::size_t lane = p * kLanes + u * width;
            const Integers distance =
                (load<Integers>(of.lane_norms + lane) + splat<Integers>(norm[i])) - (sums[i][u] + sums[i][u]);
            store(out + (q + i) * n_lanes + lane, finish(__builtin_convertvector(distance, Floats)));
        }
}

template <class Bits, std::size_t Q, class Finish>
inline void grid_rows(const GridOperands& of, std::size_t q, const Finish& finish, float* out) {
    // A row alone meets as many panels as hide the latency of its sums.
    constexpr std::size_t P = (Q == 1 ? 8 : 2) / kPerPanel<float>;
    std::size_t p = 0;
    for (; p + P <= of.n_panels; p += P) grid_block<Bits, Q, P>(of, q, p, finish, out);
    for (; p < of.n_panels; ++p) grid_block<Bits, Q, 1>(of, q, p, finish, out);
}

// Every row meets every panel; the last rows, which may be fewer, overlap the ones before, as all results are exact.
template <class Bits, class Finish>
inline void grid_all(const GridOperands& of, const Finish& finish, float* out) {
    constexpr std::size_t Q = kBytes == 64 ? 12 : 6;  // accumulators that fit the register file, as in simd_impl.hpp
    if (of.n_vectors < Q) {
        for (std::size_t q = 0; q < of.n_vectors; ++q) grid_rows<Bits, 1>(of, q, finish, out);
        return;
    }
    std::size_t q = 0;
    for (; q + Q <= of.n_vectors; q += Q) grid_rows<Bits, Q>(of, q, finish, out);
    if (q < of.n_vectors) grid_rows<Bits, Q>(of, of.n_vectors - Q, finish, out);
}

template <class Bits>
void grid_rbf(const GridOperands& of, float scale, float* out) {
    const Floats factor = splat<Floats>(scale);
    grid_all<Bits>(of, [=](Floats distance) { return power_of_two<float>(factor * distance); }, out);
}

template <class Bits>
void grid_distances(const GridOperands& of, float* out) {
    grid_all<Bits>(of, [](Floats distance) { return distance; }, out);
}

template <class S>
bool grid_levels(const S* x, const GridScale& by, std::size_t n_features, std::int16_t* out) {
    constexpr double whole = PowerOfTwo<double>::to_integer;
    std::int64_t on_grid = 1;
    for (std::size_t f = 0; f < n_features; ++f) {
        const double level = (static_cast<double>(x[f]) - by.origin[f]) * by.per_step;
        const double nearest = (level + whole) - whole, off = level - nearest;
        // What is not a number is not on the grid.
        const bool here =
            (off <= by.tolerance) & (off >= -by.tolerance) & (nearest >= by.lowest) & (nearest <= by.highest);
        on_grid &= here;
        out[f] = static_cast<std::int16_t>(here ? static_cast<std::int32_t>(nearest) : 0);
    }
    return on_grid;
}

template <class Bits>
constexpr GridProducts grid_table() {
    return {Bits::bits, Bits::faster, grid_rbf<Bits>, grid_distances<Bits>, grid_levels<float>, grid_levels<double>};
}

}  // namespace dagmar::DAGMAR_LEVEL
