#include "base/parallel.hpp"

#include <algorithm>
#include <utility>

#include "base/integers.hpp"

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
