// Which tasks are trained first, and by how many threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dagmar {

// The cost of all tasks: that of one is the square of its samples.
inline double total_cost(const std::vector<std::size_t>& sizes) {
    const std::vector<double> n(sizes.begin(), sizes.end());
    return std::inner_product(n.begin(), n.end(), n.begin(), 0.0);
}

// As many threads as the work is worth: small work is finished sooner by the calling thread alone. per_thread: the cost
// that is worth a thread; 0 if any is.
inline int threads_worth(const std::vector<std::size_t>& sizes, std::size_t n_variants, double per_thread,
                         int n_threads) {
    if (n_threads == 1 || per_thread == 0) return n_threads;
    const double worth = static_cast<double>(n_variants) * total_cost(sizes) / per_thread;
    return worth >= n_threads ? n_threads : std::max(1, static_cast<int>(worth));
}

// Tasks in their given order, in which tasks that share a class are near each other. But tasks that are a large part of
// the whole come first, so that none of them runs alone at the end.
inline std::vector<std::size_t> schedule(const std::vector<std::size_t>& sizes, int n_threads) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const double large = std::sqrt(total_cost(sizes) / (8.0 * n_threads));
    const auto middle = std::stable_partition(order.begin(), order.end(),
                                              [&](std::size_t t) { return static_cast<double>(sizes[t]) > large; });
    std::stable_sort(order.begin(), middle, [&](std::size_t s, std::size_t t) { return sizes[s] > sizes[t]; });
    return order;
}

}  // namespace dagmar
