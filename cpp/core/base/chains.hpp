// Sums that do not wait for every addition.
#pragma once

#include <cstddef>

namespace dagmar {

// The sum of term(0) ... term(n-1), in eight chains: one would wait for every addition.
template <class Term>
double sum_of_chains(std::size_t n, const Term& term) {
    constexpr std::size_t chains = 8;
    double sums[chains] = {};
    std::size_t f = 0;
    for (; f + chains <= n; f += chains)
        for (std::size_t u = 0; u < chains; ++u) sums[u] += term(f + u);
    double sum = 0;
    for (; f < n; ++f) sum += term(f);
    for (std::size_t u = 0; u < chains; ++u) sum += sums[u];
    return sum;
}

}  // namespace dagmar
