// Rows of the kernel, computed on demand and kept while there is room.
//
// A task (a binary question over some classes) sees a row as one array: its classes one after the other, each padded to
// whole panels. The whole row is kept in the task's TaskRows. The part of a row that other tasks need too, such as
// K(a, class of a), which serves every pair of that class, is also kept in SharedRows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "gram.hpp"
#include "integers.hpp"
#include "parallel.hpp"

namespace dagmar {

// Calls visit(lot) for all places, in lots of as many as a working set has.
template <class Visit>
void in_lots(const std::vector<std::int32_t>& places, std::size_t working, const Visit& visit) {
    if (!places.empty() && places.size() <= working) return visit(places);  // as in every round: no copy
    std::vector<std::int32_t> lot;
    for (std::size_t first = 0; first < places.size(); first += working) {
        lot.assign(places.data() + first, places.data() + std::min(places.size(), first + working));
        visit(lot);
    }
}

// Bytes that all threads together may still acquire.
class Budget {
   public:
    explicit Budget(std::size_t bytes) : left_(static_cast<std::ptrdiff_t>(bytes)) {}
    bool acquire(std::size_t bytes) {
        if (left_.fetch_sub(static_cast<std::ptrdiff_t>(bytes)) >= static_cast<std::ptrdiff_t>(bytes)) return true;
        give_back(bytes);
        return false;
    }
    void give_back(std::size_t bytes) { left_ += static_cast<std::ptrdiff_t>(bytes); }

   private:
    std::atomic<std::ptrdiff_t> left_;
};

// Parts (sample a, class c) that more than one task needs, while the budget lasts. A part is written once and then only
// read, until `end_task` finds that no task needs its block again. Reading needs no lock: a part that two threads
// compute at the same time has the same bits, and the first to publish it wins.
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
    void end_task(std::span<const std::int32_t> classes);
    // Acquires bytes from the budget, if necessary by freeing parts that no task needs any more.
    bool acquire(std::size_t bytes);
    void give_back(std::size_t bytes) { budget_.give_back(bytes); }

   private:
    static constexpr std::size_t kNone = usize(-1);
    std::atomic<T*>& slot(std::size_t a, std::size_t c) const;
    // Includes about 160 bytes of allocator overhead.
    static std::size_t bytes_of(std::size_t n) { return n * sizeof(T) + 160; }
    Aligned<T> new_part(std::size_t n);

    const GramRows<T>& gram_;
    std::size_t n_classes_;
    Budget& budget_;
    std::vector<std::size_t> block_;                           // where the block (c1, c2) begins in slots_
    std::unique_ptr<std::atomic<std::int32_t>[]> tasks_left_;  // per block
    std::unique_ptr<std::atomic<T*>[]> slots_;
    // Parts that no task needs any more, by their length, for any thread to use again: an allocator would keep memory
    // that one thread frees from the others.
    std::mutex mutex_;
    std::map<std::size_t, std::vector<Aligned<T>>> unused_;
};

// Scratch memory of one thread that computes the part of some rows in one class: the samples that no one has computed,
// where their parts go, and which of these other tasks need.
template <class T>
struct PartScratch {
    GramScratch<T> gram;
    std::vector<std::int32_t> asked, shared;
    std::vector<T*> out;
};

// Threads that may add up parts of rows at the same time.
constexpr std::size_t kStreams = 4;

// Memory that a worker keeps from one task to the next, so that it is touched for the first time only once, and small
// tasks allocate little. `owned` is the bytes of `rows` that were ever touched, `paid` the part of them that came from
// the common budget.
template <class T>
struct RowScratch {
    Buffer<T> rows;
    PartScratch<T> part;
    std::size_t owned = 0, paid = 0;
    // Of every place of the task: the training sample, -1 for padding; the slot of its row, -1 if it has none; whether
    // its row was ever computed; the kernel value of the sample with itself.
    std::vector<std::int32_t> sample, slot_of;
    std::vector<bool> was_here;
    Buffer<T> diagonal;
    // Of every slot: the place whose row it holds, and when it was last asked for.
    std::vector<std::int32_t> place_in;
    std::vector<std::int64_t> last_use;
    std::vector<std::int32_t> missing;  // places whose rows are asked for and not there
    struct Stream {
        GramScratch<T> gram;
        std::vector<std::int32_t> index;
    };
    Stream stream[kStreams];
};

// Bytes for the rows of a task: the worker's own share, and the most it can have with the whole common budget.
struct RowShare {
    std::size_t own = 0, most = 0;
};

// The rows of one task, in the memory of a worker, which has no other task meanwhile. A small task visits most of its
// rows, so all are computed at once. Of others, the least recently used row is dropped when there is no room left.
template <class T>
class TaskRows {
   public:
    TaskRows(const GramRows<T>& gram, SharedRows<T>& shared, std::span<const std::int32_t> classes, double gamma,
             RowShare share, RowScratch<T>& scratch, Spare& spare);

    std::size_t n() const { return n_; }                             // padded length of a row
    bool is_sample(std::size_t k) const { return sample_[k] >= 0; }  // else padding
    std::size_t n_samples() const { return n_samples_; }
    const T* diagonal() const { return diagonal_; }

    // Number of rows that always fit at the same time.
    std::size_t working() const { return working_; }
    // Makes the rows of these places (distinct, at most working()) available until the next call.
    void hold(const std::vector<std::int32_t>& places);
    // A held row and its place: row k begins at rows() + slot(k) * n().
    const T* row(std::size_t k) const { return rows_ + usize(slot_of_[k]) * n_; }
    const T* rows() const { return rows_; }
    Spare& spare() const { return spare_; }
    std::int32_t slot(std::size_t k) const { return slot_of_[k]; }
    const std::int32_t* slots() const { return slot_of_.data(); }
    // All rows of these places (distinct) within themselves: out + i * stride is the row of the i-th. stride is at
    // least padded(their number); what stands behind the last place has no meaning.
    void among(const std::vector<std::int32_t>& places, T* out, std::size_t stride);
    // Memory for so many values, out of what rows have: some rows are dropped for it where there is no other. Null if
    // that leaves too few rows. Until `take_back`, rows do without it.
    T* lend(std::size_t n_values);
    void take_back() { end_ = most_rows_; }
    // Whether rows need not be held to be added up: where values have few products, computing them takes less time than
    // to write them to memory and read them back. It depends on the samples of the task alone, because the steps of the
    // solver do.
    bool streams() const { return streams_; }
    // sums[k - first] += sum over t of coef[t] K(places[t], k) for the places k from `first` to `end`, multiples of
    // kLanes, where streams(). The bits are those of held rows. Several threads may add different parts, each as
    // another of the kStreams.
    void add_rows(const std::vector<std::int32_t>& places, const T* coef, std::size_t first, std::size_t end, T* sums,
                  std::size_t stream);
    // Whether all rows are computed at once, and stay available whatever the budget. It depends on the shape of the
    // task alone, because the steps of the solver do.
    bool keeps_all() const { return keeps_all_; }

    // Rows computed, and rows asked for that were still available.
    std::int64_t computed() const { return computed_; }
    std::int64_t reused() const { return asked_ - computed_; }

   private:
    bool has(std::size_t k) const { return slot_of_[k] >= 0; }
    void assign_slot(std::int32_t place);
    // Drops the rows, for memory that holds as many as the budget allows.
    void grow();
    // Memory for this many rows, if there is enough.
    bool acquire(std::size_t n_rows);
    void compute(const std::vector<std::int32_t>& places);
    // All rows of the task, in symmetric blocks.
    void compute_all();
    // The rows of the i-th class within itself.
    void compute_within(std::size_t i);
    // The part of these rows that belongs to the i-th class.
    void compute_class(std::size_t i, const std::vector<std::int32_t>& places, PartScratch<T>& scratch) const;

    const GramRows<T>& gram_;
    SharedRows<T>& shared_;
    RowScratch<T>& scratch_;
    Spare& spare_;
    std::vector<std::int32_t> classes_;
    std::vector<std::size_t> offset_;
    double gamma_, products_ = 0.0;
    bool keeps_all_ = false, streams_ = false;
    std::size_t n_ = 0, n_samples_ = 0, own_share_, most_rows_ = 0, working_ = 0;
    std::size_t all_rows_ = 0, again_ = 0;  // rows that the budget allows; rows computed again for want of room
    std::size_t end_ = 0;                   // slots before this one are for rows; most_rows_, unless memory is lent
    std::vector<std::int32_t>& sample_ = scratch_.sample;
    std::vector<std::int32_t>& slot_of_ = scratch_.slot_of;
    std::vector<std::int32_t>& place_in_ = scratch_.place_in;
    std::vector<std::int64_t>& last_use_ = scratch_.last_use;
    T *diagonal_ = nullptr, *rows_ = nullptr;
    std::int64_t clock_ = 0, computed_ = 0, asked_ = 0;
};

}  // namespace dagmar
