// Deciding with a precomputed kernel: the kernel values are in the sample's row.
#pragma once

#include <algorithm>

#include "base/chains.hpp"
#include "decide/decider.hpp"

namespace dagmar {

class PrecomputedDecider final : public Decider {
   public:
    explicit PrecomputedDecider(Bank bank) : bank_(std::move(bank)) {
        for (const std::int32_t v : bank_.lists.index) columns_.push_back(bank_.support[usize(v)]);
    }

    bool values(const Samples& x, bool, const Threads& threads, double* out) const override {
        const std::size_t n_machines = bank_.lists.n_machines();
        return for_each(x, threads, [&](std::size_t i, int, const auto& value) {
            for (std::size_t m = 0; m < n_machines; ++m) out[i * n_machines + m] = value(m);
        });
    }
    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        return for_each_answer(x, plan, threads,
                               [&](std::size_t i, const auto& answer, const auto& value) { out[i] = answer(value); });
    }
    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const override {
        out.resize(n_samples(x));
        return for_each_answer(x, plan, threads, [&](std::size_t i, const auto& answer, const auto& value) {
            Path& path = out[i];
            path.answer = answer([&](std::size_t m) { return path.add(m, value(m)); });
        });
    }
    DecideChoices choices(const Plan*, std::size_t) const override { return {}; }

   private:
    // Samples that a thread takes at a time.
    static constexpr std::size_t kAtOnce = 16;

    // Calls visit(i, worker, value) for every sample i; value(m) is that of machine m.
    template <class Visit>
    bool for_each(const Samples& x, const Threads& threads, const Visit& visit) const {
        Stop stop;
        const std::size_t n = n_samples(x);
        const auto visit_row = [&](std::size_t i, int worker, const auto* row) {
            visit(i, worker, [&](std::size_t m) {
                const std::size_t begin = usize(bank_.lists.begin[m]), end = usize(bank_.lists.begin[m + 1]);
                const double* coef = bank_.lists.coef.data() + begin;
                const std::int64_t* column = columns_.data() + begin;
                const double value = bank_.lists.bias[m] + sum_of_chains(end - begin, [&](std::size_t t) {
                                         return coef[t] * static_cast<double>(row[column[t]]);
                                     });
                check_value(value);
                return value;
            });
        };
        return parallel_for((n + kAtOnce - 1) / kAtOnce, threads, stop, [&](std::size_t piece, int worker) {
            for_dense(x, [&](const auto& view) {
                for (std::size_t i = piece * kAtOnce; i < std::min(n, (piece + 1) * kAtOnce); ++i)
                    visit_row(i, worker, view.row(i));
            });
        });
    }

    // Calls visit(i, answer, value) for every sample i; answer(ask) is the class that the plan finds.
    template <class Visit>
    bool for_each_answer(const Samples& x, const Plan& plan, const Threads& threads, const Visit& visit) const {
        std::vector<std::unique_ptr<Walk>> walks(usize(threads.n));  // one per worker
        if (plan.kind != PlanKind::poll)
            for (auto& walk : walks) walk = make_walk(plan);
        return for_each(x, threads, [&](std::size_t i, int worker, const auto& value) {
            const auto answer = [&](const auto& ask) {
                if (Walk* walk = walks[usize(worker)].get())
                    return follow(*walk, [&](std::int64_t m) { return ask(usize(m)); });
                std::int32_t best = 0;
                double largest = ask(0);
                for (std::int32_t c = 1; c < plan.n_classes; ++c)
                    if (const double own = ask(usize(c)); own > largest) {
                        largest = own;
                        best = c;
                    }
                return best;
            };
            visit(i, answer, value);
        });
    }

    const Bank bank_;
    std::vector<std::int64_t> columns_;  // of a sample's row: that of the vector at each list place
};

}  // namespace dagmar
