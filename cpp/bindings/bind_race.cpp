// A race on purpose, built only for the thread sanitizer: a check that cannot fail shows nothing.
#include <chrono>
#include <thread>

#include "base/parallel.hpp"
#include "held_problem.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

void bind_race(nb::module_& m) {
    m.def(
        "seeded_race",
        [](int n_threads) {
            long count = 0;  // written by all threads, without a lock
            without_lock([&](const CheckSignals& check_signals) {
                Stop stop;
                return parallel_for(100, {n_threads, check_signals}, stop, [&](std::size_t, int) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that every thread takes part
                    count = count + 1;
                });
            });
            return count;
        },
        "n_threads"_a, "Counts to a hundred in several threads, without a lock.");
}

}  // namespace dagmar::bindings
