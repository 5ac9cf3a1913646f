#include "decide/decider.hpp"

#include <optional>

#include "base/costs.hpp"
#include "decide/champions.hpp"
#include "decide/dense_vectors.hpp"
#include "decide/lanes.hpp"
#include "decide/linear.hpp"
#include "decide/one_by_one.hpp"
#include "decide/precomputed.hpp"
#include "decide/sparse_vectors.hpp"

namespace dagmar {
namespace {

// V: DenseVectors<T> or SparseVectors<T>.
template <class T, class V>
class VectorsDecider final : public Decider {
   public:
    VectorsDecider(Bank bank, Level level, const Threads& threads, std::unique_ptr<const LinearWeights> weights)
        : weights_(std::move(weights)), bank_(std::move(bank)), vectors_(bank_, level, threads),
          rounding_(vectors_, threads), one_by_one_(vectors_, rounding_), lanes_(vectors_, rounding_) {
        if constexpr (kDense) champions_.emplace(vectors_, rounding_, lanes_);
    }

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        return lanes_.values(x, ranked, threads, out);
    }

    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        DecideChoices choices = this->choices(&plan, n_samples(x));
        std::vector<std::int64_t> open = every_sample(x);
        std::vector<std::int32_t> guess;
        if constexpr (kDense)
            if (choices.guesses && !champions_->decide(x, plan, threads, choices, open, guess, out)) return false;
        if (open.empty()) return true;
        if (plan.kind == PlanKind::poll) return lanes_.poll(x, threads, choices.codes, out);
        return choices.way == DecideChoices::Way::one_by_one
                   ? one_by_one_.decide(x, open, plan, threads, choices.codes, out)
                   : lanes_.walk(x, open, plan, threads, choices, guess, out);
    }

    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const override {
        return one_by_one_.trace(x, plan, threads, out);
    }

    DecideChoices choices(const Plan* plan, std::size_t n_samples) const override {
        if (!plan) return DecideChoices::of_values();
        VectorFacts facts{.bank = bank_, .sparse = !kDense};
        if constexpr (kDense) {
            facts.codes = vectors_.codes();
            facts.has_exact_codes = vectors_.grid(Codes::exact) != nullptr;
            facts.products = vectors_.products();
            facts.n_prototypes = champions_->n_prototypes();
        }
        return DecideChoices::of(facts, *plan, n_samples, costs(vectors_.level));
    }

   private:
    static constexpr bool kDense = std::is_same_v<V, DenseVectors<T>>;

    const std::unique_ptr<const LinearWeights> weights_;  // to which bank_ refers, if the kernel is linear
    const Bank bank_;
    const V vectors_;
    const Rounding<T> rounding_;
    const OneByOne<T> one_by_one_;
    const Lanes<T> lanes_;
    std::optional<Champions<T>> champions_;  // of dense vectors
};

template <class T>
std::unique_ptr<Decider> decider_in(Bank bank, Level level, const Threads& threads,
                                    std::unique_ptr<const LinearWeights> weights = nullptr) {
    if (decides_sparse(bank))
        return std::make_unique<VectorsDecider<T, SparseVectors<T>>>(std::move(bank), level, threads, nullptr);
    return std::make_unique<VectorsDecider<T, DenseVectors<T>>>(std::move(bank), level, threads, std::move(weights));
}

}  // namespace

std::unique_ptr<Decider> make_decider(Bank bank, Level level, const Threads& threads) {
    if (uses_weights(bank)) {
        auto weights = std::make_unique<const LinearWeights>(std::move(bank));
        Bank of_weights = weights->bank();
        return decider_in<double>(std::move(of_weights), level, threads, std::move(weights));
    }
    bank.index_segments();
    if (bank.kernel.type == KernelType::precomputed) return std::make_unique<PrecomputedDecider>(std::move(bank));
    return bank.precision == Precision::single_ ? decider_in<float>(std::move(bank), level, threads)
                                                : decider_in<double>(std::move(bank), level, threads);
}

}  // namespace dagmar
