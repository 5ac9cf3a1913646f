// The kernel between some of a task's samples, as rows that are all there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "memory.hpp"
#include "parallel.hpp"

namespace dagmar {

// To a solver they are what TaskRows are.
template <class T>
class BlockRows {
   public:
    // memory: for the rows, while this lives. The next block uses it again.
    BlockRows(std::size_t n_samples, std::size_t working, Spare& spare, Buffer<T>& memory)
        : n_samples_(n_samples), n_(padded(n_samples)), working_(working), spare_(spare),
          rows_(memory.at_least(n_ * n_)), diagonal_(zeroed_array<T>(n_)), slots_(n_) {
        std::iota(slots_.begin(), slots_.end(), 0);
        std::fill(rows_ + n_samples * n_, rows_ + n_ * n_, T(0));
    }

    // A row of the block: the values of a task's row at the places of the samples.
    void fill(std::size_t k, const T* row, const std::vector<std::int32_t>& places, T diagonal) {
        T* to = rows_ + k * n_;
        for (std::size_t j = 0; j < n_samples_; ++j) to[j] = row[places[j]];
        std::fill(to + n_samples_, to + n_, T(0));
        diagonal_[k] = diagonal;
    }

    std::size_t n() const { return n_; }
    bool is_sample(std::size_t k) const { return k < n_samples_; }
    std::size_t n_samples() const { return n_samples_; }
    const T* diagonal() const { return diagonal_.get(); }
    std::size_t working() const { return working_; }
    void hold(const std::vector<std::int32_t>&) const {}
    const T* row(std::size_t k) const { return rows_ + k * n_; }
    const T* rows() const { return rows_; }
    Spare& spare() const { return spare_; }
    std::int32_t slot(std::size_t k) const { return slots_[k]; }
    const std::int32_t* slots() const { return slots_.data(); }
    bool keeps_all() const { return false; }  // the solver of a part need not be exact, and goes on by working sets

   private:
    std::size_t n_samples_, n_, working_;
    Spare& spare_;
    T* rows_;
    Aligned<T> diagonal_;
    std::vector<std::int32_t> slots_;
};

}  // namespace dagmar
