// Deciding with a precomputed kernel: the kernel values are in the sample's row, and only those of the machines that
// are asked are read.
#pragma once

#include "decide/decider.hpp"

namespace dagmar {

class PrecomputedDecider final : public Decider {
   public:
    explicit PrecomputedDecider(Bank bank) : bank_(std::move(bank)) {
        columns_.reserve(bank_.lists.index.size());
        for (const std::int32_t v : bank_.lists.index)
            columns_.push_back(static_cast<std::int32_t>(bank_.support[usize(v)]));
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
        return std::visit(
            [&]<class View>(const View& view) {
                return parallel_for(n_samples(x), threads, stop, [&](std::size_t i, int) {
                    if constexpr (!std::is_same_v<View, SparseView>) {
                        const auto* row = view.row(i);
                        visit(i, [&](std::size_t m) {
                            const auto value_at = [&](std::size_t t) { return row[usize(columns_[t])]; };
                            const double value = sum_of_terms_at(bank_.lists, m, value_at).value;
                            check_value(value);
                            return value;
                        });
                    }
                });
            },
            x);
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
    std::vector<std::int32_t> columns_;  // of the kernel value at each list place
};

}  // namespace dagmar
