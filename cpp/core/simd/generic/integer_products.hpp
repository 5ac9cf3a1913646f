// The functions of simd/integer_products.hpp.
#pragma once

#include "simd/generic/short_rows.hpp"

namespace dagmar::DAGMAR_LEVEL {

// The nonzero words of each row against some registers of lanes, from panel p on. Integers may be added up in any
// order, so several chains hide the latency.
constexpr std::size_t kRegisters = 4;
template <class Kind, class Finish>
[[gnu::noinline]] void entries_and_panels(const CodeRbf& rbf, std::size_t p, const Finish& finish) {
    constexpr std::size_t width = kWidth<float>, per = kPerPanel<float>, chains = 8 / kRegisters;
    const CodeOperands& of = rbf.of;
    const std::size_t step = of.n_words * kLanes, left = std::min(kRegisters, (of.n_panels - p) * per);
    const std::uint32_t* panel = of.panels + p * step;
    const std::uint32_t* from[kRegisters];  // if there are too few lanes, the first are multiplied again
    for (std::size_t u = 0; u < kRegisters; ++u) from[u] = u < left ? panel + u / per * step + u % per * width : panel;
    for (std::size_t q = 0; q < of.n_vectors; ++q) {
        const CodeEntries row = rbf.entries[of.vectors[q]];
        Integers sums[chains][kRegisters] = {};
        const auto add = [&](const CodeEntry& entry, Integers* to) {
            const Integers x = splat<Integers>(entry.word);
#pragma GCC unroll 8
            for (std::size_t u = 0; u < kRegisters; ++u)
                to[u] = Kind::add_products(to[u], load<Integers>(from[u] + entry.place * kLanes), x);
        };
        std::size_t t = 0;
        for (; t + chains <= row.n; t += chains)
#pragma GCC unroll 8
            for (std::size_t i = 0; i < chains; ++i) add(row.first[t + i], sums[i]);
        for (; t < row.n; ++t) add(row.first[t], sums[0]);
#pragma GCC unroll 8
        for (std::size_t u = 0; u < kRegisters; ++u) {
            if (u == left) break;
            for (std::size_t i = 1; i < chains; ++i) sums[0][u] += sums[i][u];
            finish(q, p * kLanes + u * width, sums[0][u]);
        }
    }
}

template <class Kind, bool HasUncoded>
void rbf_of(const CodeRbf& rbf, const RowOutput& out) {
    const Floats scale = splat<Floats>(scale_of<float>(rbf.gamma));
    const Floats uncoded_scale = splat<Floats>(scale_of<float>(rbf.uncoded.gamma));
    // A group of panels stays in the second-level cache while every row passes over it.
    const std::size_t group =
        std::max<std::size_t>(8, (std::size_t{512} << 10) / (rbf.of.n_words * kLanes * sizeof(std::uint32_t) + 1));
    for (std::size_t first = 0; first < rbf.of.n_panels; first += group) {
        CodeRbf part = rbf;
        part.of.panels += first * rbf.of.n_words * kLanes;
        part.of.lane_norms += first * kLanes;
        part.of.n_panels = std::min(group, rbf.of.n_panels - first);
        const auto finish = [&](std::size_t q, std::size_t lane, Integers sums) {
            float* to = out.row(q) + first * kLanes + lane;
            Floats x = scale * distance_of<Kind>(part.of, q, lane, sums);
            if constexpr (HasUncoded) {
                const UncodedPart& uncoded = rbf.uncoded;
                const std::int32_t row = rbf.of.vectors[q];
                const Floats norms =
                    splat<Floats>(uncoded.row_norms[row]) + load<Floats>(uncoded.lane_norms + first * kLanes + lane);
                const Floats dots = uncoded.rows[row].n > 0 ? load<Floats>(to) : Floats{};
                x += uncoded_scale * larger<float>(norms - splat<Floats>(2.0f) * dots, Floats{});
            }
            store(to, power_of_two<float>(x));
        };
        if (!rbf.entries)
            every_row<Kind>(part.of, finish);
        else
            for (std::size_t p = 0; p < part.of.n_panels; p += kRegisters / kPerPanel<float>)
                entries_and_panels<Kind>(part, p, finish);
    }
}

template <class Kind>
void code_rbf(const CodeRbf& rbf, const RowOutput& out) {
    rbf.uncoded.rows ? rbf_of<Kind, true>(rbf, out) : rbf_of<Kind, false>(rbf, out);
}

template <class Kind>
void code_distances(const CodeOperands& of, const RowOutput& out) {
    every_row<Kind>(of, [&](std::size_t q, std::size_t lane, Integers sums) {
        store(out.row(q) + lane, distance_of<Kind>(of, q, lane, sums));
    });
}

template <class Kind>
constexpr IntegerProducts integer_table() {
    IntegerProducts all{.bits = Kind::bits,
                        .rbf = code_rbf<Kind>,
                        .short_rbf = nullptr,
                        .distances = code_distances<Kind>,
                        .least = least_distances<Kind, CodeOperands>,
                        .encode_floats = encode<Kind, float>,
                        .encode_doubles = encode<Kind, double>};
#ifdef __AVX512VNNI__
    all.short_rbf = short_rbf<Kind>;
    all.least = [](const CodeOperands& of, float* out) {
        of.n_words <= kShortWords ? short_least<Kind>(of, out) : least_distances<Kind>(of, out);
    };
#endif
    return all;
}

}  // namespace dagmar::DAGMAR_LEVEL
