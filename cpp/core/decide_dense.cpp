// Deciding with dense vectors: a few samples alone, many in lanes.
#include "decide_champions.hpp"
#include "decide_nodes.hpp"

namespace dagmar {
namespace {

constexpr std::size_t kFew = 24;  // up to this many samples, each goes alone

template <class T>
class DenseDecider final : public AloneDecider<T> {
   public:
    DenseDecider(Bank bank, Level level, const Threads& threads)
        : AloneDecider<T>(std::move(bank)), vectors_(this->bank_, level, threads), rounding_(vectors_, threads),
          lanes_(vectors_, rounding_), champions_(vectors_, rounding_, lanes_), nodes_(vectors_, rounding_, lanes_) {}

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        return lanes_.values(x, ranked, threads, out);
    }

    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        const bool poll = plan.kind == PlanKind::poll;
        if (n_samples(x) <= kFew && !poll) return this->decide_alone(x, every_sample(x), plan, threads, out);
        if (plan.unanimous) {
            const auto rest = champions_.decide(x, plan, threads, out);
            if (!rest || rest->open.empty()) return rest.has_value();
            if (rest->in_lanes) return lanes_.walk(x, rest->open, plan, threads, out);
            return this->decide_alone(x, rest->open, plan, threads, out);
        }
        if (plan.kind == PlanKind::graph && nodes_.pays(plan, n_samples(x)))
            return nodes_.decide(x, plan, threads, out);
        return poll ? lanes_.poll(x, threads, out) : lanes_.walk(x, every_sample(x), plan, threads, out);
    }

   private:
    // One sample, loaded into a row.
    class One final : public Alone<T> {
       public:
        explicit One(const DenseDecider& owner)
            : Alone<T>(owner.bank_), v_(owner.vectors_), rounding_(owner.rounding_), x_(aligned_array<T>(v_.d)) {}

       protected:
        void load_sample(const Samples& x, std::size_t i) override {
            samples_ = &x;
            i_ = i;
            const double off = v_.grid() ? v_.grid()->load_row(x, i, levels_) : 1.0;
            on_grid_ = off <= Grid::kPrecise;
            if (on_grid_) {
                allowance_ = rounding_.allowance_of_levels(off);
                return;
            }
            if (v_.short_vectors())
                v_.make_panels();
            else
                v_.make_rows();
            v_.load(x, i, x_.get());
            v_.simd.norms_of_rows(x_.get(), 1, v_.d, &norm_);
            allowance_ = rounding_.allowance(norm_);
        }
        void evaluate(const std::vector<std::int32_t>& vectors, T* memo) override {
            const std::size_t n = padded(vectors.size());
            row_.resize(n);
            dots_.assign(n, T(0));
            norms_.assign(n, T(0));
            for (std::size_t q = 0; q < vectors.size(); ++q) {
                row_[q] = v_.row(usize(vectors[q]));
                norms_[q] = v_.norms[usize(vectors[q])];
            }
            v_.simd.dots_alone(x_.get(), row_.data(), vectors.size(), v_.d, dots_.data());
            v_.bank.kernel.finish(v_.simd, dots_.data(), norms_.data(), norm_, n, gather(v_.gammas, vectors, gammas_));
            for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
        }
        bool by_classes() const override { return on_grid_ || v_.short_vectors(); }
        void evaluate_class(std::size_t c, T* memo) override {
            const auto& start = v_.bank.lists.class_start;
            const std::size_t n = start[c + 1] - start[c], lanes = padded(n);
            dots_.resize(std::max(dots_.size(), lanes));
            if constexpr (std::is_same_v<T, float>)
                if (on_grid_) {
                    v_.grid()->kernel_values_of_class(levels_, c, dots_.data());
                    std::copy_n(dots_.data(), n, memo);
                    return;
                }
            const T* x = x_.get();
            T* out = dots_.data();
            v_.simd.dots(&x, 1, v_.panels(c), lanes / kLanes, v_.d, &out);
            v_.bank.kernel.finish(v_.simd, out, v_.padded_norms(c), norm_, lanes);
            std::copy_n(out, n, memo);
        }
        double certain(std::size_t m, const Sum& sum) override {
            return rounding_.certain(*samples_, i_, allowance_, m, sum);
        }
        void settle(Sum* sums) override { rounding_.settle(*samples_, i_, allowance_, sums); }

       private:
        const DenseVectors<T>& v_;
        const Rounding<T>& rounding_;
        Aligned<T> x_;
        const Samples* samples_ = nullptr;
        std::size_t i_ = 0;
        T norm_ = 0;
        bool on_grid_ = false;
        GridRows levels_;  // if it is on the grid of the vectors, else x_ and norm_
        Allowance allowance_{};
        std::vector<const T*> row_;
        std::vector<T> dots_, norms_, gammas_;
    };

    std::unique_ptr<Alone<T>> make_alone() const override { return std::make_unique<One>(*this); }

    DenseVectors<T> vectors_;
    Rounding<T> rounding_;
    Lanes<T> lanes_;
    Champions<T> champions_;
    Nodes<T> nodes_;
};

}  // namespace

template <class T>
std::unique_ptr<Decider> dense_decider(Bank bank, Level level, const Threads& threads) {
    return std::make_unique<DenseDecider<T>>(std::move(bank), level, threads);
}

template std::unique_ptr<Decider> dense_decider<float>(Bank, Level, const Threads&);
template std::unique_ptr<Decider> dense_decider<double>(Bank, Level, const Threads&);

}  // namespace dagmar
