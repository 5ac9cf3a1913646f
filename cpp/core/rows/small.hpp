// All rows of a small task, computed at once: such a task visits most of them.
//
// The working set holds all samples, so there is no block to gather. Scores move in double precision.
#pragma once

#include <numeric>

#include "rows/parts.hpp"

namespace dagmar {

template <class T>
class SmallRows final : public RowSource<T> {
   public:
    SmallRows(const RowParts<T>& parts, Spare& spare)
        : RowSource<T>(parts.gram.simd(), spare, parts.places.n, parts.places.n_samples, parts.places.n_samples,
                       parts.places.diagonal.data(), parts.places.sample.data()),
          parts_(parts) {}

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
        return {rows_, this->n_, slot_of_.data()};
    }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        slots_.clear();
        for (const std::int32_t place : moves.places) slots_.push_back(slot_of_[usize(place)]);
        this->simd_.move_by(rows_, this->n_, slots_.data(), moves.by.data(), slots_.size(), this->n_, scores.scores);
        return this->simd_.update_by_rows(scores, rows_, this->n_, nullptr, nullptr, 0);  // finds the extremes
    }
    void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) override {
        for (const std::int32_t place : places) visit(usize(place), row(usize(place)));
    }

   private:
    const T* row(std::size_t place) {
        if (!rows_) compute_all();
        return rows_ + usize(slot_of_[place]) * this->n_;
    }
    // A class within itself is computed as a triangle, two classes once; the rest is copied, because kernel values are
    // symmetric to the bit.
    void compute_all() {
        const TaskPlaces<T>& places = parts_.places;
        const std::size_t n = this->n_;
        rows_ = parts_.room_for(this->n_samples_ * n);
        parts_.acquire(this->n_samples_ * n * sizeof(T), true);
        slot_of_.assign(n, -1);
        std::int32_t slot = 0;
        for (std::size_t k = 0; k < n; ++k)
            if (places.sample[k] >= 0) slot_of_[k] = slot++;
        Places& of_class = parts_.scratch.missing;
        const auto row = [&](std::size_t place) { return rows_ + usize(slot_of_[place]) * n; };
        for (std::size_t i = 0; i < parts_.n_classes(); ++i) {
            const std::size_t size = parts_.size_of(i), offset = places.offset[i];
            if (size == 0) continue;
            of_class.resize(size);
            std::iota(of_class.begin(), of_class.end(), static_cast<std::int32_t>(offset));
            parts_.compute_within(i, row(offset) + offset, n);
            for (std::size_t j = i + 1; j < parts_.n_classes(); ++j) {
                const std::size_t other = places.offset[j];
                if (parts_.size_of(j) == 0) continue;
                parts_.compute(j, of_class, row, parts_.scratch.part);
                this->simd_.transpose(row(offset) + other, n, size, parts_.size_of(j), row(other) + offset, n);
            }
        }
        this->computed_ += static_cast<std::int64_t>(this->n_samples_);
        this->asked_ += static_cast<std::int64_t>(this->n_samples_);
    }

    RowParts<T> parts_;
    T* rows_ = nullptr;                                            // null until they are computed
    std::vector<std::int32_t>& slot_of_ = parts_.scratch.slot_of;  // the row of each place, -1 for padding
    std::vector<std::int32_t> slots_;
};

}  // namespace dagmar
