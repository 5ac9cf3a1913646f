// Which tasks are trained first, and by how many threads.
#pragma once

#include <cstddef>
#include <vector>

namespace dagmar {

// The cost of a task relative to others: the square of its samples.
inline double cost_of_task(std::size_t n_samples) {
    return static_cast<double>(n_samples) * static_cast<double>(n_samples);
}

// As many threads as the work is worth: small work is finished sooner by the calling thread alone. per_thread: the cost
// that is worth a thread; 0 if any is.
int threads_worth(const std::vector<std::size_t>& sizes, std::size_t n_variants, double per_thread, int n_threads);

// Tasks in their given order, in which tasks that share a class are near each other. But tasks that are a large part of
// the whole come first, so that none of them runs alone at the end.
std::vector<std::size_t> schedule(const std::vector<std::size_t>& sizes, int n_threads);

}  // namespace dagmar
