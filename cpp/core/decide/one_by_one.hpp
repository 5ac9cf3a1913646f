// Samples decided one by one, in parallel.
#pragma once

#include "decide/alone.hpp"
#include "decide/decider.hpp"

namespace dagmar {

// The calls are those of a Decider, but decide() is for the samples `ids` and for plans with walks.
template <class T>
class OneByOne {
   public:
    OneByOne(const Vectors<T>& vectors, const Rounding<T>& rounding) : v_(vectors), rounding_(rounding) {}

    bool decide(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                Codes codes, std::int32_t* out) const {
        return for_each(x, ids, codes, threads, plan, [&](std::size_t i, Worker& worker) {
            out[i] = follow(*worker.walk, [&](std::int64_t m) { return worker.alone.value(usize(m)); });
        });
    }

    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const {
        out.assign(n_samples(x), {});
        return for_each(x, every_sample(x), Codes::exact, threads, plan, [&](std::size_t i, Worker& worker) {
            Path& path = out[i];
            if (worker.walk) {
                path.answer = follow(*worker.walk,
                                     [&](std::int64_t m) { return path.add(usize(m), worker.alone.value(usize(m))); });
                return;
            }
            const std::vector<Sum>& sums = worker.alone.values();
            for (std::size_t m = 0; m < sums.size(); ++m) path.add(m, sums[m].value);
            path.answer = first_largest(sums);
        });
    }

   private:
    struct Worker {
        Alone<T> alone;
        std::unique_ptr<Walk> walk;  // null for polls
    };

    // Calls visit(sample, worker) for these samples, each loaded.
    template <class Visit>
    bool for_each(const Samples& x, const std::vector<std::int64_t>& ids, Codes codes, const Threads& threads,
                  const Plan& plan, const Visit& visit) const {
        const auto decide_one = [&](std::int64_t id, std::unique_ptr<Worker>& worker) {
            if (!worker) worker.reset(new Worker{{v_, rounding_, codes}, make_walk(plan)});
            worker->alone.load(x, usize(id));
            visit(usize(id), *worker);
        };
        std::vector<std::unique_ptr<Worker>> workers(usize(threads.n));
        if (ids.size() == 1) {  // offering it to other threads and checking for signals takes as long as a small model
            decide_one(ids[0], workers[0]);
            return true;
        }
        Stop stop;
        return parallel_for(ids.size(), threads, stop,
                            [&](std::size_t q, int worker) { decide_one(ids[q], workers[usize(worker)]); });
    }

    const Vectors<T>& v_;
    const Rounding<T>& rounding_;
};

}  // namespace dagmar
