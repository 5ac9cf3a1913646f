// Rows computed on demand and kept; the least recently used is dropped when there is no memory left.
#pragma once

#include "rows/parts.hpp"

namespace dagmar {

template <class T>
class KeptRows final : public RowSource<T> {
   public:
    // first_bytes: what rows may take until as many were dropped as that holds.
    KeptRows(const RowParts<T>& parts, std::size_t working, std::size_t first_bytes, Spare& spare)
        : RowSource<T>(parts.gram.simd(), spare, parts.places.n, parts.places.n_samples, working,
                       parts.places.diagonal.data(), parts.places.sample.data()),
          parts_(parts), slots_(kWorking) {
        slot_of_.assign(this->n_, -1);
        place_in_.clear();
        make_room(rows_in(std::min(first_bytes, parts.most)));
    }

    const T* first_row(const Places& places) override {
        fetch(places);
        return row(usize(places.front()));
    }
    KernelBlock<T> block(const Places& places) override {
        fetch(places);
        return this->gather(rows_, slots_of(places), places);
    }
    void among(const Places& places, T* out, std::size_t stride) override {
        if (parts_.gram.has_columns() && parts_.gram.products(parts_.places.classes) <= kFewProducts)
            return parts_.among(places, out, stride, this->spare_);
        RowSource<T>::among(places, out, stride);
    }
    Extremes move(const PairScores<T>& scores, const Moves& moves) override {
        return this->move_by_rows(scores, rows_, moves, [&](const Places& lot) {
            if (!std::all_of(lot.begin(), lot.end(), [&](std::int32_t place) { return has(usize(place)); })) fetch(lot);
            return slots_of(lot);
        });
    }
    T* lend(std::size_t n_values) override {
        const std::size_t slots = (n_values + this->n_ - 1) / this->n_;
        if (rows_in(0) + slots > most_rows_) grow();
        // Behind the rows that are there, if possible.
        std::size_t end = std::max(place_in_.size(), rows_in(0)) + slots;
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
        in_lots(places, this->working_, [&](const Places& lot, std::size_t) {
            fetch(lot);
            for (const std::int32_t place : lot) visit(usize(place), row(usize(place)));
        });
    }

   private:
    // Up to this many products, the values between some samples are computed again in less time than it takes to pick
    // them out of whole rows.
    static constexpr double kFewProducts = 256.0;
    // A batch of this many kernel values to compute is worth several threads.
    static constexpr std::size_t kManyValues = std::size_t{1} << 17;

    // Makes the rows of these places (distinct, at most working()) available until the next call.
    void fetch(const Places& places) {
        ++clock_;
        if (dropped_ > most_rows_ && usable_ == most_rows_) grow();
        Places& missing = parts_.scratch.missing;
        missing.clear();
        this->asked_ += static_cast<std::int64_t>(places.size());
        for (const std::int32_t place : places)
            if (has(usize(place)))
                last_use_[usize(slot_of_[usize(place)])] = clock_;
            else
                missing.push_back(place);
        if (missing.empty()) return;
        for (const std::int32_t place : missing) assign_slot(place);
        this->computed_ += static_cast<std::int64_t>(missing.size());
        const auto to = [&](std::size_t place) { return rows_ + usize(slot_of_[place]) * this->n_; };
        parts_.compute_all(missing, to, missing.size() * this->n_ >= kManyValues, this->spare_);
    }
    bool has(std::size_t place) const { return slot_of_[place] >= 0; }
    const T* row(std::size_t place) const { return rows_ + usize(slot_of_[place]) * this->n_; }
    const std::int32_t* slots_of(const Places& places) {
        for (std::size_t i = 0; i < places.size(); ++i) slots_[i] = slot_of_[usize(places[i])];
        return slots_.data();
    }
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
        rows_ = parts_.room_for(most_rows * this->n_);
    }
    // From the memory that rows begin with to all that they may have.
    void grow() {
        if (most_rows_ < rows_in(parts_.most)) make_room(rows_in(parts_.most));
    }
    // Accounts for the first rows; false if the budget does not allow them and they are not `needed`.
    bool acquire(std::size_t n_rows, bool needed) { return parts_.acquire(n_rows * this->n_ * sizeof(T), needed); }
    // As many rows as these bytes hold; those of two working sets always fit.
    std::size_t rows_in(std::size_t bytes) const {
        return std::min(this->n_samples_, std::max(bytes / (this->n_ * sizeof(T)), 2 * this->working_));
    }

    RowParts<T> parts_;
    std::size_t most_rows_ = 0, dropped_ = 0;
    std::size_t usable_ = 0;  // slots before this one are for rows; the others may be lent
    T* rows_ = nullptr;
    std::int64_t clock_ = 0;
    std::vector<std::int32_t>& slot_of_ = parts_.scratch.slot_of;    // where the row of a place is, -1 if nowhere
    std::vector<std::int32_t>& place_in_ = parts_.scratch.place_in;  // the place whose row a slot holds
    std::vector<std::int64_t>& last_use_ = parts_.scratch.last_use;  // when a slot was last asked for
    std::vector<std::int32_t> slots_;
};

}  // namespace dagmar
