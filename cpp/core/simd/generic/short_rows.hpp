// Short rows of codes, of a few words each: panels stay in registers while all rows pass. There is nothing to set up
// for a row, and a processor works on the next rows while one is finished.
#pragma once

#include <bit>

#include "simd/generic/codes.hpp"

namespace dagmar::DAGMAR_LEVEL {

#ifdef __AVX512VNNI__

// Calls pass.template operator()<P>(p, each) for all panels, P = 2 at a time and then one: each(visit) calls
// visit(q, u, distances) for every row q and panel p + u. n_words is W; more words or panels would not fit the
// registers.
template <class Kind, std::size_t W = 1, class Pass>
inline void short_rows(const CodeOperands& of, const Pass& pass) {
    if (of.n_words != W) {
        if constexpr (W < kShortWords) short_rows<Kind, W + 1>(of, pass);
        return;
    }
    in_batches<2>(of.n_panels, [&]<std::size_t P>(std::size_t p) {
        Integers lanes[P][W], norms[P];
        for (std::size_t u = 0; u < P; ++u) {
            for (std::size_t w = 0; w < W; ++w) lanes[u][w] = load<Integers>(of.panels + ((p + u) * W + w) * kLanes);
            norms[u] = load<Integers>(of.lane_norms + (p + u) * kLanes);
        }
        pass.template operator()<P>(p, [&](const auto& visit) {
            for (std::size_t q = 0; q < of.n_vectors; ++q) {
                const std::uint32_t* row = of.row(q);
                const auto row_norm = splat<Integers>(static_cast<std::uint32_t>(of.row_norms[of.vectors[q]]));
#pragma GCC unroll 4
                for (std::size_t u = 0; u < P; ++u) {
                    Integers sums{};
#pragma GCC unroll 8
                    for (std::size_t w = 0; w < W; ++w)
                        sums = Kind::add_products(sums, lanes[u][w], splat<Integers>(row[w]));
                    visit(q, u, row_norm + norms[u] - (sums + sums));
                }
            }
        });
    });
}

// 2^(j / 32) for j = 0 ... 31, as bits, from which j << 18 is taken away: the sum with n << 18 is 2^(n / 32), if the
// last five bits of n are j.
struct PowerTable {
    alignas(kBytes) std::uint32_t bits[32];
};
constexpr PowerTable power_table() {
    PowerTable table{};
    double power = 1.0;
    for (std::uint32_t j = 0; j < 32; ++j, power *= 1.0218971486541166)
        table.bits[j] = std::bit_cast<std::uint32_t>(static_cast<float>(power)) - (j << 18);
    return table;
}
inline constexpr PowerTable kPowers = power_table();

// exp(-gamma d) of distances, for labels. Products of short rows take so little time that a quicker power of two pays:
// scale d = n / 32 + r with |r| <= 1/64, 2^(n / 32) is in a table that two registers hold, and 2^r - 1 is a polynomial
// of degree 2, with a relative error of 0.9 units. Measured, values are at most 1.7 units off besides the rounding of
// scale d (Kernel allows for 6). Values below the faintest are the faintest, not 0.
struct QuickRbf {
    explicit QuickRbf(double gamma)
        : scale(splat<Floats>(scale_of<float>(gamma))),
          farthest(splat<Floats>(static_cast<float>(kFaintest<float>) / scale_of<float>(gamma))) {}
    Floats operator()(Integers distance) const {
        const Floats whole = splat<Floats>(393216.0f);  // 1.5 * 2^18: added, it leaves n in the low bits
        const Floats d = _mm512_min_ps(to_floats(distance), farthest);
        const Floats shifted = d * scale + whole, r = d * scale - (shifted - whole);
        const auto n = reinterpret_cast<Integers>(shifted);
        const auto from_table = reinterpret_cast<Integers>(_mm512_permutex2var_epi32(
            _mm512_load_si512(kPowers.bits), reinterpret_cast<__m512i>(n), _mm512_load_si512(kPowers.bits + 16)));
        const auto power = reinterpret_cast<Floats>(from_table + (n << 18));
        const Floats slope = splat<Floats>(0.24022650f) * r + splat<Floats>(0.69315733f);
        return slope * (r * power) + power;
    }
    Floats scale, farthest;
};

template <class Kind>
void short_rbf(const CodeOperands& of, double gamma, const RowOutput& out) {
    const QuickRbf rbf(gamma);
    short_rows<Kind>(of, [&]<std::size_t P>(std::size_t p, const auto& each) {
        each([&](std::size_t q, std::size_t u, Integers distance) {
            store(out.row(q) + (p + u) * kLanes, rbf(distance));
        });
    });
}

template <class Kind>
void short_least(const CodeOperands& of, float* out) {
    short_rows<Kind>(of, [&]<std::size_t P>(std::size_t p, const auto& each) {
        Integers least[P];
        for (Integers& one : least) one = splat<Integers>(std::uint32_t{0x7fffffff});
        each([&](std::size_t, std::size_t u, Integers distance) {
            least[u] = distance < least[u] ? distance : least[u];
        });
        for (std::size_t u = 0; u < P; ++u) {
            const Floats here = to_floats(least[u]), before = load<Floats>(out + (p + u) * kLanes);
            store(out + (p + u) * kLanes, here < before ? here : before);
        }
    });
}

#endif

}  // namespace dagmar::DAGMAR_LEVEL
