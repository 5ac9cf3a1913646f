// What all pairs say together: the votes of each class, and the sum of its values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"

namespace dagmar {

// From the values of all pairs of k classes on n samples, sample after sample: votes[i * k + c], and sums[i * k + c] of
// the values for class c less those against it. A positive value is for the later class; one that is not positive is a
// vote for the earlier one. Values are added pair after pair, as in scikit-learn, so that sums have its bits.
inline void add_votes(const double* values, std::size_t n, std::size_t k, const Threads& threads, double* votes,
                      double* sums) {
    // Samples side by side: the sums of one would wait for each other.
    constexpr std::size_t side_by_side = 8;
    const std::size_t n_pairs = k * (k - 1) / 2;
    share_out(n, 64, threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> block(2 * k * side_by_side);
        double *block_votes = block.data(), *block_sums = block_votes + k * side_by_side;
        for (std::size_t first = begin; first < end; first += side_by_side) {
            const std::size_t width = std::min(side_by_side, end - first);
            std::fill(block.begin(), block.end(), 0.0);
            const double* pair = values + first * n_pairs;
            for (std::size_t a = 0; a < k; ++a)
                for (std::size_t b = a + 1; b < k; ++b, ++pair)
                    for (std::size_t u = 0; u < width; ++u) {
                        const double value = pair[u * n_pairs], later = value > 0 ? 1.0 : 0.0;
                        block_sums[a * side_by_side + u] -= value;
                        block_sums[b * side_by_side + u] += value;
                        block_votes[a * side_by_side + u] += 1.0 - later;
                        block_votes[b * side_by_side + u] += later;
                    }
            for (std::size_t u = 0; u < width; ++u)
                for (std::size_t c = 0; c < k; ++c) {
                    votes[(first + u) * k + c] = block_votes[c * side_by_side + u];
                    sums[(first + u) * k + c] = block_sums[c * side_by_side + u];
                }
        }
    });
}

}  // namespace dagmar
