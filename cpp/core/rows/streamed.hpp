// Rows that are not kept: where kernel values take few products and samples are many, computing a value takes less time
// than writing it to memory and reading it back.
//
// The block of a working set is computed by itself, and afterwards only the rows of samples that moved, while they are
// added to the scores. The bits are those of kept rows.
#pragma once

#include "rows/parts.hpp"

namespace dagmar {

template <class T>
class StreamedRows final : public TaskRows<T> {
   public:
    StreamedRows(const RowParts<T>& parts, std::size_t working)
        : TaskRows<T>(parts, working), row_(aligned_array<T>(this->n_)), change_(aligned_array<T>(this->n_)) {}

    // Each multiplier that moves costs a row, so a set is solved less far: on Covertype a fifth fewer rows, for a
    // quarter more rounds.
    Depth depth() const override { return {0.5, 0.5}; }
    const T* first_row(const Places& places) override {
        const auto row = [&](std::size_t) { return row_.get(); };
        this->parts_.compute_all({places.front()}, row, this->n_ >= kLongRow);
        count(1);
        return row_.get();
    }
    KernelBlock<T> block(const Places& places) override {
        T* block = this->block_.at_least(kWorking * kWorking);
        this->padded_among(places, block);
        return {block, padded(places.size()), kInOrder.data()};
    }
    void among(const Places& places, T* out, std::size_t stride) override { this->parts_.among(places, out, stride); }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        this->coef_.assign(moves.by.begin(), moves.by.end());
        samples_.clear();
        for (const std::int32_t place : moves.places) samples_.push_back(this->parts_.places.sample[usize(place)]);
        count(samples_.size());
        const bool pays = samples_.size() * this->n_ >= kManyValues;
        // Many moves are added to one chunk after the other, so that a chunk stays in the cache.
        const std::size_t at_once = samples_.size() > this->working_ ? scores.chunk : this->n_;
        return in_parts(scores, this->spare_, pays, [&](std::size_t part, std::size_t first, std::size_t end) {
            Extremes all = move_part(scores, part, first, std::min(end, first + at_once));
            for (std::size_t at = first + at_once; at < end; at += at_once) {
                const Extremes here = move_part(scores, part, at, std::min(end, at + at_once));
                all = {std::max(all.top, here.top), std::min(all.bottom, here.bottom)};
            }
            return all;
        });
    }
    void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) override {
        T* rows = this->parts_.scratch.rows.at_least(this->working_ * this->n_);
        const auto row = [&](std::size_t q) { return rows + q * this->n_; };
        in_lots(places, this->working_, [&](const Places& lot, std::size_t) {
            this->parts_.compute_all(lot, row, true);
            count(lot.size());
            for (std::size_t q = 0; q < lot.size(); ++q) visit(usize(lot[q]), row(q));
        });
    }

   private:
    // Computing this many kernel values is worth several threads; so is one row of this many, with the pass over it.
    static constexpr std::size_t kManyValues = std::size_t{1} << 17, kLongRow = std::size_t{1} << 15;

    // One part of `move`: the places from `first` to `end`.
    Extremes move_part(const PairScores<T>& scores, std::size_t part, std::size_t first, std::size_t end) {
        const RowParts<T>& parts = this->parts_;
        const T whole = T(1);
        Extremes now{};
        // As many at a time as a working set has: sums of more would lose digits in T.
        for (std::size_t begin = 0; begin < samples_.size(); begin += this->working_) {
            const std::size_t n = std::min(this->working_, samples_.size() - begin);
            T* change = change_.get();
            std::fill(change + first, change + end, T(0));
            for (std::size_t i = 0; i < parts.n_classes(); ++i) {
                const std::size_t offset = parts.places.offset[i], at = std::max(first, offset);
                const std::size_t last = std::min(end, offset + padded(parts.size_of(i)));
                if (at < last)
                    parts.gram.add_rows(samples_.data() + begin, this->coef_.data() + begin, n,
                                        usize(parts.places.classes[i]), at - offset, last - at, parts.gamma,
                                        change + at, parts.scratch.stream[part]);
            }
            now = this->simd_.update_by_rows(part_of(scores, first, end), change + first, 0, nullptr, &whole, 1);
        }
        return now;
    }
    void count(std::size_t n_rows) {
        this->computed_ += static_cast<std::int64_t>(n_rows);
        this->asked_ += static_cast<std::int64_t>(n_rows);
    }

    Aligned<T> row_, change_;
    std::vector<std::int32_t> samples_;  // of the moves
};

}  // namespace dagmar
