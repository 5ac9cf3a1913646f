#include "parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dagmar {

bool Stop::look(unsigned every) {
    constexpr auto interval = std::chrono::milliseconds(50);
    if (++asked_ % every != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return false;
    last_ = now;
    if ((*poll_)()) request();
    return flag_;
}

bool parallel_for(std::size_t n_pieces, int n_threads, bool inline_, Stop& stop, const Poll& poll,
                  const std::function<void(std::size_t piece, int worker)>& work) {
    if (inline_ || n_threads == 1) {
        stop.watch(poll);
        for (std::size_t piece = 0; piece < n_pieces && !stop.requested(); ++piece) work(piece, 0);
        return !stop.requested();
    }
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable ended;
    std::exception_ptr failure;
    const int n_workers = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(n_threads), n_pieces));
    int running = n_workers;

    const auto worker = [&](int id) {
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

    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(n_workers));
    bool finished = true;
    try {
        for (int id = 0; id < n_workers; ++id) threads.emplace_back(worker, id);
        std::unique_lock lock(mutex);
        // The waiting thread belongs to the caller: it wakes up to ask whether a signal came in.
        while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
            lock.unlock();
            if (finished && poll && poll()) {
                finished = false;
                stop.request();
            }
            lock.lock();
        }
    } catch (...) {
        stop.request();
        for (auto& thread : threads) thread.join();
        throw;
    }
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
    return finished;
}

void Spare::run(std::size_t n_pieces, const std::function<void(std::size_t piece)>& work) {
    std::vector<std::thread> hands;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto take_part = [&] {
        try {
            for (std::size_t piece = next++; piece < n_pieces; piece = next++) work(piece);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    while (hands.size() + 1 < n_pieces && idle_.fetch_sub(1) > 0) {
        try {
            hands.emplace_back(take_part);
        } catch (...) {  // no thread to be had: then without it
            break;
        }
    }
    // The last one asked for was not there, unless the pieces ended first.
    if (hands.size() + 1 < n_pieces) ++idle_;
    take_part();
    for (auto& hand : hands) hand.join();
    idle_ += static_cast<int>(hands.size());
    if (failure) std::rethrow_exception(failure);
}

}  // namespace dagmar
