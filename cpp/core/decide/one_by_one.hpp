// Samples decided one by one, in parallel.
#pragma once

#include "decide/alone.hpp"
#include "decide/decider.hpp"

namespace dagmar {

// The calls are those of a Decider, but decide() is for the samples `ids`.
template <class T>
class OneByOne {
   public:
    OneByOne(const Bank& bank, const SampleSource<T>& source, const Rounding<T>* rounding)
        : bank_(bank), source_(source), rounding_(rounding) {}

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const {
        return for_each(x, every_sample(x), Codes::none, threads, nullptr, [&](std::size_t i, Worker& worker) {
            double* row = out + i * bank_.lists.n_machines();
            for (const Sum& sum : worker.alone.values(ranked)) *row++ = sum.value;
        });
    }

    bool decide(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                Codes codes, std::int32_t* out) const {
        return for_each(x, ids, codes, threads, &plan,
                        [&](std::size_t i, Worker& worker) { out[i] = answer(worker, [](std::size_t, double) {}); });
    }

    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const {
        out.assign(n_samples(x), {});
        return for_each(x, every_sample(x), Codes::exact, threads, &plan, [&](std::size_t i, Worker& worker) {
            out[i].answer = answer(worker, [&](std::size_t m, double value) {
                out[i].machines.push_back(static_cast<std::int64_t>(m));
                out[i].values.push_back(value);
            });
        });
    }

   private:
    struct Worker {
        Alone<T> alone;
        std::unique_ptr<Walk> walk;  // null for polls and without a plan
    };

    // The class of the loaded sample. Calls record(machine, value) for each machine asked.
    template <class Record>
    static std::int32_t answer(Worker& worker, const Record& record) {
        if (worker.walk)
            return follow(*worker.walk, [&](std::int64_t m) {
                const double value = worker.alone.value(usize(m));
                record(usize(m), value);
                return value;
            });
        const std::vector<Sum>& sums = worker.alone.values(true);
        for (std::size_t m = 0; m < sums.size(); ++m) record(m, sums[m].value);
        return first_largest(sums);
    }

    // Calls visit(sample, worker) for these samples, each loaded.
    template <class Visit>
    bool for_each(const Samples& x, const std::vector<std::int64_t>& ids, Codes codes, const Threads& threads,
                  const Plan* plan, const Visit& visit) const {
        const auto decide_one = [&](std::int64_t id, std::unique_ptr<Worker>& worker) {
            if (!worker) {
                const bool walks = plan && plan->kind != PlanKind::poll;
                worker.reset(new Worker{{bank_, source_, rounding_, codes}, walks ? make_walk(*plan) : nullptr});
            }
            worker->alone.load(x, usize(id));
            visit(usize(id), *worker);
        };
        std::vector<std::unique_ptr<Worker>> workers(usize(threads.n));
        if (ids.size() == 1) {  // offering it to other threads and checking for signals takes as long as a small model
            decide_one(ids[0], workers[0]);
            return true;
        }
        constexpr std::size_t piece_size = 4;  // samples that a worker takes at a time
        const std::size_t n_pieces = (ids.size() + piece_size - 1) / piece_size;
        Stop stop;
        return parallel_for(n_pieces, threads, stop, [&](std::size_t piece, int worker) {
            const std::size_t end = std::min(ids.size(), (piece + 1) * piece_size);
            for (std::size_t q = piece * piece_size; q < end && !stop.requested(); ++q)
                decide_one(ids[q], workers[usize(worker)]);
        });
    }

    const Bank& bank_;
    const SampleSource<T>& source_;
    const Rounding<T>* rounding_;
};

}  // namespace dagmar
