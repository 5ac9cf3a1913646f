// The tables of an instruction set.
#pragma once

#include "simd/generic/differences.hpp"
#include "simd/generic/kernels.hpp"
#include "simd/generic/largest.hpp"
#include "simd/generic/nonzero_products.hpp"
#include "simd/generic/pair_steps.hpp"
#include "simd/generic/products.hpp"
#include "simd/generic/ranges.hpp"
#include "simd/generic/row_distances.hpp"
#include "simd/generic/score_pass.hpp"
#include "simd/generic/sums.hpp"
#include "simd/generic/transpose.hpp"
#include "simd/generic/triangles.hpp"
#include "simd/tables.hpp"

namespace dagmar::DAGMAR_LEVEL {

template <class T>
constexpr Simd<T> table() {
    return {
        .laplacian = distance_passes<T, Absolute>(),
        .chi2 = distance_passes<T, ChiSquared>(),
        .dots = sums_of_rows<Real<T>, T>,
        .dots_of_nonzeros = sums_of_nonzeros<Real<T>, T>,
        .dots_alone = sums_alone<Real<T>, T>,
        .norms_of_rows = norms_of_rows<T>,
        .norms = norms<T>,
        .rbf_values = decay_values<Real<T>, T>,
        .least = least_distances<Real<T>, RowsAndPanels<T, T>, T>,
        .rbf = rbf<T>,
        .rbf_each = rbf_each<T>,
        .decay = decay<T>,
        .decay_each = decay_each<T>,
        .poly = poly<T>,
        .sigmoid = sigmoid<T>,
        .weighted_rows = weighted_rows<T>,
        .sum_in_blocks = sum_in_blocks<T>,
        .move_by = move_by<T>,
        .update_by_rows = update_by_rows<T>,
        .gains = gains<T>,
        .largest_chunks = largest_chunks,
        .find = find<T>,
        .gather = gather<T>,
        .transpose = transpose<T>,
        .solve_pairs = solve_pairs<T>,
        .factor = factor<T>,
        .solve_two = solve_two<T>,
        .take_out = take_out<T>,
        .row_distances = row_distances<Squared>,
        .survey = survey<T>,
    };
}

constexpr Tables tables_with(const IntegerTables& integers) { return {table<float>(), table<double>(), integers}; }

}  // namespace dagmar::DAGMAR_LEVEL
