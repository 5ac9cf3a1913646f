// Deciding with a precomputed kernel: the kernel values are in the sample's row.
#include "base/integers.hpp"
#include "decide/alone.hpp"

namespace dagmar {
namespace {

class RowOfValues final : public LoneSample<double> {
   public:
    explicit RowOfValues(const Bank& bank) : support_(bank.support) {}

    Loaded load(const Samples& x, std::size_t i) override {
        x_ = &x;
        i_ = i;
        return {};
    }
    void evaluate(const std::vector<std::int32_t>& vectors, double* memo) override {
        const auto read = [&](const auto& view) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
                for (const std::int32_t v : vectors) memo[v] = static_cast<double>(view.row(i_)[support_[usize(v)]]);
        };
        std::visit(read, *x_);
    }

   private:
    std::span<const std::int64_t> support_;
    const Samples* x_ = nullptr;
    std::size_t i_ = 0;
};

class PrecomputedDecider final : public Decider {
   public:
    explicit PrecomputedDecider(Bank bank)
        : bank_(std::move(bank)),
          one_by_one_(bank_, nullptr, [this](Codes) { return std::make_unique<RowOfValues>(bank_); }) {}

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
    Bank bank_;
    OneByOne<double> one_by_one_;
};

}  // namespace

std::unique_ptr<Decider> precomputed_decider(Bank bank) {
    return std::make_unique<PrecomputedDecider>(std::move(bank));
}

}  // namespace dagmar
