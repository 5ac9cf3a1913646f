#include "base/thread_pool.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace dagmar {

void prepare_to_throw() {
    // volatile: the call has no effect that the compiler knows of, so it would be removed.
    [[maybe_unused]] const volatile int asked = std::uncaught_exceptions();
}

namespace {

// prepare_to_throw for a new thread, if there is memory for it: blocks of all small sizes are allocated and freed
// first, and the allocator keeps those for the thread. Returns whether the thread may throw now.
bool can_throw() {
    constexpr std::size_t smallest = 24, step = 16, count = 64;  // the size classes of the GNU C library
    void* volatile blocks[count];                                // volatile: unread blocks would be removed
    bool room = true;
    for (std::size_t k = 0; k < count; ++k) {
        blocks[k] = std::malloc(smallest + k * step);
        room = room && blocks[k];
    }
    for (std::size_t k = 0; k < count; ++k) std::free(blocks[k]);
    if (room) prepare_to_throw();
    return room;
}

// How long a thread spins before it sleeps: waking it takes 15 to 35 us, and the parts of a fit or of a decision follow
// each other sooner, with some Python between them. (With 50 us, fits of 1 to 5 ms took 2 % longer.)
constexpr auto kBriefly = std::chrono::microseconds(250);
// How long a thread without work is kept.
constexpr auto kKept = std::chrono::seconds(10);

template <class Condition>
void wait_briefly(const Condition& there) {
    for (const auto until = std::chrono::steady_clock::now() + kBriefly;
         !there() && std::chrono::steady_clock::now() < until;) {
#if defined(__x86_64__)
        __builtin_ia32_pause();  // std::this_thread::yield() would leave the processor to others for milliseconds
#endif
    }
}

// Work that other threads may join, on the stack of the thread that offers it.
struct Job {
    const std::function<void(int)>& work;  // called with the number of the thread, from 1 on; does not throw
    int open;                              // threads that may still join
    int joined = 0;
    std::atomic<int> running{0};  // of those that joined
    std::condition_variable ended{};
    Job* next = nullptr;
};

// Threads that wait for jobs. They are started when a job finds too few free ones, and end after some seconds without
// work. No job waits for a thread to be free: the thread that offers it does what no other takes. So calls from many
// threads, and calls inside calls, cannot block each other.
//
// There is one pool per process. A forked process has none of the threads, so it makes a new pool and leaves the old
// one as it is, because a thread that no longer exists may hold its mutex. At exit the threads end with the process,
// and the pool is not destroyed before them.
class Pool {
   public:
    // Null if there is no memory for it.
    static Pool* instance() noexcept {
        Pool* pool = current_.load();
        if (pool) return pool;
        Pool* made = new (std::nothrow) Pool;
        if (!made || current_.compare_exchange_strong(pool, made)) return made;
        delete made;  // another thread was first
        return pool;
    }

    // Offers the job, until close().
    void open(Job& job) noexcept {
        const std::lock_guard lock(mutex_);
        job.next = jobs_;
        jobs_ = &job;
        wanted_ += job.open;
        for (int n = 0; n < job.open; ++n) called_.notify_one();
        try {
            for (; free_ < wanted_; ++free_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {  // no more threads are available
        } catch (const std::bad_alloc&) {     // no memory for one
        }
    }

    // No other thread joins the job any more. Waits for those that did, and calls `look` every 50 ms meanwhile. False
    // if they will never end because this is a process that was forked since open().
    template <class Look>
    bool close(Job& job, const Look& look) {
        if (forked()) return false;
        {
            const std::lock_guard lock(mutex_);
            wanted_ -= std::exchange(job.open, 0);
            Job** place = &jobs_;
            while (*place && *place != &job) place = &(*place)->next;
            if (*place) *place = job.next;  // else it was closed before, and `look` threw
        }
        const auto all_ended = [&] { return job.running.load() == 0; };
        wait_briefly(all_ended);
        std::unique_lock lock(mutex_);  // also if all have ended: the last of them still uses the job under it
        while (!job.ended.wait_for(lock, std::chrono::milliseconds(50), all_ended)) {
            lock.unlock();
            look();
            if (forked()) return false;
            lock.lock();
        }
        return true;
    }

   private:
    bool forked() const { return current_.load() != this; }

    void serve() noexcept {
        const bool fit = can_throw();
        std::unique_lock lock(mutex_);
        const auto offered = [&] { return wanted_ > 0; };
        while (fit) {
            if (offered()) {  // else another thread was faster, or there is no job yet
                Job* job = jobs_;
                while (job->open == 0) job = job->next;
                join(*job, lock);
            } else if (!called_.wait_for(lock, kKept, offered)) {
                break;
            }
            lock.unlock();
            wait_briefly(offered);
            lock.lock();
        }
        --free_;
    }

    void join(Job& job, std::unique_lock<std::mutex>& lock) {
        --job.open;
        --wanted_;
        --free_;
        ++job.running;
        const int number = ++job.joined;
        lock.unlock();
        job.work(number);
        lock.lock();
        ++free_;
        if (--job.running == 0) job.ended.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable called_;
    Job* jobs_ = nullptr;         // those that are offered
    std::atomic<int> wanted_{0};  // threads that may join them
    int free_ = 0;                // threads without a job

    static std::atomic<Pool*> current_;
#ifndef _WIN32
    static const int watches_forks_;
#endif
};

// Both are set before any code of the core runs.
constinit std::atomic<Pool*> Pool::current_{nullptr};
#ifndef _WIN32  // which has no fork
const int Pool::watches_forks_ = pthread_atfork(nullptr, nullptr, [] { current_ = nullptr; });
#endif

}  // namespace

void work_together(int n_helpers, const std::function<void(int)>& work, const std::function<void()>& look) {
    Pool* pool = n_helpers > 0 ? Pool::instance() : nullptr;
    if (!pool) return work(0);
    std::atomic_flag failed;
    std::exception_ptr failure;
    const std::function<void(int)> help = [&](int number) {
        try {
            work(number);
        } catch (...) {
            if (!failed.test_and_set()) failure = std::current_exception();
        }
    };
    Job job{help, n_helpers};
    pool->open(job);
    bool ended = false;
    try {
        work(0);
        ended = pool->close(job, look);
    } catch (...) {
        pool->close(job, [] {});
        throw;
    }
    if (!ended) throw std::runtime_error("this process was forked in the middle of a computation with threads");
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dagmar
