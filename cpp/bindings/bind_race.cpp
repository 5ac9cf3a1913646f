// A race on purpose, built only for the thread sanitizer: a check that cannot fail shows nothing.
#include "../core/parallel.hpp"
#include "problem.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

void bind_race(nb::module_& m) {
    m.def(
        "seeded_race",
        [](int n_threads) {
            long count = 0;  // written by all threads, without a lock
            without_lock([&](const CheckSignals& check_signals) {
                Stop stop;
                return parallel_for(10'000, {n_threads, check_signals}, false, stop,
                                    [&](std::size_t, int) { count = count + 1; });
            });
            return count;
        },
        "n_threads"_a, "Counts to ten thousand in several threads, without a lock.");
}

}  // namespace dagmar::bindings
