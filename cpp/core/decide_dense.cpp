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
        if (n_samples(x) <= kFew && !poll)
            return this->decide_alone(x, every_sample(x), Use::rough_labels, plan, threads, out);
        if (plan.unanimous) {
            const auto rest = champions_.decide(x, plan, threads, out);
            if (!rest || rest->open.empty()) return rest.has_value();
            if (rest->in_lanes) return lanes_.walk(x, rest->open, plan, threads, out);
            return this->decide_alone(x, rest->open, Use::labels, plan, threads, out);
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
            : Alone<T>(owner.bank_, owner.vectors_.short_vectors()), v_(owner.vectors_), rounding_(owner.rounding_),
              x_(aligned_array<T>(v_.d)) {
            if (v_.short_vectors())
                v_.make_panels();
            else
                v_.make_rows();
        }
        void settle(Sum* sums) override { rounding_.settle(*samples_, i_, allowance_, sums); }

       protected:
        void load_sample(const Samples& x, std::size_t i) override {
            samples_ = &x;
            i_ = i;
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
        void evaluate_panels(std::size_t first, std::size_t n, T* memo) override {
            const T* x = x_.get();
            T* out = memo + first * kLanes;
            v_.simd.dots(&x, 1, v_.panels() + first * kLanes * v_.d, n, v_.d, &out);
            v_.bank.kernel.finish(v_.simd, out, v_.padded_norms() + first * kLanes, norm_, n * kLanes);
        }
        double certain(std::size_t m, const Sum& sum) override {
            return rounding_.certain(*samples_, i_, allowance_, m, sum);
        }

       private:
        const DenseVectors<T>& v_;
        const Rounding<T>& rounding_;
        Aligned<T> x_;
        const Samples* samples_ = nullptr;
        std::size_t i_ = 0;
        T norm_ = 0;
        Allowance allowance_{};
        std::vector<const T*> row_;
        std::vector<T> dots_, norms_, gammas_;
    };

    // One sample in levels. What they cannot say is asked in a finer way: samples that are off the grid, and signs that
    // rough levels leave open.
    class InLevels final : public Alone<float> {
       public:
        InLevels(const DenseDecider& owner, const Grid& grid, bool rough)
            : Alone<float>(owner.bank_, true), owner_(owner), rounding_(owner.rounding_), grid_(grid), rough_(rough) {}
        ~InLevels() override {
            if (rough_) owner_.vectors_.note_open(asked_, open_);
        }
        Sum sum(std::size_t m) override { return served_ ? Alone<float>::sum(m) : finer().sum(m); }
        void settle(Sum* sums) override {
            served_ ? rounding_.settle(*samples_, i_, allowance_, sums) : finer().settle(sums);
        }

       protected:
        void load_sample(const Samples& x, std::size_t i) override {
            samples_ = &x;
            i_ = i;
            finer_loaded_ = false;
            const double off = grid_.load_row(x, i, levels_);
            served_ = rough_ || off <= Grid::kPrecise;
            allowance_ = rounding_.allowance_of_levels(off);
        }
        void evaluate_panels(std::size_t first, std::size_t n, float* memo) override {
            grid_.kernel_values_of_panels(levels_, first, n, memo + first * kLanes);
        }
        double certain(std::size_t m, const Sum& sum) override {
            if (!rough_) return rounding_.certain(*samples_, i_, allowance_, m, sum);
            const bool open = !rounding_.is_certain(allowance_, m, sum);
            ++asked_;
            open_ += open;
            return open ? finer().value(m) : sum.value;
        }

       private:
        Alone<float>& finer() {
            if (!finer_) finer_ = owner_.make_alone(rough_ ? Use::labels : Use::values);
            if (!finer_loaded_) finer_->load(*samples_, i_);
            finer_loaded_ = true;
            return *finer_;
        }

        const DenseDecider& owner_;
        const Rounding<float>& rounding_;
        const Grid& grid_;
        const bool rough_;
        bool served_ = false, finer_loaded_ = false;
        const Samples* samples_ = nullptr;
        std::size_t i_ = 0, asked_ = 0, open_ = 0;
        GridRows levels_;
        Allowance allowance_{};
        std::unique_ptr<Alone<float>> finer_;
    };

    std::unique_ptr<Alone<T>> make_alone(Use use) const override {
        if constexpr (std::is_same_v<T, float>) {
            const Grid *exact = vectors_.grid(), *rough = vectors_.rough_levels();
            if (use == Use::rough_labels && rough) return std::make_unique<InLevels>(*this, *rough, true);
            if (use != Use::values && exact) return std::make_unique<InLevels>(*this, *exact, false);
        }
        return std::make_unique<One>(*this);
    }

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
