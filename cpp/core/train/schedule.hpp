// Which tasks are trained first, and by how many threads.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace dagmar {

// The cost of a task relative to others: the square of its samples.
inline double cost_of_task(std::size_t n_samples) {
    return static_cast<double>(n_samples) * static_cast<double>(n_samples);
}
inline double total_cost(const std::vector<std::size_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 0.0,
                           [](double sum, std::size_t n) { return sum + cost_of_task(n); });
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
    const double large = total_cost(sizes) / (8.0 * n_threads);
    const auto middle = std::stable_partition(order.begin(), order.end(),
                                              [&](std::size_t t) { return cost_of_task(sizes[t]) > large; });
    std::stable_sort(order.begin(), middle, [&](std::size_t s, std::size_t t) { return sizes[s] > sizes[t]; });
    return order;
}

}  // namespace dagmar
