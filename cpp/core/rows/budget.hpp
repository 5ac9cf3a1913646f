// Memory for kernel rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

namespace dagmar {

// Bytes that all threads together may still acquire.
class Budget {
   public:
    explicit Budget(std::size_t bytes) : left_(static_cast<std::ptrdiff_t>(bytes)) {}
    bool acquire(std::size_t bytes) {
        if (left_.fetch_sub(static_cast<std::ptrdiff_t>(bytes)) >= static_cast<std::ptrdiff_t>(bytes)) return true;
        give_back(bytes);
        return false;
    }
    void give_back(std::size_t bytes) { left_ += static_cast<std::ptrdiff_t>(bytes); }

   private:
    std::atomic<std::ptrdiff_t> left_;
};

// The memory of a whole training. Each task has a share of its own, in proportion to the square of its samples, but at
// most what the rows that a task usually visits take. The shares of all tasks that can run at the same time fit into
// the whole. Anything beyond a share, and parts of rows kept for other tasks, come from the common rest, first come,
// first served. Memory decides which rows are computed again, never a result.
class RowMemory {
   public:
    // sizes: the number of samples of each task.
    RowMemory(std::size_t bytes, std::vector<std::size_t> sizes, std::size_t n_workers, std::size_t bytes_of_value)
        : all(bytes), bytes_of_value_(static_cast<double>(bytes_of_value)) {
        std::sort(sizes.begin(), sizes.end(), std::greater<>());
        sizes.resize(std::min(sizes.size(), n_workers));
        for (const std::size_t n : sizes) squares_ += static_cast<double>(n) * static_cast<double>(n);
        std::size_t shares = 0;
        for (const std::size_t n : sizes) shares += share_of(n);
        budget.give_back(bytes - std::min(bytes, shares));
        // If the largest task alone fills half of the memory, nothing is left for parts that other tasks need.
        shares_parts = sizes.empty() || usual(sizes.front()) <= static_cast<double>(bytes) / 2;
    }

    std::size_t share_of(std::size_t n_samples) const {
        const double n = static_cast<double>(n_samples);
        if (squares_ == 0.0) return 0;
        return static_cast<std::size_t>(std::min(usual(n_samples), static_cast<double>(all) * (n * n / squares_)));
    }

    const std::size_t all;
    bool shares_parts = true;  // whether parts of rows may be kept for other tasks
    Budget budget{0};

   private:
    // A task usually visits the rows of up to three in ten samples.
    double usual(std::size_t n_samples) const {
        return 0.3 * static_cast<double>(n_samples) * static_cast<double>(n_samples) * bytes_of_value_;
    }
    double bytes_of_value_, squares_ = 0.0;
};

}  // namespace dagmar
