// A kernel matrix given by the user: rows are read from it.
#pragma once

#include <atomic>

#include "gram/gram.hpp"

namespace dagmar {

// View: a DenseView.
//
// The samples of a class are anywhere in a row of the matrix, so that reading one class of a row touches nearly all of
// its memory. A row that is asked for is therefore put in the order of the classes once, and its parts are copied from
// there. Of large matrices rows are not kept: parts are read from the matrix each time.
template <class T, class View>
class PrecomputedGram final : public GramRows<T> {
   public:
    PrecomputedGram(const View& matrix, const Problem& problem, const Simd<T>& simd)
        : GramRows<T>(problem, simd), matrix_(matrix), order_(problem.order) {
        const std::size_t n = this->n_samples();
        if (this->n_classes() < kFewClasses || n * n * sizeof(T) > kMostBytes) return;
        in_order_ = aligned_array<T>(n * n);  // memory that is not written takes no page
        states_ = std::vector<std::atomic<State>>(n);
    }

    void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double, T* const* out,
              GramScratch<T>&) const override {
        const std::size_t begin = this->class_start()[c], n = this->class_size(c);
        for (std::size_t q = 0; q < n_asked; ++q) {
            if (const T* row = row_in_order(usize(asked[q])))
                std::copy_n(row + begin, n, out[q]);
            else
                read(usize(asked[q]), begin, n, out[q]);
            std::fill(out[q] + n, out[q] + padded(n), T(0));
        }
    }

    T diagonal(std::size_t sample) const override {
        const std::size_t i = usize(order_[sample]);
        return static_cast<T>(matrix_.row(i)[i]);
    }

    double products_of(std::size_t) const override { return 0.0; }  // the matrix holds the values already

   private:
    enum class State : std::uint8_t { none, being_written, there };
    // With few classes, parts of rows are large and asked for about once.
    static constexpr std::size_t kFewClasses = 4;
    // malloc keeps this much from one fit to the next: fresh pages would take longer than what they save.
    static constexpr std::size_t kMostBytes = std::size_t{28} << 20;

    // Values of a sample with n others, from the one at `begin` on.
    void read(std::size_t sample, std::size_t begin, std::size_t n, T* out) const {
        const auto* row = matrix_.row(usize(order_[sample]));
        for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<T>(row[order_[begin + k]]);
    }
    // Null if rows are not kept, or if another thread is writing this one.
    const T* row_in_order(std::size_t sample) const {
        if (!in_order_) return nullptr;
        T* row = in_order_.get() + sample * this->n_samples();
        std::atomic<State>& state = states_[sample];
        State seen = state.load(std::memory_order_acquire);
        if (seen == State::there) return row;
        if (seen == State::being_written || !state.compare_exchange_strong(seen, State::being_written))
            return seen == State::there ? row : nullptr;
        read(sample, 0, this->n_samples(), row);
        state.store(State::there, std::memory_order_release);
        return row;
    }

    View matrix_;
    std::span<const std::int64_t> order_;
    mutable Aligned<T> in_order_;
    mutable std::vector<std::atomic<State>> states_;
};

}  // namespace dagmar
