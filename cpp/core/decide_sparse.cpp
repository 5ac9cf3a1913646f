// Deciding with sparse vectors: a few samples alone, many in lanes.
#include "decide_lanes.hpp"
#include "sparse_vectors.hpp"

namespace dagmar {
namespace {

// Costs in nanoseconds, as estimated for AVX2: of a kernel value and a term of a machine's sum for one sample alone,
// and of the same for a panel of samples.
constexpr double kAloneValue = 80.0, kAloneTerm = 1.0, kPanelValue = 90.0, kPanelTerm = 0.5;

template <class T>
class SparseDecider final : public AloneDecider<T> {
   public:
    SparseDecider(Bank bank, Level level, const Threads& threads)
        : AloneDecider<T>(std::move(bank)), vectors_(this->bank_, level), rounding_(vectors_, threads),
          lanes_(vectors_, rounding_) {}

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        return lanes_.values(x, ranked, threads, out);
    }

    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        if (plan.kind == PlanKind::poll) return lanes_.poll(x, threads, out);
        return alone_is_cheaper(n_samples(x), plan) ? AloneDecider<T>::decide(x, plan, threads, out)
                                                    : lanes_.walk(x, every_sample(x), plan, threads, out);
    }

   private:
    // One sample, spread out over the features that vectors have; then each vector is a short sum.
    class One final : public Alone<T> {
       public:
        explicit One(const SparseDecider& owner)
            : Alone<T>(owner.bank_), v_(owner.vectors_), rounding_(owner.rounding_), common_(v_.places.n_common()),
              rare_(v_.places.n_rare()) {}

       protected:
        void load_sample(const Samples& x, std::size_t i) override {
            samples_ = &x;
            i_ = i;
            if (loaded_) spread(true);
            norm_ = v_.load(x, i, row_);
            spread(false);
            loaded_ = true;
            allowance_ = rounding_.allowance(norm_);
        }
        void evaluate(const std::vector<std::int32_t>& vectors, T* memo) override {
            const std::size_t n = padded(vectors.size());
            dots_.assign(n, T(0));
            norms_.assign(n, T(0));
            for (std::size_t q = 0; q < vectors.size(); ++q) {
                const std::size_t v = usize(vectors[q]);
                dots_[q] = dot(v_.rows.common(v), common_) + dot(v_.rows.rare(v), rare_);
                norms_[q] = v_.norms[v];
            }
            v_.bank.kernel.finish(v_.simd, dots_.data(), norms_.data(), norm_, n, gather(v_.gammas, vectors, gammas_));
            for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
        }
        double certain(std::size_t m, const Sum& sum) override {
            return rounding_.certain(*samples_, i_, allowance_, m, sum);
        }
        void settle(Sum* sums) override { rounding_.settle(*samples_, i_, allowance_, sums); }

       private:
        // Writes the nonzeros of the sample to their places, or zeros.
        void spread(bool zeros) {
            const SparsePart<T> common = row_.common(0), rare = row_.rare(0);
            for (std::size_t t = 0; t < common.n; ++t) common_[usize(common.feature[t])] = zeros ? 0 : common.value[t];
            for (std::size_t t = 0; t < rare.n; ++t) rare_[usize(rare.feature[t])] = zeros ? 0 : rare.value[t];
        }
        static T dot(const SparsePart<T>& part, const std::vector<T>& sample) {
            T sum = 0;
            for (std::size_t t = 0; t < part.n; ++t) sum += part.value[t] * sample[usize(part.feature[t])];
            return sum;
        }

        const SparseVectors<T>& v_;
        const Rounding<T>& rounding_;
        std::vector<T> common_, rare_;  // the sample, by the places of its features
        SparseRows<T> row_;
        bool loaded_ = false;
        T norm_ = 0;
        const Samples* samples_ = nullptr;
        std::size_t i_ = 0;
        Allowance allowance_{};
        std::vector<T> dots_, norms_, gammas_;
    };

    std::unique_ptr<Alone<T>> make_alone(Use) const override { return std::make_unique<One>(*this); }

    // A walk alone asks about twice as many machines as there are classes; in lanes all are asked, but for a panel of
    // samples at a time.
    bool alone_is_cheaper(std::size_t n, const Plan& plan) const {
        const auto& lists = this->bank_.lists;
        const auto n_vectors = static_cast<double>(lists.n_vectors()),
                   n_terms = static_cast<double>(lists.index.size());
        const auto n_machines = static_cast<double>(std::max<std::size_t>(1, lists.n_machines()));
        const double asked = n_terms * std::min(1.0, 2.0 * static_cast<double>(plan.n_classes) / n_machines);
        const double alone = std::min(asked, n_vectors) * kAloneValue + asked * kAloneTerm;
        const double panel = n_vectors * kPanelValue + n_terms * kPanelTerm;
        return static_cast<double>(n) * alone < static_cast<double>(padded(n) / kLanes) * panel;
    }

    SparseVectors<T> vectors_;
    Rounding<T> rounding_;
    Lanes<T> lanes_;
};

}  // namespace

template <class T>
std::unique_ptr<Decider> sparse_decider(Bank bank, Level level, const Threads& threads) {
    return std::make_unique<SparseDecider<T>>(std::move(bank), level, threads);
}

template std::unique_ptr<Decider> sparse_decider<float>(Bank, Level, const Threads&);
template std::unique_ptr<Decider> sparse_decider<double>(Bank, Level, const Threads&);

}  // namespace dagmar
