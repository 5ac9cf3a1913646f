// Threads over a list of independent pieces of work, stoppable from outside.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace dagmar {

// Called now and then by the calling thread; true asks for an early end (a signal came in).
using Poll = std::function<bool()>;

// Long loops ask requested() and leave early when it says so. Where the calling thread does the work itself, asking is
// also what calls the poll, about every 50 ms; a loop of short steps need look at the clock only `every` so many of them.
class Stop {
   public:
    bool requested(unsigned every = 1) { return flag_.load(std::memory_order_relaxed) || (poll_ && look(every)); }
    void request() { flag_ = true; }
    void watch(const Poll& poll) { poll_ = poll ? &poll : nullptr; }

   private:
    bool look(unsigned every);

    std::atomic<bool> flag_{false};
    const Poll* poll_ = nullptr;
    unsigned asked_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs work(piece, worker) for every piece in 0 ... n_pieces-1, each once, taken in that order by whichever worker is
// free; worker is 0 ... n_threads-1. Returns false if `poll` asked to stop. An exception of a piece stops the others and
// is thrown again here. With `inline_` (for work that is most likely done before a thread would
// have started) or one thread the calling thread does everything itself.
bool parallel_for(std::size_t n_pieces, int n_threads, bool inline_, Stop& stop, const Poll& poll,
                  const std::function<void(std::size_t piece, int worker)>& work);

// Threads without a task of their own, which lend a hand inside another's.
class Spare {
   public:
    explicit Spare(int n_threads) : idle_(n_threads) {}
    void take_up() { --idle_; }
    void lay_down() { ++idle_; }

    // Runs work(piece) for every piece, by the calling thread and by as many idle ones as there are. They are started for
    // this call, so it pays only for work of some tenths of a millisecond and more.
    void run(std::size_t n_pieces, const std::function<void(std::size_t piece)>& work);

   private:
    std::atomic<int> idle_;
};

}  // namespace dagmar
