// Rows computed on demand and kept; the least recently used is dropped when there is no memory left.
#pragma once

#include "rows/scratch.hpp"

namespace dagmar {

template <class T>
class KeptRows final : public RowSource<T> {
   public:
    // first_bytes: what rows may take until as many were dropped as that holds.
    KeptRows(const RowParts<T>& parts, std::size_t working, std::size_t first_bytes, RowShare share,
             RowScratch<T>& scratch, Spare& spare)
        : RowSource<T>(parts.places.n, parts.places.n_samples, parts.places.diagonal.data(), working, spare),
          parts_(parts), share_(share), scratch_(scratch), block_(aligned_array<T>(kWorking * kWorking)),
          slots_(kWorking) {
        slot_of_.assign(this->n_, -1);
        place_in_.clear();
        make_room(rows_in(std::min(first_bytes, share.most)));
    }

    bool is_sample(std::size_t place) const override { return parts_.places.sample[place] >= 0; }
    const T* first_row(const Places& places) override {
        fetch(places);
        return row(usize(places.front()));
    }
    KernelBlock<T> block(const Places& places) override {
        fetch(places);
        for (std::size_t i = 0; i < places.size(); ++i) slots_[i] = slot_of_[usize(places[i])];
        const std::size_t n = padded(places.size());
        parts_.gram.simd().gather(rows_, this->n_, slots_.data(), places.data(), places.size(), n, block_.get());
        return {block_.get(), n, kInOrder.data()};
    }
    void among(const Places& places, T* out, std::size_t stride) override {
        if (parts_.computes_among() && parts_.gram.products(parts_.places.classes) <= kFewProducts)
            return parts_.among(places, out, stride, this->spare_);
        each_row(places, [&](std::size_t, const T* row) {
            for (std::size_t j = 0; j < places.size(); ++j) out[j] = row[places[j]];
            out += stride;
        });
    }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        Extremes now{};
        const double* by = moves.by.data();
        // As many at a time as a working set has: sums of more would lose digits in T, and their rows might not fit.
        in_lots(moves.places, this->working_, [&](const Places& lot) {
            if (!std::all_of(lot.begin(), lot.end(), [&](std::int32_t place) { return has(usize(place)); })) fetch(lot);
            coef_.assign(by, by + lot.size());
            by += lot.size();
            for (std::size_t i = 0; i < lot.size(); ++i) slots_[i] = slot_of_[usize(lot[i])];
            const bool pays = lot.size() * this->n_ >= kManyProducts;
            now = in_parts(scores, this->spare_, pays, [&](std::size_t, std::size_t first, std::size_t end) {
                return parts_.gram.simd().update_by_rows(part_of(scores, first, end), rows_ + first, this->n_,
                                                         slots_.data(), coef_.data(), lot.size());
            });
        });
        return now;
    }
    T* lend(std::size_t n_values) override {
        const std::size_t slots = (n_values + this->n_ - 1) / this->n_;
        if (rows_in(0) + slots > most_rows_ && most_rows_ < rows_in(share_.most)) make_room(rows_in(share_.most));
        std::size_t end =
            std::max(place_in_.size(), rows_in(0)) + slots;  // behind the rows that are there, if possible
        if (end > most_rows_ || !acquire(end, false)) end = std::max(place_in_.size(), rows_in(0) + slots);
        if (end > most_rows_ || !acquire(end, false)) return nullptr;
        usable_ = end - slots;
        for (std::size_t slot = usable_; slot < place_in_.size(); ++slot) slot_of_[usize(place_in_[slot])] = -1;
        place_in_.resize(std::min(place_in_.size(), usable_));
        last_use_.resize(place_in_.size());
        return rows_ + usable_ * this->n_;
    }
    void take_back() override { usable_ = most_rows_; }
    void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) override {
        in_lots(places, this->working_, [&](const Places& lot) {
            fetch(lot);
            for (const std::int32_t place : lot) visit(usize(place), row(usize(place)));
        });
    }

   private:
    // Up to this many products, the values between some samples are computed again in less time than it takes to pick
    // them out of whole rows.
    static constexpr double kFewProducts = 256.0;
    // A batch of this many kernel values to compute is worth several threads, and so is a pass of this many products.
    static constexpr std::size_t kManyValues = std::size_t{1} << 17, kManyProducts = std::size_t{1} << 19;

    // Makes the rows of these places (distinct, at most working()) available until the next call.
    void fetch(const Places& places) {
        ++clock_;
        if (dropped_ > most_rows_ && usable_ == most_rows_ && most_rows_ < rows_in(share_.most))
            make_room(rows_in(share_.most));
        Places& missing = scratch_.missing;
        missing.clear();
        this->asked_ += static_cast<std::int64_t>(places.size());
        for (const std::int32_t place : places)
            if (has(usize(place)))
                last_use_[usize(slot_of_[usize(place)])] = clock_;
            else
                missing.push_back(place);
        if (!missing.empty()) compute(missing);
    }
    bool has(std::size_t place) const { return slot_of_[place] >= 0; }
    const T* row(std::size_t place) const { return rows_ + usize(slot_of_[place]) * this->n_; }
    void assign_slot(std::int32_t place) {
        std::size_t slot = place_in_.size();
        if (slot < usable_ && acquire(slot + 1, slot < rows_in(0))) {
            place_in_.push_back(place);
            last_use_.push_back(0);
        } else {
            slot = usize(std::min_element(last_use_.begin(), last_use_.end()) - last_use_.begin());
            slot_of_[usize(place_in_[slot])] = -1;
            place_in_[slot] = place;
            ++dropped_;
        }
        slot_of_[usize(place)] = static_cast<std::int32_t>(slot);
        last_use_[slot] = clock_;
    }
    // Drops all rows, and gives them memory for as many.
    void make_room(std::size_t most_rows) {
        for (const std::int32_t place : place_in_) slot_of_[usize(place)] = -1;
        place_in_.clear();
        last_use_.clear();
        most_rows_ = usable_ = most_rows;
        rows_ = scratch_.room_for(most_rows * this->n_, parts_.shared);
    }
    void compute(const Places& places) {
        for (const std::int32_t place : places) assign_slot(place);
        this->computed_ += static_cast<std::int64_t>(places.size());
        const auto row = [&](std::size_t place) { return rows_ + usize(slot_of_[place]) * this->n_; };
        if (places.size() * this->n_ >= kManyValues) {
            this->spare_.run(parts_.n_classes(), [&](std::size_t i) {
                PartScratch<T> scratch;
                parts_.compute(i, places, row, scratch);
            });
        } else {
            for (std::size_t i = 0; i < parts_.n_classes(); ++i) parts_.compute(i, places, row, scratch_.part);
        }
    }
    // Accounts for the first rows; false if the budget does not allow them and they are not `needed`.
    bool acquire(std::size_t n_rows, bool needed) {
        return scratch_.acquire(n_rows * this->n_ * sizeof(T), share_, parts_.shared, needed);
    }
    // As many rows as these bytes hold; those of two working sets always fit.
    std::size_t rows_in(std::size_t bytes) const {
        return std::min(this->n_samples_, std::max(bytes / (this->n_ * sizeof(T)), 2 * this->working_));
    }

    RowParts<T> parts_;
    RowShare share_;
    RowScratch<T>& scratch_;
    std::size_t most_rows_ = 0, dropped_ = 0;
    std::size_t usable_ = 0;  // slots before this one are for rows; the others may be lent
    T* rows_ = nullptr;
    std::int64_t clock_ = 0;
    std::vector<std::int32_t>& slot_of_ = scratch_.slot_of;    // where the row of a place is, -1 if it is not kept
    std::vector<std::int32_t>& place_in_ = scratch_.place_in;  // the place whose row a slot holds
    std::vector<std::int64_t>& last_use_ = scratch_.last_use;  // when a slot was last asked for
    Aligned<T> block_;
    std::vector<std::int32_t> slots_;
    std::vector<T> coef_;
};

}  // namespace dagmar
