// Deciding with a precomputed kernel: the kernel values are in the sample's row.
#pragma once

#include "decide/one_by_one.hpp"

namespace dagmar {

class PrecomputedDecider final : public Decider, private SampleSource<double> {
   public:
    explicit PrecomputedDecider(Bank bank) : bank_(std::move(bank)), one_by_one_(bank_, *this, nullptr) {}

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        return one_by_one_.values(x, ranked, threads, out);
    }
    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        return one_by_one_.decide(x, every_sample(x), plan, threads, Codes::none, out);
    }
    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const override {
        return one_by_one_.trace(x, plan, threads, out);
    }
    DecideChoices choices(const Plan*, std::size_t) const override { return {}; }

   private:
    class Row final : public LoneSample<double> {
       public:
        explicit Row(const Bank& bank) : support_(bank.support) {}

        Loaded load(const Samples& x, std::size_t i) override {
            x_ = &x;
            i_ = i;
            return {};
        }
        void evaluate(const std::vector<std::int32_t>& vectors, double* memo) override {
            for_dense(*x_, [&](const auto& view) {
                for (const std::int32_t v : vectors) memo[v] = static_cast<double>(view.row(i_)[support_[usize(v)]]);
            });
        }

       private:
        std::span<const std::int64_t> support_;
        const Samples* x_ = nullptr;
        std::size_t i_ = 0;
    };
    std::unique_ptr<LoneSample<double>> make_sample(Codes) const override { return std::make_unique<Row>(bank_); }

    const Bank bank_;
    const OneByOne<double> one_by_one_;
};

}  // namespace dagmar
