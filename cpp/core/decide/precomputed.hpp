// Deciding with a precomputed kernel: the kernel values are in the sample's row.
#pragma once

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
        return for_each(x, threads, [&](std::size_t i, const auto& value) {
            for (std::size_t m = 0; m < n_machines; ++m) out[i * n_machines + m] = value(m);
        });
    }
    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        return for_each(x, threads, [&](std::size_t i, const auto& value) { out[i] = path(plan, value).answer; });
    }
    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const override {
        out.resize(n_samples(x));
        return for_each(x, threads, [&](std::size_t i, const auto& value) { out[i] = path(plan, value); });
    }
    DecideChoices choices(const Plan*, std::size_t) const override { return {}; }

   private:
    // Calls visit(i, value) for every sample i; value(m) is that of machine m.
    template <class Visit>
    bool for_each(const Samples& x, const Threads& threads, const Visit& visit) const {
        Stop stop;
        return parallel_for(n_samples(x), threads, stop, [&](std::size_t i, int) {
            for_dense(x, [&](const auto& view) {
                const auto* row = view.row(i);
                visit(i, [&](std::size_t m) {
                    const std::size_t begin = usize(bank_.lists.begin[m]), end = usize(bank_.lists.begin[m + 1]);
                    const double* coef = bank_.lists.coef.data() + begin;
                    const std::int64_t* column = columns_.data() + begin;
                    const double value = bank_.lists.bias[m] + sum_of_chains(end - begin, [&](std::size_t t) {
                                             return coef[t] * static_cast<double>(row[column[t]]);
                                         });
                    check_value(value);
                    return value;
                });
            });
        });
    }

    template <class Value>
    Path path(const Plan& plan, const Value& value) const {
        Path path;
        const auto ask = [&](std::int64_t m) { return path.add(usize(m), value(usize(m))); };
        if (const auto walk = make_walk(plan)) {
            path.answer = follow(*walk, ask);
            return path;
        }
        for (std::int64_t m = 0; m < plan.n_classes; ++m) ask(m);
        const auto& values = path.values;
        path.answer = static_cast<std::int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
        return path;
    }

    const Bank bank_;
    std::vector<std::int64_t> columns_;  // of a sample's row: that of the vector at each list place
};

}  // namespace dagmar
