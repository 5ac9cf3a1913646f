// Rows that are not kept: where kernel values take few products and samples are many, computing a value takes less time
// than writing it to memory and reading it back.
//
// The block of a working set is computed by itself, and afterwards only the rows of samples that moved, while they are
// added to the scores. The bits are those of kept rows.
#pragma once

#include "rows/parts.hpp"

namespace dagmar {

template <class T>
class StreamedRows final : public RowSource<T> {
   public:
    StreamedRows(const RowParts<T>& parts, std::size_t working, Spare& spare)
        : RowSource<T>(parts.gram.simd(), spare, parts.places.n, parts.places.n_samples, working,
                       parts.places.diagonal.data(), parts.places.sample.data()),
          parts_(parts), row_(aligned_array<T>(this->n_)), change_(aligned_array<T>(this->n_)) {}

    // Each multiplier that moves costs a row, so a set is solved less far: on Covertype a fifth fewer rows, for a
    // quarter more rounds.
    Depth depth() const override { return {0.5, 0.5}; }
    const T* first_row(const Places& places) override {
        const std::int32_t sample = parts_.places.sample[usize(places.front())];
        const T whole = T(1);
        std::fill_n(row_.get(), this->n_, T(0));
        const std::size_t n_parts = this->n_ >= kLongRow ? kParts : 1, n_panels = this->n_ / kLanes;
        this->spare_.run(n_parts, [&](std::size_t part) {
            add_rows(&sample, &whole, 1, n_panels * part / n_parts * kLanes, n_panels * (part + 1) / n_parts * kLanes,
                     row_.get(), parts_.scratch.stream[part]);
        });
        count(1);
        return row_.get();
    }
    KernelBlock<T> block(const Places& places) override {
        const std::size_t count = places.size(), n = padded(count);
        T* block = this->block_.at_least(kWorking * kWorking);
        among(places, block, n);
        for (std::size_t i = 0; i < count; ++i) std::fill(block + i * n + count, block + (i + 1) * n, T(0));
        std::fill(block + count * n, block + n * n, T(0));
        return {block, n, kInOrder.data()};
    }
    void among(const Places& places, T* out, std::size_t stride) override {
        parts_.among(places, out, stride, this->spare_);
    }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        this->coef_.assign(moves.by.begin(), moves.by.end());
        samples_.clear();
        for (const std::int32_t place : moves.places) samples_.push_back(parts_.places.sample[usize(place)]);
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
        T* rows = parts_.room_for(this->working_ * this->n_);
        std::vector<std::int32_t>& slot_of = parts_.scratch.slot_of;
        slot_of.resize(this->n_);
        const auto row = [&](std::size_t place) { return rows + usize(slot_of[place]) * this->n_; };
        in_lots(places, this->working_, [&](const Places& lot, std::size_t) {
            for (std::size_t i = 0; i < lot.size(); ++i) slot_of[usize(lot[i])] = static_cast<std::int32_t>(i);
            parts_.compute_all(lot, row, true, this->spare_);
            count(lot.size());
            for (const std::int32_t place : lot) visit(usize(place), row(usize(place)));
        });
    }

   private:
    // Computing this many kernel values is worth several threads; so is one row of this many, with the pass over it.
    static constexpr std::size_t kManyValues = std::size_t{1} << 17, kLongRow = std::size_t{1} << 15;

    // sums[k] += sum over the samples of coef * K(sample, k) for the places k from `first` to `end`.
    void add_rows(const std::int32_t* samples, const T* coef, std::size_t n, std::size_t first, std::size_t end,
                  T* sums, GramScratch<T>& scratch) const {
        const TaskPlaces<T>& places = parts_.places;
        for (std::size_t i = 0; i < parts_.n_classes(); ++i) {
            const std::size_t at = std::max(first, places.offset[i]);
            const std::size_t last = std::min(end, places.offset[i] + padded(parts_.size_of(i)));
            if (at < last)
                parts_.gram.add_rows(samples, coef, n, usize(places.classes[i]), at - places.offset[i], last - at,
                                     parts_.gamma, sums + at, scratch);
        }
    }
    // One part of `move`.
    Extremes move_part(const PairScores<T>& scores, std::size_t part, std::size_t first, std::size_t end) {
        T* change = change_.get() + first;
        const T whole = T(1);
        Extremes now{};
        // As many at a time as a working set has: sums of more would lose digits in T.
        for (std::size_t begin = 0; begin < samples_.size(); begin += this->working_) {
            const std::size_t n = std::min(this->working_, samples_.size() - begin);
            std::fill(change, change_.get() + end, T(0));
            add_rows(samples_.data() + begin, this->coef_.data() + begin, n, first, end, change_.get(),
                     parts_.scratch.stream[part]);
            now = this->simd_.update_by_rows(part_of(scores, first, end), change, 0, nullptr, &whole, 1);
        }
        return now;
    }
    void count(std::size_t n_rows) {
        this->computed_ += static_cast<std::int64_t>(n_rows);
        this->asked_ += static_cast<std::int64_t>(n_rows);
    }

    RowParts<T> parts_;
    Aligned<T> row_, change_;
    std::vector<std::int32_t> samples_;  // of the moves
};

}  // namespace dagmar
