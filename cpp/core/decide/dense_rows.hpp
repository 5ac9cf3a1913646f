// The rows of a bank's dense vectors, centred and scaled, and the nonzeros of those that are mostly zero.
#pragma once

#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "model/bank.hpp"

namespace dagmar {

// Writes sample i of x, minus a centre and times the kernel's scale, to a row.
template <class T>
void load_row(const Samples& x, std::size_t i, const std::vector<double>& centre, double scale, T* row);

// Immutable after construction.
template <class T>
class DenseRows {
   public:
    // Rows of vectors that are centred already have a centre of zeros.
    DenseRows(const Bank& bank, const std::vector<double>& centre, const Simd<T>& simd, const Threads& threads);

    const T* row(std::size_t v) const { return rows_.get() + v * stride_; }
    std::size_t stride() const { return stride_; }  // from row to row

    // The nonzeros of a vector that is mostly zero; else null.
    const Nonzeros<T>* nonzeros(std::size_t v) const {
        return nonzeros_.empty() || !nonzeros_[v].value ? nullptr : &nonzeros_[v];
    }
    bool has_nonzeros() const { return !nonzeros_.empty(); }

    std::vector<T> norms;      // squared
    double largest_norm2 = 0;  // the largest squared norm of the vectors as given
    double products = 0;       // of a vector with a sample, on average: its features, or its nonzeros if they are few

   private:
    void find_nonzeros(const Threads& threads);

    std::size_t d_, stride_;
    Aligned<T> rows_;
    std::vector<Nonzeros<T>> nonzeros_;  // per vector, null where it has many; empty if all have
    std::vector<T> value_;
    std::vector<std::int32_t> feature_;
};

}  // namespace dagmar
