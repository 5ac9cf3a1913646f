// Deciding with a precomputed kernel: the values are in the sample's row.
#include "decide_alone.hpp"

namespace dagmar {
namespace {

class PrecomputedDecider final : public AloneDecider<double> {
   public:
    using AloneDecider::AloneDecider;

   private:
    class One final : public Alone<double> {
       public:
        using Alone::Alone;

       protected:
        void load_sample(const Samples& x, std::size_t i) override {
            x_ = &x;
            i_ = i;
        }
        void evaluate(const std::vector<std::int32_t>& vectors, double* memo) override {
            const auto read = [&](const auto& view) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
                    for (const std::int32_t v : vectors)
                        memo[v] = static_cast<double>(view.row(i_)[bank_.support[usize(v)]]);
            };
            std::visit(read, *x_);
        }

       private:
        const Samples* x_ = nullptr;
        std::size_t i_ = 0;
    };

    std::unique_ptr<Alone<double>> make_alone(Use) const override { return std::make_unique<One>(bank_); }
};

}  // namespace

std::unique_ptr<Decider> precomputed_decider(Bank bank) {
    return std::make_unique<PrecomputedDecider>(std::move(bank));
}

}  // namespace dagmar
