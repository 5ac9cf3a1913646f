#include "rows.hpp"

#include <algorithm>
#include <numeric>

#include "integers.hpp"

namespace dagmar {
namespace {

// A batch of at least this many kernel values is worth several threads.
constexpr std::size_t kLarge = std::size_t{1} << 17;
// Values of at most so many products are computed again in less time than it takes to pick them out of whole rows.
constexpr double kFewProducts = 256.0;
// Fresh memory for a row costs more than computing one of few products. So where this many bytes hold a quarter of such
// rows, they begin with that, which an allocator has at hand from one fit to the next, until as many rows were computed
// again as there is room for. Of larger tasks, rows are not held at all.
constexpr std::size_t kFirst = std::size_t{28} << 20;

}  // namespace

template <class T>
SharedRows<T>::SharedRows(const GramRows<T>& gram, std::vector<std::int32_t> tasks_with, Budget& budget,
                          std::size_t most_for_table)
    : gram_(gram), n_classes_(gram.n_classes()), budget_(budget), block_(n_classes_ * n_classes_, kNone) {
    std::size_t n_slots = 0;
    // The table of parts must not use more memory than it may save.
    const std::size_t most_slots = most_for_table / sizeof(std::atomic<T*>);
    tasks_left_ = std::make_unique<std::atomic<std::int32_t>[]>(tasks_with.size());
    for (std::size_t b = 0; b < tasks_with.size(); ++b) {
        tasks_left_[b] = tasks_with[b];
        if (tasks_with[b] < 2 || n_slots + gram.class_size(b / n_classes_) > most_slots) continue;
        block_[b] = n_slots;
        n_slots += gram.class_size(b / n_classes_);
    }
    slots_ = std::make_unique<std::atomic<T*>[]>(n_slots);
}

template <class T>
SharedRows<T>::~SharedRows() {
    for (std::size_t b = 0; b < block_.size(); ++b)
        if (block_[b] != kNone)
            for (std::size_t k = 0; k < gram_.class_size(b / n_classes_); ++k)
                FreeAligned{}(slots_[block_[b] + k].load());
}

template <class T>
std::atomic<T*>& SharedRows<T>::slot(std::size_t a, std::size_t c) const {
    const std::size_t own = gram_.class_of(a);
    return slots_[block_[own * n_classes_ + c] + a - gram_.class_start()[own]];
}

template <class T>
const T* SharedRows<T>::find(std::size_t a, std::size_t c) const {
    return slot(a, c).load(std::memory_order_acquire);
}

template <class T>
Aligned<T> SharedRows<T>::new_part(std::size_t n) {
    {
        const std::lock_guard lock(mutex_);
        if (auto& same = unused_[n]; !same.empty()) {
            Aligned<T> part = std::move(same.back());
            same.pop_back();
            return part;
        }
    }
    return acquire(bytes_of(n)) ? aligned_array<T>(n) : nullptr;
}

template <class T>
bool SharedRows<T>::acquire(std::size_t bytes) {
    if (budget_.acquire(bytes)) return true;
    const std::lock_guard lock(mutex_);
    for (auto& [n, parts] : unused_)
        while (!parts.empty()) {
            parts.pop_back();
            budget_.give_back(bytes_of(n));
            if (budget_.acquire(bytes)) return true;
        }
    return false;
}

template <class T>
void SharedRows<T>::keep(std::size_t a, std::size_t c, const T* part) {
    const std::size_t n = padded(gram_.class_size(c));
    Aligned<T> copy = new_part(n);
    if (!copy) return;
    std::copy(part, part + n, copy.get());
    T* nobody = nullptr;
    if (slot(a, c).compare_exchange_strong(nobody, copy.get(), std::memory_order_release, std::memory_order_relaxed)) {
        copy.release();
        return;
    }
    const std::lock_guard lock(mutex_);
    unused_[n].push_back(std::move(copy));
}

template <class T>
void SharedRows<T>::end_task(std::span<const std::int32_t> classes) {
    for (const std::int32_t class_a : classes)
        for (const std::int32_t class_c : classes) {
            const std::size_t own = usize(class_a), c = usize(class_c);
            const std::size_t b = own * n_classes_ + c;
            if (block_[b] == kNone || --tasks_left_[b] > 0) continue;
            const std::lock_guard lock(mutex_);
            auto& unused = unused_[padded(gram_.class_size(c))];
            for (std::size_t k = 0; k < gram_.class_size(own); ++k)
                if (T* part = slots_[block_[b] + k].exchange(nullptr)) unused.emplace_back(part);
        }
}

template <class T>
TaskRows<T>::TaskRows(const GramRows<T>& gram, SharedRows<T>& shared, std::span<const std::int32_t> classes,
                      double gamma, RowShare share, RowScratch<T>& scratch, Spare& spare)
    : gram_(gram), shared_(shared), scratch_(scratch), spare_(spare), classes_(classes.begin(), classes.end()),
      gamma_(gamma), own_share_(share.own) {
    offset_.reserve(classes_.size());
    for (const std::int32_t c : classes_) {
        offset_.push_back(n_);
        n_ += padded(gram.class_size(usize(c)));
        n_samples_ += gram.class_size(usize(c));
    }
    sample_.assign(n_, -1);
    slot_of_.assign(n_, -1);
    place_in_.clear();
    last_use_.clear();
    scratch.was_here.assign(n_, false);
    diagonal_ = scratch.diagonal.at_least(n_);
    std::fill_n(diagonal_, n_, T(0));
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        const std::size_t c = usize(classes_[i]);
        for (std::size_t k = 0; k < gram.class_size(c); ++k) {
            const std::size_t sample = gram.class_start()[c] + k;
            sample_[offset_[i] + k] = static_cast<std::int32_t>(sample);
            diagonal_[offset_[i] + k] = gram.diagonal(sample);
        }
    }
    keeps_all_ = n_samples_ <= gram.small_task() && n_ <= kMostInner;
    working_ = n_samples_ <= kWorking ? kWorking : gram.working(n_samples_);
    most_rows_ = keeps_all() ? n_samples_ : std::min(n_samples_, std::max(share.most / (n_ * sizeof(T)), 2 * working_));
    all_rows_ = most_rows_;
    products_ = gram.products(classes_);
    if (!keeps_all() && !gram.worth_keeping(products_)) {
        const std::size_t first_rows = std::max(kFirst / (n_ * sizeof(T)), 2 * working_);
        if (first_rows >= n_samples_ / 4)
            most_rows_ = std::min(most_rows_, first_rows);
        else
            streams_ = gram.has_columns();
    }
    if (scratch.rows.size() < most_rows_ * n_) {
        shared_.give_back(scratch.paid);
        scratch.owned = scratch.paid = 0;
    }
    end_ = most_rows_;
    rows_ = scratch.rows.at_least(most_rows_ * n_);  // address space only: rows count as memory once they are written
}

template <class T>
void TaskRows<T>::hold(const std::vector<std::int32_t>& places) {
    if (again_ > most_rows_) grow();
    if (++clock_ == 1 && keeps_all() && acquire(n_samples_)) compute_all();
    std::vector<std::int32_t>& missing = scratch_.missing;
    missing.clear();
    asked_ += static_cast<std::int64_t>(places.size());
    for (const std::int32_t place : places) {
        if (has(usize(place))) {
            std::int64_t& last = last_use_[usize(slot_of_[usize(place)])];
            if (last == 0) ++computed_;  // with all the others, before anyone asked
            last = clock_;
        } else {
            missing.push_back(place);
        }
    }
    if (!missing.empty()) compute(missing);
}

template <class T>
void TaskRows<T>::among(const std::vector<std::int32_t>& places, T* out, std::size_t stride) {
    if (gram_.has_columns() && products_ <= kFewProducts) {
        std::vector<std::int32_t> samples;
        for (const std::int32_t place : places) samples.push_back(sample_[usize(place)]);
        gram_.among(samples, gamma_, out, stride, spare_);
        return;
    }
    in_lots(places, working_, [&](const std::vector<std::int32_t>& lot) {
        hold(lot);
        for (const std::int32_t place : lot) {
            const T* from = row(usize(place));
            for (std::size_t j = 0; j < places.size(); ++j) out[j] = from[places[j]];
            out += stride;
        }
    });
}

template <class T>
void TaskRows<T>::add_rows(const std::vector<std::int32_t>& places, const T* coef, std::size_t first, std::size_t end,
                           T* sums, std::size_t stream) {
    auto& [gram_scratch, index] = scratch_.stream[stream];
    index.resize(places.size());
    std::transform(places.begin(), places.end(), index.begin(),
                   [&](std::int32_t place) { return sample_[usize(place)]; });
    if (first == 0) {  // one of the parts
        computed_ += static_cast<std::int64_t>(places.size());
        asked_ += static_cast<std::int64_t>(places.size());
    }
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        const std::size_t c = usize(classes_[i]), at = std::max(first, offset_[i]);
        const std::size_t last = std::min(end, offset_[i] + padded(gram_.class_size(c)));
        if (at < last)
            gram_.add_rows(index.data(), coef, index.size(), c, at - offset_[i], last - at, gamma_, sums + (at - first),
                           gram_scratch);
    }
}

template <class T>
T* TaskRows<T>::lend(std::size_t n_values) {
    const std::size_t n_slots = (n_values + n_ - 1) / n_;
    if (2 * working_ + n_slots > most_rows_) grow();
    const std::size_t used = place_in_.size();
    std::size_t end = std::max(used, 2 * working_) + n_slots;
    if (end > most_rows_ || !acquire(end)) end = std::max(used, 2 * working_ + n_slots);
    if (keeps_all() || end > most_rows_ || !acquire(end)) return nullptr;
    end_ = end - n_slots;
    for (std::size_t slot = end_; slot < used; ++slot) slot_of_[usize(place_in_[slot])] = -1;
    place_in_.resize(std::min(used, end_));
    last_use_.resize(place_in_.size());
    return rows_ + end_ * n_;
}

template <class T>
bool TaskRows<T>::acquire(std::size_t n_rows) {
    const std::size_t bytes = n_rows * n_ * sizeof(T), covered = std::max(scratch_.owned, own_share_);
    if (bytes > covered) {
        if (shared_.acquire(bytes - covered))
            scratch_.paid += bytes - covered;
        else if (n_rows > 2 * working_ && !keeps_all())  // these must always fit
            return false;
    }
    scratch_.owned = std::max(scratch_.owned, bytes);
    return true;
}

template <class T>
void TaskRows<T>::grow() {
    if (most_rows_ == all_rows_ || end_ < most_rows_) return;  // not while memory is lent
    for (const std::int32_t place : place_in_) slot_of_[usize(place)] = -1;
    place_in_.clear();
    last_use_.clear();
    most_rows_ = end_ = all_rows_;
    rows_ = scratch_.rows.at_least(most_rows_ * n_);
}

template <class T>
void TaskRows<T>::assign_slot(std::int32_t place) {
    std::size_t slot = place_in_.size();
    again_ += slot == end_ && scratch_.was_here[usize(place)];
    scratch_.was_here[usize(place)] = true;
    if (slot < end_ && (slot < 2 * working_ || !streams_) && acquire(slot + 1)) {
        place_in_.push_back(place);
        last_use_.push_back(0);
    } else {
        slot = usize(std::min_element(last_use_.begin(), last_use_.end()) - last_use_.begin());
        slot_of_[usize(place_in_[slot])] = -1;
        place_in_[slot] = place;
    }
    slot_of_[usize(place)] = static_cast<std::int32_t>(slot);
    last_use_[slot] = clock_;
}

template <class T>
void TaskRows<T>::compute(const std::vector<std::int32_t>& places) {
    for (const std::int32_t place : places) assign_slot(place);
    computed_ += static_cast<std::int64_t>(places.size());
    if (places.size() * n_ >= kLarge) {
        spare_.run(classes_.size(), [&](std::size_t i) {
            PartScratch<T> scratch;
            compute_class(i, places, scratch);
        });
    } else {
        for (std::size_t i = 0; i < classes_.size(); ++i) compute_class(i, places, scratch_.part);
    }
}

template <class T>
void TaskRows<T>::compute_all() {
    place_in_.clear();
    place_in_.reserve(n_samples_);
    for (std::size_t k = 0; k < n_; ++k) {
        if (!is_sample(k)) continue;
        slot_of_[k] = static_cast<std::int32_t>(place_in_.size());
        place_in_.push_back(static_cast<std::int32_t>(k));
    }
    last_use_.assign(place_in_.size(), 0);
    std::vector<std::int32_t>& places = scratch_.missing;  // as none will be
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        const std::size_t n = gram_.class_size(usize(classes_[i]));
        places.resize(n);
        std::iota(places.begin(), places.end(), static_cast<std::int32_t>(offset_[i]));
        compute_within(i);
        for (std::size_t j = i + 1; j < classes_.size(); ++j) {
            compute_class(j, places, scratch_.part);
            // The other half, by symmetry.
            T* mirrored = rows_ + usize(slot_of_[offset_[j]]) * n_ + offset_[i];
            const std::size_t n_mirrored = gram_.class_size(usize(classes_[j]));
            gram_.simd().transpose(row(offset_[i]) + offset_[j], n_, n, n_mirrored, mirrored, n_);
        }
    }
}

template <class T>
void TaskRows<T>::compute_within(std::size_t i) {
    const std::size_t c = usize(classes_[i]), n = gram_.class_size(c), start = gram_.class_start()[c];
    if (n == 0) return;
    T* block = rows_ + usize(slot_of_[offset_[i]]) * n_ + offset_[i];
    const bool wanted = shared_.wanted(c, c);
    std::size_t k = 0;
    for (const T* kept; wanted && k < n && (kept = shared_.find(start + k, c)); ++k)
        std::copy(kept, kept + padded(n), block + k * n_);
    if (k == n) return;
    gram_.within(c, gamma_, block, n_, scratch_.part.gram);
    for (k = 0; wanted && k < n; ++k)
        if (!shared_.find(start + k, c)) shared_.keep(start + k, c, block + k * n_);
}

template <class T>
void TaskRows<T>::compute_class(std::size_t i, const std::vector<std::int32_t>& places, PartScratch<T>& scratch) const {
    const std::size_t c = usize(classes_[i]);
    auto& [gram_scratch, asked, shared, out] = scratch;
    asked.clear();
    shared.clear();
    out.clear();
    for (const std::int32_t place : places) {
        const std::size_t k = usize(place);
        const std::int32_t a = sample_[k];
        T* part = rows_ + usize(slot_of_[k]) * n_ + offset_[i];
        const bool wanted = shared_.wanted(gram_.class_of(usize(a)), c);
        if (const T* kept = wanted ? shared_.find(usize(a), c) : nullptr) {
            std::copy(kept, kept + padded(gram_.class_size(c)), part);
            continue;
        }
        if (wanted) shared.push_back(static_cast<std::int32_t>(asked.size()));
        asked.push_back(a);
        out.push_back(part);
    }
    if (asked.empty()) return;
    gram_.rows(asked.data(), asked.size(), c, gamma_, out.data(), gram_scratch);
    for (const std::int32_t q : shared) shared_.keep(usize(asked[usize(q)]), c, out[usize(q)]);
}

template class SharedRows<float>;
template class SharedRows<double>;
template class TaskRows<float>;
template class TaskRows<double>;

}  // namespace dagmar
