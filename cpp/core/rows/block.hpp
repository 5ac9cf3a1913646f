// The kernel between some of a task's samples, as rows that are all there: for the active part of a large problem.
#pragma once

#include "rows/row_source.hpp"

namespace dagmar {

template <class T>
class BlockRows final : public RowSource<T> {
   public:
    // memory: for padded(places)^2 values, while this lives.
    BlockRows(const Places& places, RowSource<T>& all, const Simd<T>& simd, T* memory)
        : RowSource<T>(padded(places.size()), places.size(), nullptr, all.working(), all.spare()), simd_(simd),
          rows_(memory), own_diagonal_(zeroed_array<T>(this->n_)), block_(aligned_array<T>(kWorking * kWorking)) {
        this->diagonal_ = own_diagonal_.get();
        const std::size_t n = this->n_, n_samples = places.size();
        all.among(places, rows_, n);
        for (std::size_t k = 0; k < n_samples; ++k) {
            std::fill(rows_ + k * n + n_samples, rows_ + (k + 1) * n, T(0));
            own_diagonal_[k] = all.diagonal()[places[k]];
        }
        std::fill(rows_ + n_samples * n, rows_ + n * n, T(0));
    }

    bool is_sample(std::size_t place) const override { return place < this->n_samples_; }
    const T* first_row(const Places& places) override { return row(usize(places.front())); }
    KernelBlock<T> block(const Places& places) override {
        const std::size_t n = padded(places.size());
        simd_.gather(rows_, this->n_, places.data(), places.data(), places.size(), n, block_.get());
        return {block_.get(), n, kInOrder.data()};
    }
    void among(const Places& places, T* out, std::size_t stride) override {
        for (std::size_t i = 0; i < places.size(); ++i)
            for (std::size_t j = 0; j < places.size(); ++j) out[i * stride + j] = row(usize(places[i]))[places[j]];
    }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        Extremes now{};
        const double* by = moves.by.data();
        in_lots(moves.places, this->working_, [&](const Places& lot) {
            coef_.assign(by, by + lot.size());
            by += lot.size();
            now = simd_.update_by_rows(scores, rows_, this->n_, lot.data(), coef_.data(), lot.size());
        });
        return now;
    }
    void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) override {
        for (const std::int32_t place : places) visit(usize(place), row(usize(place)));
    }

   private:
    const T* row(std::size_t place) const { return rows_ + place * this->n_; }

    const Simd<T>& simd_;
    T* rows_;
    Aligned<T> own_diagonal_, block_;
    std::vector<T> coef_;
};

}  // namespace dagmar
