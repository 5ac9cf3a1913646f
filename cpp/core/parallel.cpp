#include "parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
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

namespace {

// A thread that throws for the first time allocates what the C++ library keeps per thread, and the process ends if
// there is no memory for that. So it is allocated when the thread starts, and not when memory has run out.
void prepare_to_throw() { (void)std::uncaught_exceptions(); }

}  // namespace

bool parallel_for(std::size_t n_pieces, const Threads& threads, bool in_calling_thread, Stop& stop,
                  const std::function<void(std::size_t piece, int worker)>& work) {
    const auto run_here = [&] {
        stop.watch(threads.check_signals);
        for (std::size_t piece = 0; piece < n_pieces && !stop.requested(); ++piece) work(piece, 0);
        return !stop.requested();
    };
    if (in_calling_thread || threads.n == 1) return run_here();
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable ended;
    std::exception_ptr failure;
    const int n_workers = static_cast<int>(std::min(usize(threads.n), n_pieces));
    int running = n_workers;

    const auto worker = [&](int id) {
        prepare_to_throw();
        try {
            while (!stop.requested()) {
                const std::size_t piece = next.fetch_add(1);
                if (piece >= n_pieces) break;
                work(piece, id);
            }
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
            if (workers.empty()) return run_here();
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
    return finished;
}

void Spare::run(std::size_t n_pieces, const std::function<void(std::size_t piece)>& work) {
    std::vector<std::thread> hands;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto run_pieces = [&] {
        prepare_to_throw();
        try {
            for (std::size_t piece = next++; piece < n_pieces; piece = next++) work(piece);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    while (hands.size() + 1 < n_pieces && idle_.fetch_sub(1) > 0) {
        try {
            hands.emplace_back(run_pieces);
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
