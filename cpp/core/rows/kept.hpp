// Rows computed on demand and kept; the least recently used is dropped when there is no memory left.
#pragma once

#include "rows/parts.hpp"

namespace dagmar {

template <class T>
class KeptRows final : public TaskRows<T> {
   public:
    // first_bytes: what rows may take until as many were dropped as that holds.
    KeptRows(const RowParts<T>& parts, std::size_t working, std::size_t first_bytes)
        : TaskRows<T>(parts, working), slots_(kWorking) {
        make_room(rows_in(std::min(first_bytes, parts.memory)));
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
        const GramRows<T>& gram = this->parts_.gram;
        if (gram.has_columns() && gram.products(this->parts_.places.classes) <= kCheaperThanPicking)
            return this->parts_.among(places, out, stride);
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
        if (most_ < slots + 2 * this->working_) return nullptr;
        most_ -= lent_ = slots;
        for (std::size_t slot = most_; slot < place_in_.size(); ++slot) slot_of_[usize(place_in_[slot])] = -1;
        place_in_.resize(std::min(place_in_.size(), most_));
        last_use_.resize(place_in_.size());
        return rows_ + most_ * this->n_;
    }
    void take_back() override { most_ += std::exchange(lent_, 0); }
    void each_row(const Places& places, const std::function<void(std::size_t, const T*)>& visit) override {
        in_lots(places, this->working_, [&](const Places& lot, std::size_t) {
            fetch(lot);
            for (const std::int32_t place : lot) visit(usize(place), row(usize(place)));
        });
    }

   private:
    // Up to this many products, the values between some samples are computed again in less time than it takes to pick
    // them out of whole rows.
    static constexpr double kCheaperThanPicking = 256.0;
    // A batch of this many kernel values to compute is worth several threads.
    static constexpr std::size_t kManyValues = std::size_t{1} << 17;

    // Makes the rows of these places (distinct, at most working()) available until the next call.
    void fetch(const Places& places) {
        ++clock_;
        if (dropped_ > most_ && most_ < rows_in(this->parts_.memory) && !lent_) make_room(rows_in(this->parts_.memory));
        Places& missing = this->parts_.scratch.missing;
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
        this->parts_.compute_all(
            missing, [&](std::size_t q) { return row(usize(missing[q])); }, missing.size() * this->n_ >= kManyValues);
    }
    bool has(std::size_t place) const { return slot_of_[place] >= 0; }
    T* row(std::size_t place) const { return rows_ + usize(slot_of_[place]) * this->n_; }
    const std::int32_t* slots_of(const Places& places) {
        for (std::size_t i = 0; i < places.size(); ++i) slots_[i] = slot_of_[usize(places[i])];
        return slots_.data();
    }
    void assign_slot(std::int32_t place) {
        std::size_t slot = place_in_.size();
        if (slot < most_) {
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
    void make_room(std::size_t most) {
        slot_of_.assign(this->n_, -1);
        place_in_.clear();
        last_use_.clear();
        most_ = most;
        rows_ = this->parts_.scratch.rows.at_least(most * this->n_);
    }
    // As many rows as these bytes hold; those of two working sets always fit.
    std::size_t rows_in(std::size_t bytes) const {
        return std::min(this->n_samples_, std::max(bytes / (this->n_ * sizeof(T)), 2 * this->working_));
    }

    std::size_t most_ = 0, lent_ = 0, dropped_ = 0;  // rows
    T* rows_ = nullptr;
    std::int64_t clock_ = 0;
    std::vector<std::int32_t>& slot_of_ = this->parts_.scratch.slot_of;    // where a place's row is, -1 if nowhere
    std::vector<std::int32_t>& place_in_ = this->parts_.scratch.place_in;  // the place whose row a slot holds
    std::vector<std::int64_t>& last_use_ = this->parts_.scratch.last_use;  // when a slot was last asked for
    std::vector<std::int32_t> slots_;
};

}  // namespace dagmar
