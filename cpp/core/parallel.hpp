// Threads over a list of independent pieces of work, stoppable from outside.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace dagmar {

// Set once, read often: long loops ask it and leave early when it is set.
using Stop = std::atomic<bool>;

// Called now and then by the thread that waits; true asks for an early end (a signal came in).
using Poll = std::function<bool()>;

// Runs work(piece, worker) for every piece in 0 ... n_pieces-1, each once, taken in that order by whichever worker is
// free; worker is 0 ... n_threads-1. Returns false if `poll` asked to stop. An exception of a piece stops the others and
// is thrown again here. With `inline_` the calling thread does everything itself: for work of a few milliseconds,
// where starting a thread would cost more than it brings; `poll` is not asked then.
bool parallel_for(std::size_t n_pieces, int n_threads, bool inline_, Stop& stop, const Poll& poll,
                  const std::function<void(std::size_t piece, int worker)>& work);

}  // namespace dagmar
