// Threads over a list of independent pieces of work, stoppable from outside.
//
// The calling thread works like the others. It also notices a signal (Ctrl-C): it checks about every 50 ms, between
// pieces and while it waits for the others, which look at a flag as often.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#include "base/thread_pool.hpp"

namespace dagmar {

// Called by the calling thread about every 50 ms; true if a signal came in and the work should end early.
using CheckSignals = std::function<bool()>;

struct Threads {
    int n = 1;
    CheckSignals check_signals;  // may be empty
};

// Long loops call requested() and end early when it returns true. In the thread that called watch(), requested() also
// checks for signals, about every 50 ms; loops of short steps read the clock once in `every` calls.
class Stop {
   public:
    bool requested(unsigned every = 1) {
        return flag_.load(std::memory_order_relaxed) ||
               (check_signals_ && std::this_thread::get_id() == watcher_ && look(every));
    }
    void request() { flag_ = true; }
    // To be called before other threads use this.
    void watch(const CheckSignals& check) {
        check_signals_ = check ? &check : nullptr;
        watcher_ = std::this_thread::get_id();
    }

   private:
    bool look(unsigned every);

    std::atomic<bool> flag_{false};
    const CheckSignals* check_signals_ = nullptr;
    std::thread::id watcher_;  // the only thread that uses what follows
    unsigned asked_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs work(piece, worker) once for every piece in 0 ... n_pieces-1, in the calling thread (worker 0) and in up to
// threads.n-1 others. Whichever worker is free takes the next piece in that order; worker is 0 ... threads.n-1. Returns
// false if a signal stopped it. An exception of a piece stops the others and is thrown again here. If fewer threads are
// available, or some have no memory to begin with, the others do all the work.
bool parallel_for(std::size_t n_pieces, const Threads& threads, Stop& stop,
                  const std::function<void(std::size_t piece, int worker)>& work);

// Calls work(begin, end) for pieces of 0 ... n-1, at most `at_once` long, by all threads. For work that is over soon:
// no signal stops it.
void share_out(std::size_t n, std::size_t at_once, const Threads& threads,
               const std::function<void(std::size_t begin, std::size_t end)>& work);

// Counts the threads that have no task of their own and lets them help with the task of another.
class Spare {
   public:
    explicit Spare(int n_threads) : idle_(n_threads) {}

    // A thread is busy with a task of its own as long as this lives.
    class Task {
       public:
        explicit Task(Spare& spare) : idle_(spare.idle_) { --idle_; }
        ~Task() { ++idle_; }
        Task(const Task&) = delete;
        Task& operator=(const Task&) = delete;

       private:
        std::atomic<int>& idle_;
    };

    // Runs work(piece) for every piece, in the calling thread and in as many others as are idle. Waking them takes some
    // hundredths of a millisecond, so it pays for work of a tenth or more.
    void run(std::size_t n_pieces, const std::function<void(std::size_t piece)>& work);

   private:
    std::atomic<int> idle_;
};

}  // namespace dagmar
