#include "parallel.hpp"

#include <pthread.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
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

#include "integers.hpp"

namespace dagmar {

bool Stop::look(unsigned every) {
    constexpr auto interval = std::chrono::milliseconds(50);
    if (++asked_ % every != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return false;
    last_ = now;
    if ((*check_signals_)()) request();
    return flag_;
}

void prepare_to_throw() {
    // volatile: the call has no effect that a compiler knows of, and would be left out.
    [[maybe_unused]] const volatile int asked = std::uncaught_exceptions();
}

namespace {

// The same for a new thread, if there is memory for it: blocks of all small sizes are freed before, and a thread keeps
// those for itself. Returns whether the thread may throw now.
bool can_throw() {
    constexpr std::size_t smallest = 24, step = 16, count = 64;  // the size classes of the GNU C library
    void* volatile blocks[count];                                // volatile: blocks that nobody reads would be left out
    bool room = true;
    for (std::size_t k = 0; k < count; ++k) {
        blocks[k] = std::malloc(smallest + k * step);
        room = room && blocks[k];
    }
    for (std::size_t k = 0; k < count; ++k) std::free(blocks[k]);
    if (room) prepare_to_throw();
    return room;
}

// How long a thread waits before it sleeps: waking it takes about as long, and within a decision the next call comes
// sooner.
constexpr auto kBriefly = std::chrono::microseconds(50);
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

// A thread that sleeps. Linux may put it on the processor of the thread that wakes it, though another one is idle: in
// a virtual machine, a processor that has nothing to do looks like one that the host gave to others. There the woken
// thread waits for milliseconds, and the work that was to be shared is done by one thread. So the waking thread forbids
// its own processor to the sleeper, which lifts the ban once it runs.
class Sleeper {
   public:
    Sleeper* next = nullptr;

    // Called by another thread. Returns the next sleeper.
    Sleeper* wake() noexcept {
#if defined(__linux__)
        const int here = sched_getcpu();
        banned_ = here >= 0 && pthread_getaffinity_np(thread_, sizeof allowed_, &allowed_) == 0 &&
                  CPU_ISSET(here, &allowed_) && CPU_COUNT(&allowed_) > 1;
        if (banned_) {
            cpu_set_t others = allowed_;
            CPU_CLR(here, &others);
            banned_ = pthread_setaffinity_np(thread_, sizeof others, &others) == 0;
        }
#endif
        awake_ = true;
        called_.notify_one();
        return next;
    }

    // Called by the thread that sleeps. False if no other thread woke it in time.
    bool sleep(std::unique_lock<std::mutex>& lock) {
        const bool woken = called_.wait_for(lock, kKept, [&] { return awake_; });
#if defined(__linux__)
        if (banned_) pthread_setaffinity_np(thread_, sizeof allowed_, &allowed_);
#endif
        return woken;
    }

   private:
    std::condition_variable called_;
    bool awake_ = false;
#if defined(__linux__)
    const pthread_t thread_ = pthread_self();
    cpu_set_t allowed_;
    bool banned_ = false;
#endif
};

// Threads that wait for jobs. They are started when a job finds too few free ones, and end when they had nothing to do
// for some seconds. No job waits for a thread to be free: the thread that offers it does what no other takes.
//
// There is one pool per process. A forked process has none of the threads, so it makes a new pool, and leaves the old
// one as it is: a thread that is not there may hold its mutex. At exit the threads end with the process, and the pool
// is not destroyed before them.
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

    // Wakes so many threads, if they sleep.
    void wake(int n) noexcept {
        const std::lock_guard lock(mutex_);
        for (n -= free_ - asleep_; n > 0 && sleepers_; --n, --asleep_) sleepers_ = sleepers_->wake();
    }

    // Offers the job, until close().
    void open(Job& job) noexcept {
        const std::lock_guard lock(mutex_);
        job.next = jobs_;
        jobs_ = &job;
        wanted_ += job.open;
        for (int n = wanted_ - (free_ - asleep_); n > 0 && sleepers_; --n, --asleep_) sleepers_ = sleepers_->wake();
        try {
            for (; free_ < wanted_; ++free_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {  // no more threads are available
        } catch (const std::bad_alloc&) {     // the same
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
        std::unique_lock lock(mutex_);  // also where all have ended: the last of them still uses the job under it
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
            if (offered())  // else another thread was faster, or there is no job yet
                join(*first_open(), lock);
            else if (!sleep(lock))
                break;
            lock.unlock();
            wait_briefly(offered);
            lock.lock();
        }
        --free_;
    }

    // False if no job came for some seconds.
    bool sleep(std::unique_lock<std::mutex>& lock) {
        Sleeper self;
        self.next = std::exchange(sleepers_, &self);
        ++asleep_;
        if (self.sleep(lock)) return true;
        Sleeper** place = &sleepers_;
        while (*place != &self) place = &(*place)->next;
        *place = self.next;
        --asleep_;
        return false;
    }

    Job* first_open() const {
        Job* job = jobs_;
        while (job->open == 0) job = job->next;
        return job;
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
    Job* jobs_ = nullptr;  // those that are offered
    Sleeper* sleepers_ = nullptr;
    std::atomic<int> wanted_{0};  // threads that may join them
    int free_ = 0, asleep_ = 0;   // threads without a job, and those among them that sleep

    static std::atomic<Pool*> current_;
    static const int watches_forks_;
};

// Both are set before any code of the core runs.
constinit std::atomic<Pool*> Pool::current_{nullptr};
const int Pool::watches_forks_ = pthread_atfork(nullptr, nullptr, [] { current_ = nullptr; });

// Calls work(0) here and work(1), ..., work(n_helpers) in other threads, or in as many as are free while this one
// works. Calls `look` every 50 ms while it waits for them. Throws what one of them threw, after all have ended.
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
    } catch (...) {  // thrown again as it is: at its end, Python unwinds threads in a way that cannot be stored
        pool->close(job, [] {});
        throw;
    }
    if (!ended) throw std::runtime_error("this process was forked in the middle of a computation with threads");
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void expect_work(int n_threads) {
    if (Pool* pool = n_threads > 1 ? Pool::instance() : nullptr) pool->wake(n_threads - 1);
}

bool parallel_for(std::size_t n_pieces, const Threads& threads, Stop& stop,
                  const std::function<void(std::size_t piece, int worker)>& work) {
    stop.watch(threads.check_signals);
    std::atomic<std::size_t> next{0};
    const auto or_stop = [&](const auto& part) {
        try {
            part();
        } catch (...) {
            stop.request();
            throw;
        }
    };
    const auto run_pieces = [&](int worker) {
        or_stop([&] {
            while (!stop.requested()) {
                const std::size_t piece = next.fetch_add(1);
                if (piece >= n_pieces) break;
                work(piece, worker);
            }
        });
    };
    const int n_workers = static_cast<int>(std::min(usize(threads.n), n_pieces));
    work_together(n_workers - 1, run_pieces, [&] { or_stop([&] { stop.requested(); }); });
    return !stop.requested();
}

void share_out(std::size_t n, std::size_t at_once, const Threads& threads,
               const std::function<void(std::size_t begin, std::size_t end)>& work) {
    const std::size_t step = std::max<std::size_t>(1, at_once);
    Stop stop;
    parallel_for((n + step - 1) / step, {threads.n, {}}, stop,
                 [&](std::size_t piece, int) { work(piece * step, std::min(n, (piece + 1) * step)); });
}

void Spare::run(std::size_t n_pieces, const std::function<void(std::size_t piece)>& work) {
    struct Hands {
        std::atomic<int>& idle;
        int n = 0;
        ~Hands() { idle += n; }
    } hands{idle_};
    while (usize(hands.n) + 1 < n_pieces && idle_.fetch_sub(1) > 0) ++hands.n;
    // The last decrement found no idle thread, unless the pieces ended first.
    if (usize(hands.n) + 1 < n_pieces) ++idle_;
    std::atomic<std::size_t> next{0};
    const auto run_pieces = [&](int) {
        for (std::size_t piece = next++; piece < n_pieces; piece = next++) work(piece);
    };
    work_together(hands.n, run_pieces, [] {});
}

}  // namespace dagmar
