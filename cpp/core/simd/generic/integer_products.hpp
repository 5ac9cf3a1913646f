// The functions of simd/integer_products.hpp.
#pragma once

#include "simd/generic/short_rows.hpp"

namespace dagmar::DAGMAR_LEVEL {

// The nonzero words of each row against some registers of lanes, of the panels from p to end. Integers may be added up
// in any order, so several chains hide the latency.
constexpr std::size_t kRegisters = 4;
template <class Kind, class Finish>
[[gnu::noinline]] void entries_and_panels(const CodeRbf& rbf, std::size_t p, std::size_t end, const Finish& finish) {
    constexpr std::size_t width = kWidth<float>, per = kPerPanel<float>, chains = 8 / kRegisters;
    const CodeOperands& of = rbf.of;
    const std::size_t step = of.n_words * kLanes, left = std::min(kRegisters, (end - p) * per);
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
    const auto finish = [&](std::size_t q, std::size_t lane, Integers sums) {
        float* to = out.row(q) + lane;
        Floats x = scale * distance_of<Kind>(rbf.of, q, lane, sums);
        if constexpr (HasUncoded) {
            const UncodedPart& uncoded = rbf.uncoded;
            const std::int32_t row = rbf.of.vectors[q];
            const Floats norms = splat<Floats>(uncoded.row_norms[row]) + load<Floats>(uncoded.lane_norms + lane);
            const Floats dots = uncoded.rows[row].n > 0 ? load<Floats>(to) : Floats{};
            x += uncoded_scale * Real<float>::distance(norms, dots);
        }
        store(to, power_of_two<float>(x));
    };
    if (!rbf.entries) return every_row<Kind>(rbf.of, finish);
    for_groups(rbf.of, [&](std::size_t first, std::size_t end) {
        for (std::size_t p = first; p < end; p += kRegisters / kPerPanel<float>)
            entries_and_panels<Kind>(rbf, p, end, finish);
    });
}

template <class Kind>
void code_rbf(const CodeRbf& rbf, const RowOutput& out) {
    rbf.uncoded.rows ? rbf_of<Kind, true>(rbf, out) : rbf_of<Kind, false>(rbf, out);
}

template <class Kind>
constexpr IntegerProducts integer_table() {
    IntegerProducts all{.bits = Kind::bits,
                        .differences = Kind::differences,
                        .rbf = code_rbf<Kind>,
                        .short_rbf = nullptr,
                        .least = least_distances<Kind, CodeOperands, float>,
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
