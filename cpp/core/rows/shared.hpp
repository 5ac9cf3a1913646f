// Parts of kernel rows that several tasks need.
#pragma once

#include <atomic>

#include "gram/gram.hpp"

namespace dagmar {

// Parts (sample a, class c) that more than one task needs, such as K(a, class of a), which serves every pair of that
// class; kept while there is memory. A part is written once, published by compare-and-swap and then only read, until
// `end_task` finds that no task needs its block again. No lock is needed. If two threads compute the same part,
// both have the same bits, and the second copy is dropped.
template <class T>
class SharedRows {
   public:
    // tasks_with[c1 * n_classes + c2]: the number of tasks that have both classes.
    SharedRows(const GramRows<T>& gram, const std::vector<std::int32_t>& tasks_with, std::size_t bytes)
        : gram_(gram), n_classes_(gram.n_classes()), left_(static_cast<std::ptrdiff_t>(bytes)),
          block_(n_classes_ * n_classes_, kNone) {
        // The table of parts must not use more memory than it may save.
        const std::size_t most_slots = bytes / 4 / sizeof(std::atomic<T*>);
        tasks_left_ = std::make_unique<std::atomic<std::int32_t>[]>(tasks_with.size());
        for (std::size_t b = 0; b < tasks_with.size(); ++b) {
            tasks_left_[b] = tasks_with[b];
            if (tasks_with[b] < 2 || n_slots_ + gram.class_size(b / n_classes_) > most_slots) continue;
            block_[b] = n_slots_;
            n_slots_ += gram.class_size(b / n_classes_);
        }
        slots_ = std::make_unique<std::atomic<T*>[]>(n_slots_);
    }
    ~SharedRows() {
        for (std::size_t k = 0; k < n_slots_; ++k) FreeAligned{}(slots_[k].load());
    }
    SharedRows(const SharedRows&) = delete;
    SharedRows& operator=(const SharedRows&) = delete;

    // Null if it is not there.
    const T* find(std::size_t a, std::size_t c) const {
        const std::atomic<T*>* slot = slot_of(a, c);
        return slot ? slot->load(std::memory_order_acquire) : nullptr;
    }
    // If another task needs it.
    void keep(std::size_t a, std::size_t c, const T* part) {
        std::atomic<T*>* slot = slot_of(a, c);
        if (!slot || slot->load(std::memory_order_relaxed)) return;
        const std::size_t n = padded(gram_.class_size(c));
        if ((left_ -= bytes_of(n)) < 0) {
            left_ += bytes_of(n);
            return;
        }
        Aligned<T> copy = aligned_array<T>(n);
        std::copy(part, part + n, copy.get());
        T* nobody = nullptr;
        if (slot->compare_exchange_strong(nobody, copy.get(), std::memory_order_release, std::memory_order_relaxed))
            copy.release();
        else
            left_ += bytes_of(n);
    }
    // A task over these classes has ended.
    void end_task(std::span<const std::int32_t> classes) {
        for (const std::int32_t class_a : classes)
            for (const std::int32_t class_c : classes) {
                const std::size_t own = usize(class_a), c = usize(class_c), b = own * n_classes_ + c;
                if (block_[b] == kNone || --tasks_left_[b] > 0) continue;
                for (std::size_t k = 0; k < gram_.class_size(own); ++k)
                    if (const Aligned<T> part{slots_[block_[b] + k].exchange(nullptr)})
                        left_ += bytes_of(padded(gram_.class_size(c)));
            }
    }

   private:
    static constexpr std::size_t kNone = usize(-1);
    std::atomic<T*>* slot_of(std::size_t a, std::size_t c) const {
        const std::size_t own = gram_.class_of(a), block = block_[own * n_classes_ + c];
        return block == kNone ? nullptr : &slots_[block + a - gram_.class_start()[own]];
    }
    // Includes about 160 bytes of allocator overhead.
    static std::ptrdiff_t bytes_of(std::size_t n) { return static_cast<std::ptrdiff_t>(n * sizeof(T) + 160); }

    const GramRows<T>& gram_;
    std::size_t n_classes_, n_slots_ = 0;
    std::atomic<std::ptrdiff_t> left_;                         // bytes
    std::vector<std::size_t> block_;                           // where the block (c1, c2) begins in slots_
    std::unique_ptr<std::atomic<std::int32_t>[]> tasks_left_;  // per block
    std::unique_ptr<std::atomic<T*>[]> slots_;
};

}  // namespace dagmar
