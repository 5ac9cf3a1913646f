#include "parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

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

}  // namespace

bool parallel_for(std::size_t n_pieces, const Threads& threads, Stop& stop,
                  const std::function<void(std::size_t piece, int worker)>& work) {
    std::atomic<std::size_t> next{0};
    const auto run_pieces = [&](int id) {
        while (!stop.requested()) {
            const std::size_t piece = next.fetch_add(1);
            if (piece >= n_pieces) break;
            work(piece, id);
        }
    };
    const auto run_here = [&] {
        stop.watch(threads.check_signals);
        run_pieces(0);
        return !stop.requested();
    };
    if (threads.n == 1 || n_pieces <= 1) return run_here();
    std::mutex mutex;
    std::condition_variable ended;
    std::exception_ptr failure;
    const int n_workers = static_cast<int>(std::min(usize(threads.n), n_pieces));
    int running = n_workers;

    const auto worker = [&](int id) {
        try {
            if (can_throw()) run_pieces(id);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            stop.request();
        }
        const std::lock_guard lock(mutex);
        --running;
        ended.notify_one();
    };

    std::vector<std::thread> workers;
    workers.reserve(usize(n_workers));
    bool finished = true;
    try {
        try {
            for (int id = 0; id < n_workers; ++id) workers.emplace_back(worker, id);
        } catch (const std::system_error&) {  // no more threads are available: those that started do all the work
        } catch (const std::bad_alloc&) {     // the same
        }
        std::unique_lock lock(mutex);
        running -= n_workers - static_cast<int>(workers.size());
        // The calling thread waits here and wakes up to check for signals.
        while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
            lock.unlock();
            if (finished && threads.check_signals && threads.check_signals()) {
                finished = false;
                stop.request();
            }
            lock.lock();
        }
    } catch (...) {
        stop.request();
        for (auto& thread : workers) thread.join();
        throw;
    }
    for (auto& thread : workers) thread.join();
    if (failure) std::rethrow_exception(failure);
    // What is left where no thread could be started, or none had the memory to begin.
    return finished && (next.load() >= n_pieces || run_here());
}

void Spare::run(std::size_t n_pieces, const std::function<void(std::size_t piece)>& work) {
    std::vector<std::thread> hands;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto run_pieces = [&] {
        try {
            for (std::size_t piece = next++; piece < n_pieces; piece = next++) work(piece);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    while (hands.size() + 1 < n_pieces && idle_.fetch_sub(1) > 0) {
        try {
            hands.emplace_back([&] {
                if (can_throw()) run_pieces();
            });
        } catch (...) {  // no thread is available: go on without it
            break;
        }
    }
    // The last decrement found no idle thread, unless the pieces ended first.
    if (hands.size() + 1 < n_pieces) ++idle_;
    run_pieces();
    for (auto& hand : hands) hand.join();
    idle_ += static_cast<int>(hands.size());
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dagmar
