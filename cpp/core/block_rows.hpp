// The kernel between some of a task's samples, as rows that are all there.
#pragma once

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
    BlockRows(std::size_t n_samples, std::size_t working, Spare& spare)
        : n_samples_(n_samples), n_(padded(n_samples)), working_(working), spare_(spare),
          rows_(zeroed_array<T>(n_ * n_)), diagonal_(zeroed_array<T>(n_)), slots_(n_) {
        std::iota(slots_.begin(), slots_.end(), 0);
    }

    // To be filled with the values between the samples.
    T* row_to_fill(std::size_t k) { return rows_.get() + k * n_; }
    void set_diagonal(std::size_t k, T value) { diagonal_[k] = value; }

    std::size_t n() const { return n_; }
    bool is_sample(std::size_t k) const { return k < n_samples_; }
    std::size_t n_samples() const { return n_samples_; }
    const T* diagonal() const { return diagonal_.get(); }
    std::size_t working() const { return working_; }
    void hold(const std::vector<std::int32_t>&) const {}
    const T* row(std::size_t k) const { return rows_.get() + k * n_; }
    const T* rows() const { return rows_.get(); }
    Spare& spare() const { return spare_; }
    std::int32_t slot(std::size_t k) const { return slots_[k]; }
    const std::int32_t* slots() const { return slots_.data(); }
    bool keeps_all() const { return false; }  // the solver of a part need not be exact, and goes on by working sets

   private:
    std::size_t n_samples_, n_, working_;
    Spare& spare_;
    Aligned<T> rows_, diagonal_;
    std::vector<std::int32_t> slots_;
};

}  // namespace dagmar
