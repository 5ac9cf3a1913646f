// The kernel between some of a task's samples, as rows that are all there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "integers.hpp"
#include "memory.hpp"
#include "parallel.hpp"

namespace dagmar {

// To a solver they are what TaskRows are.
template <class T>
class BlockRows {
   public:
    // memory: for padded(places)^2 values, while this lives.
    template <class Rows>
    BlockRows(const std::vector<std::int32_t>& places, Rows& all, T* memory)
        : n_samples_(places.size()), n_(padded(n_samples_)), working_(all.working()), spare_(all.spare()),
          rows_(memory), diagonal_(zeroed_array<T>(n_)), slots_(n_) {
        std::iota(slots_.begin(), slots_.end(), 0);
        all.among(places, rows_, n_);
        for (std::size_t k = 0; k < n_samples_; ++k) {
            std::fill(rows_ + k * n_ + n_samples_, rows_ + (k + 1) * n_, T(0));
            diagonal_[k] = all.diagonal()[places[k]];
        }
        std::fill(rows_ + n_samples_ * n_, rows_ + n_ * n_, T(0));
    }

    std::size_t n() const { return n_; }
    bool is_sample(std::size_t k) const { return k < n_samples_; }
    std::size_t n_samples() const { return n_samples_; }
    const T* diagonal() const { return diagonal_.get(); }
    std::size_t working() const { return working_; }
    void hold(const std::vector<std::int32_t>&) const {}
    const T* row(std::size_t k) const { return rows_ + k * n_; }
    void among(const std::vector<std::int32_t>& places, T* out, std::size_t stride) const {
        for (std::size_t i = 0; i < places.size(); ++i)
            for (std::size_t j = 0; j < places.size(); ++j) out[i * stride + j] = row(usize(places[i]))[places[j]];
    }
    const T* rows() const { return rows_; }
    Spare& spare() const { return spare_; }
    std::int32_t slot(std::size_t k) const { return slots_[k]; }
    const std::int32_t* slots() const { return slots_.data(); }
    T* lend(std::size_t) const { return nullptr; }
    void take_back() const {}
    bool streams() const { return false; }
    void add_rows(const std::vector<std::int32_t>&, const T*, std::size_t, std::size_t, T*, std::size_t) const {}
    bool keeps_all() const { return false; }  // the solver of a part need not be exact, and goes on by working sets

   private:
    std::size_t n_samples_, n_, working_;
    Spare& spare_;
    T* rows_;
    Aligned<T> diagonal_;
    std::vector<std::int32_t> slots_;
};

}  // namespace dagmar
