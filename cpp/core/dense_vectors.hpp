// The vectors of a bank as dense rows in the type that decisions are computed in.
#pragma once

#include <vector>

#include "bank.hpp"
#include "memory.hpp"

namespace dagmar {

template <class T>
class DenseVectors {
   public:
    // The bank must outlive this.
    DenseVectors(const Bank& bank, Level level);

    const T* row(std::size_t v) const { return rows_.get() + v * d; }
    const T* rows() const { return rows_.get(); }

    // The nonzeros of a vector that is mostly zero; else null.
    const Nonzeros<T>* nonzeros(std::size_t v) const {
        return nonzeros_.empty() || !nonzeros_[v].value ? nullptr : &nonzeros_[v];
    }

    // Writes sample i of x, minus the centre and times the kernel's scale, to a row.
    void load(const Samples& x, std::size_t i, T* row) const;

    const Bank& bank;
    const Simd<T>& simd;
    std::size_t d;               // features
    std::vector<double> centre;  // zeros if the bank has none
    std::vector<T> norms;        // squared, of the scaled vectors
    double largest_norm2 = 0;    // the largest of the vectors as given
    double products = 0;  // of a vector with a sample, in the mean: its features, or its nonzeros if they are few
    std::vector<T> coef, gammas;  // those of the bank, for scaled samples; no gammas if vectors have none of their own

   private:
    void find_nonzeros();

    Aligned<T> rows_;
    std::vector<Nonzeros<T>> nonzeros_;  // per vector, null where it has many; empty if all have
    std::vector<T> value_;
    std::vector<std::int32_t> feature_;
};

}  // namespace dagmar
