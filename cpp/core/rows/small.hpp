// All rows of a small task, computed at once: such a task visits most of them.
//
// The working set holds all samples, so there is no block to gather. Scores move in double precision.
#pragma once

#include <numeric>

#include "rows/parts.hpp"

namespace dagmar {

template <class T>
class SmallRows final : public TaskRows<T> {
   public:
    explicit SmallRows(const RowParts<T>& parts) : TaskRows<T>(parts, parts.places.n_samples) {}

    bool is_whole() const override { return true; }
    // Down to the goal, and a little below it: the goal may fall by what rounding can hide.
    Depth depth() const override { return {0.0, 0.8}; }
    double unit() const override { return std::numeric_limits<double>::epsilon(); }
    const T* first_row(const Places& places) override { return row(usize(places.front())); }
    KernelBlock<T> block(const Places&) override {
        if (rows_)
            this->asked_ += static_cast<std::int64_t>(this->n_samples_);
        else
            compute_all();
        return {rows_, this->n_, slots_.data()};
    }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        this->simd_.move_by(rows_, this->n_, moves.places.data(), moves.by.data(), moves.by.size(), this->n_,
                            scores.scores);
        return this->simd_.update_by_rows(scores, rows_, this->n_, nullptr, nullptr, 0);  // finds the extremes
    }
    void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) override {
        for (const std::int32_t place : places) visit(usize(place), row(usize(place)));
    }

   private:
    T* row(std::size_t place) {
        if (!rows_) compute_all();
        return rows_ + place * this->n_;
    }
    // A class within itself is computed as a triangle, two classes once; the rest is copied, because kernel values are
    // symmetric to the bit.
    void compute_all() {
        const RowParts<T>& parts = this->parts_;
        const std::size_t n = this->n_;
        rows_ = parts.scratch.rows.at_least(n * n);
        slots_.resize(n);
        std::iota(slots_.begin(), slots_.end(), 0);
        for (std::size_t i = 0; i < parts.n_classes(); ++i) {
            const std::size_t size = parts.size_of(i), offset = parts.places.offset[i];
            if (size == 0) continue;
            Places& of_class = parts.scratch.missing;
            of_class.assign(slots_.data() + offset, slots_.data() + offset + size);
            parts.compute_within(i, row(offset) + offset, n);
            for (std::size_t j = i + 1; j < parts.n_classes(); ++j) {
                const std::size_t other = parts.places.offset[j];
                if (parts.size_of(j) == 0) continue;
                parts.compute(j, of_class, [&](std::size_t q) { return row(offset + q); }, parts.scratch.part);
                this->simd_.transpose(row(offset) + other, n, size, parts.size_of(j), row(other) + offset, n);
            }
        }
        for (std::size_t k = 0; k < n; ++k)  // the rows of padding are never computed
            if (parts.places.sample[k] < 0) slots_[k] = -1;
        this->computed_ += static_cast<std::int64_t>(this->n_samples_);
        this->asked_ += static_cast<std::int64_t>(this->n_samples_);
    }

    T* rows_ = nullptr;                                                // null until they are computed
    std::vector<std::int32_t>& slots_ = this->parts_.scratch.slot_of;  // the row of each place, -1 for padding
};

}  // namespace dagmar
