// A kernel matrix given by the user: rows are read from it.
#pragma once

#include "gram/gram.hpp"

namespace dagmar {

// View: a DenseView.
template <class T, class View>
class PrecomputedGram final : public GramRows<T> {
   public:
    PrecomputedGram(const View& matrix, const Problem& problem, const Simd<T>& simd)
        : GramRows<T>(problem, simd), matrix_(matrix), order_(problem.order) {}

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double, T* const* out,
              GramScratch<T>&) const override {
        const std::size_t begin = this->class_start()[c], n = this->class_size(c);
        for (std::size_t q = 0; q < n_asked; ++q) {
            const auto* row = matrix_.row(usize(order_[usize(asked[q])]));
            for (std::size_t k = 0; k < n; ++k) out[q][k] = static_cast<T>(row[order_[begin + k]]);
            std::fill(out[q] + n, out[q] + padded(n), T(0));
        }
    }

    T diagonal(std::size_t sample) const override {
        const std::size_t i = usize(order_[sample]);
        return static_cast<T>(matrix_.row(i)[i]);
    }

    double products_of(std::size_t) const override { return 0.0; }  // the matrix holds the values already

   private:
    View matrix_;
    std::span<const std::int64_t> order_;
};

}  // namespace dagmar
