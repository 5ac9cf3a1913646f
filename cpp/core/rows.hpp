// Rows of the kernel, computed when asked for and kept while there is room.
//
// A task (a binary question over some classes) sees a row as one array: its classes one after the other, each padded to
// whole panels. The part of a row that other tasks ask for too, such as K(a, own class of a), which serves every pair of
// that class, is kept in SharedRows; the whole row is kept in the task's TaskRows.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "kernel.hpp"

namespace dagmar {

// Parts (sample a, class c) wanted by more than one task, within a budget in bytes. A part is written once and then
// only read, until `release` says that no task will want its block again. Lock-free: a part that two threads compute
// at the same time has the same bits, and the first to publish it wins.
template <class T>
class SharedRows {
   public:
    // tasks_with[c1 * n_classes + c2]: how many tasks hold both classes.
    SharedRows(const GramRows<T>& gram, std::vector<std::int32_t> tasks_with, std::size_t budget);
    ~SharedRows();
    SharedRows(const SharedRows&) = delete;
    SharedRows& operator=(const SharedRows&) = delete;

    bool wanted(std::size_t class_a, std::size_t c) const { return block_[class_a * n_classes_ + c] != kNone; }
    const T* find(std::size_t a, std::size_t c) const;
    void keep(std::size_t a, std::size_t c, const T* part);
    // A task over these classes has ended.
    void release(const std::int32_t* classes, std::size_t n);

   private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::atomic<T*>& slot(std::size_t a, std::size_t c) const;

    const GramRows<T>& gram_;
    std::size_t n_classes_;
    std::size_t budget_;
    std::vector<std::size_t> block_;                                // where the block (c1, c2) begins in slots_
    std::unique_ptr<std::atomic<std::int32_t>[]> tasks_left_;       // per block
    std::unique_ptr<std::atomic<T*>[]> slots_;
    std::atomic<std::size_t> used_{0};
};

// What a worker keeps from one task to the next, so that memory is touched for the first time only once.
template <class T>
struct RowScratch {
    Buffer<T> rows, gather;
};

// The rows of one task, least recently used out first when the budget is spent.
template <class T>
class TaskRows {
   public:
    TaskRows(const GramRows<T>& gram, SharedRows<T>& shared, const std::int32_t* classes, std::size_t n_classes,
             std::size_t budget, RowScratch<T>& scratch);

    std::size_t n() const { return n_; }  // padded length of a row
    // The training sample at a place of the row, -1 for padding.
    std::int32_t sample_at(std::size_t k) const { return sample_[k]; }
    const T* diagonal() const { return diagonal_.get(); }

    bool has(std::size_t k) const { return slot_of_[k] >= 0; }
    // The row of place k, which must be there; it is safe until two fetches later.
    const T* row(std::size_t k);
    // Computes the rows of these places (none of them there yet), at most batch() of them.
    void fetch(const std::vector<std::int32_t>& places);
    std::size_t batch() const { return batch_; }

    // Rows computed, and rows asked for that were still there.
    std::int64_t computed() const { return computed_; }
    std::int64_t reused() const { return asked_ - fetches_; }

   private:
    T* take_slot(std::int32_t place);

    const GramRows<T>& gram_;
    SharedRows<T>& shared_;
    RowScratch<T>& scratch_;
    std::vector<std::int32_t> classes_;
    std::vector<std::size_t> offset_;
    std::size_t n_ = 0, capacity_ = 0, batch_ = 1;
    std::vector<std::int32_t> sample_, slot_of_, place_in_;
    std::vector<std::int64_t> last_use_;
    Aligned<T> diagonal_;
    T* rows_ = nullptr;
    std::int64_t clock_ = 0, computed_ = 0, asked_ = 0, fetches_ = 0;
};

}  // namespace dagmar
