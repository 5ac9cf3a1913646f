// The kernel between some of a task's samples, as rows that are all there: for the active part of a large problem.
#pragma once

#include "rows/row_source.hpp"

namespace dagmar {

template <class T>
class BlockRows final : public RowSource<T> {
   public:
    // memory: for padded(places)^2 values, while this lives.
    BlockRows(const Places& places, RowSource<T>& all, const Simd<T>& simd, T* memory)
        : RowSource<T>(simd, all.spare(), padded(places.size()), places.size(), all.working(), nullptr, nullptr),
          rows_(memory), own_diagonal_(zeroed_array<T>(this->n_)) {
        this->diagonal_ = own_diagonal_.get();
        all.padded_among(places, rows_);
        for (std::size_t k = 0; k < places.size(); ++k) own_diagonal_[k] = all.diagonal()[places[k]];
    }

    const T* first_row(const Places& places) override { return row(usize(places.front())); }
    KernelBlock<T> block(const Places& places) override { return this->gather(rows_, places.data(), places); }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        return this->move_by_rows(scores, rows_, moves, [](const Places& lot) { return lot.data(); });
    }
    void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) override {
        for (const std::int32_t place : places) visit(usize(place), row(usize(place)));
    }

   private:
    const T* row(std::size_t place) const { return rows_ + place * this->n_; }

    T* rows_;
    Aligned<T> own_diagonal_;
};

}  // namespace dagmar
