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

    // Writes sample i of x, minus the centre and times the kernel's scale, to a row.
    void load(const Samples& x, std::size_t i, T* row) const;

    const Bank& bank;
    const Simd<T>& simd;
    std::size_t d;                // features
    std::vector<double> centre;   // zeros if the bank has none
    std::vector<T> norms;         // squared, of the scaled vectors
    double largest_norm2 = 0;     // the largest of the vectors as given
    std::vector<T> coef, gammas;  // those of the bank, for scaled samples; no gammas if vectors have none of their own

   private:
    Aligned<T> rows_;
};

}  // namespace dagmar
