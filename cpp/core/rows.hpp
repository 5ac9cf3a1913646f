// Rows of the kernel, computed when asked for and kept while there is room.
//
// A task (a binary question over some classes) sees a row as one array: its classes one after the other, each padded to
// whole panels. The part of a row that other tasks ask for too, such as K(a, own class of a), which serves every pair of
// that class, is kept in SharedRows; the whole row is kept in the task's TaskRows.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "kernel.hpp"
#include "parallel.hpp"

namespace dagmar {

// Bytes that may still be taken, for all threads together.
class Budget {
   public:
    explicit Budget(std::size_t bytes) : left_(static_cast<std::ptrdiff_t>(bytes)) {}
    bool take(std::size_t bytes) {
        if (left_.fetch_sub(static_cast<std::ptrdiff_t>(bytes)) >= static_cast<std::ptrdiff_t>(bytes)) return true;
        give(bytes);
        return false;
    }
    void give(std::size_t bytes) { left_ += static_cast<std::ptrdiff_t>(bytes); }

   private:
    std::atomic<std::ptrdiff_t> left_;
};

// Parts (sample a, class c) wanted by more than one task, while the budget lasts. A part is written once and then
// only read, until `release` says that no task will want its block again. Reading takes no lock: a part that two threads compute
// at the same time has the same bits, and the first to publish it wins.
template <class T>
class SharedRows {
   public:
    // tasks_with[c1 * n_classes + c2]: how many tasks hold both classes.
    SharedRows(const GramRows<T>& gram, std::vector<std::int32_t> tasks_with, Budget& budget,
               std::size_t most_for_table);
    ~SharedRows();
    SharedRows(const SharedRows&) = delete;
    SharedRows& operator=(const SharedRows&) = delete;

    bool wanted(std::size_t class_a, std::size_t c) const { return block_[class_a * n_classes_ + c] != kNone; }
    const T* find(std::size_t a, std::size_t c) const;
    void keep(std::size_t a, std::size_t c, const T* part);
    // A task over these classes has ended.
    void release(const std::int32_t* classes, std::size_t n);
    // Takes bytes from the budget, if need be by giving up parts that nobody wants any more.
    bool take(std::size_t bytes);

   private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::atomic<T*>& slot(std::size_t a, std::size_t c) const;
    // With what the allocator takes for itself.
    static std::size_t bytes_of(std::size_t n) { return n * sizeof(T) + 160; }
    Aligned<T> new_part(std::size_t n);

    const GramRows<T>& gram_;
    std::size_t n_classes_;
    Budget& budget_;
    std::vector<std::size_t> block_;                           // where the block (c1, c2) begins in slots_
    std::unique_ptr<std::atomic<std::int32_t>[]> tasks_left_;  // per block
    std::unique_ptr<std::atomic<T*>[]> slots_;
    // Parts nobody wants any more, by their length, to be used again by whichever thread comes next: an allocator keeps what
    // one thread gives back from the others.
    std::mutex mutex_;
    std::map<std::size_t, std::vector<Aligned<T>>> unused_;
};

// What a worker keeps from one task to the next, so that memory is touched for the first time only once. `owned` counts the
// bytes of `rows` that were ever touched, `paid` what of them the common budget gave beside the worker's own share.
template <class T>
struct RowScratch {
    Buffer<T> rows;
    GramScratch<T> gram;
    std::size_t owned = 0, paid = 0;
};

// The rows of one task, least recently used out first when there is no room left.
template <class T>
class TaskRows {
   public:
    // reserve: bytes that are the worker's own. most: bytes it can have at all.
    TaskRows(const GramRows<T>& gram, SharedRows<T>& shared, const std::int32_t* classes, std::size_t n_classes,
             double gamma, Budget& budget, std::size_t reserve, std::size_t most, RowScratch<T>& scratch, Spare& spare);

    std::size_t n() const { return n_; }  // padded length of a row
    const T* diagonal() const { return diagonal_.get(); }

    // How many rows there is always room for at the same time.
    std::size_t working() const { return working_; }
    // Sees to it that the rows of these places (distinct, at most working()) are there, until the next call.
    void hold(const std::vector<std::int32_t>& places);
    // A held row, and where it stands: row k begins at rows() + slot(k) * n().
    const T* row(std::size_t k) const { return rows_ + static_cast<std::size_t>(slot_of_[k]) * n_; }
    const T* rows() const { return rows_; }
    std::int32_t slot(std::size_t k) const { return slot_of_[k]; }

    // Rows computed, and rows asked for that were still there.
    std::int64_t computed() const { return computed_; }
    std::int64_t reused() const { return asked_ - computed_; }

   private:
    bool has(std::size_t k) const { return slot_of_[k] >= 0; }
    void take_slot(std::int32_t place);
    bool room_for_another();
    void compute(const std::vector<std::int32_t>& places);
    // The part of these rows that belongs to the i-th class.
    void compute_class(std::size_t i, const std::vector<std::int32_t>& places, GramScratch<T>& scratch) const;

    const GramRows<T>& gram_;
    SharedRows<T>& shared_;
    RowScratch<T>& scratch_;
    Budget& budget_;
    Spare& spare_;
    std::vector<std::int32_t> classes_;
    std::vector<std::size_t> offset_;
    double gamma_;
    std::size_t n_ = 0, reserve_, most_rows_ = 0, working_ = 0;
    // Of every place: the training sample, -1 for padding; where its row stands, -1 if it is not there.
    std::vector<std::int32_t> sample_, slot_of_, place_in_, missing_;
    std::vector<std::int64_t> last_use_;
    Aligned<T> diagonal_;
    T* rows_ = nullptr;
    std::int64_t clock_ = 0, computed_ = 0, asked_ = 0;
};

}  // namespace dagmar
