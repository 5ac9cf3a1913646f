// Deciding with sparse vectors: a sample is spread out once over the features that vectors have, then each vector is a
// short sum. Features that no vector has take no memory: there may be millions of them.
#include <limits>

#include "coefficient_sizes.hpp"
#include "decide_alone.hpp"

namespace dagmar {
namespace {

class SparseDecider final : public AloneDecider<double> {
   public:
    SparseDecider(Bank bank, Level level)
        : AloneDecider(std::move(bank)), simd_(simd<double>(level)), pool_(std::get<SparseView>(bank_.vectors)),
          sizes_(bank_, kArithmetic<double>), norms_(pool_.n), features_(pool_.indices, pool_.indices + n_stored()) {
        for (std::size_t v = 0; v < pool_.n; ++v) {
            for (std::int32_t t = pool_.indptr[v]; t < pool_.indptr[v + 1]; ++t)
                norms_[v] += pool_.data[t] * pool_.data[t];
            largest_norm2_ = larger_norm2(largest_norm2_, norms_[v]);
            longest_ = std::max(longest_, usize(pool_.indptr[v + 1] - pool_.indptr[v]));
        }
        std::sort(features_.begin(), features_.end());
        features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
        features_.shrink_to_fit();
        place_.reserve(n_stored());
        for (std::size_t t = 0; t < n_stored(); ++t)
            place_.push_back(static_cast<std::int32_t>(
                std::lower_bound(features_.begin(), features_.end(), pool_.indices[t]) - features_.begin()));
    }

   private:
    class One final : public Alone<double> {
       public:
        explicit One(const SparseDecider& owner)
            : Alone(owner.bank_), owner_(owner), dense_(owner.features_.size(), 0.0) {}

       protected:
        void load_sample(const Samples& samples, std::size_t i) override {
            const SparseView& x = std::get<SparseView>(samples);
            samples_ = &x;
            i_ = i;
            for (const std::size_t place : touched_) dense_[place] = 0;
            touched_.clear();
            norm_ = 0;
            const auto& features = owner_.features_;
            auto from = features.begin();  // the features of a sample ascend
            for (std::int32_t t = x.indptr[i]; t < x.indptr[i + 1]; ++t) {
                norm_ += x.data[t] * x.data[t];
                from = std::lower_bound(from, features.end(), x.indices[t]);
                if (from == features.end() || *from != x.indices[t]) continue;
                touched_.push_back(usize(from - features.begin()));
                dense_[touched_.back()] = x.data[t];
            }
            allowance_ = owner_.sizes_.allowance(norm_, owner_.largest_norm2_, owner_.longest_);
        }
        void evaluate(const std::vector<std::int32_t>& vectors, double* memo) override {
            const SparseView& pool = owner_.pool_;
            const std::size_t n = padded(vectors.size());
            dots_.assign(n, 0.0);
            norms_.assign(n, 0.0);
            for (std::size_t q = 0; q < vectors.size(); ++q) {
                const std::size_t v = usize(vectors[q]);
                for (std::int32_t t = pool.indptr[v]; t < pool.indptr[v + 1]; ++t)
                    dots_[q] += pool.data[t] * dense_[usize(owner_.place_[usize(t)])];
                norms_[q] = owner_.norms_[v];
            }
            bank_.kernel.unscaled().finish(owner_.simd_, dots_.data(), norms_.data(), norm_, n,
                                           gather(bank_.gammas, vectors, gammas_));
            for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
        }
        double certain(std::size_t m, const Sum& sum) override {
            return owner_.sizes_.certain(allowance_, m, sum) ? sum.value : exact(m);
        }
        void settle(Sum* sums) override {
            owner_.sizes_.settle(allowance_, sums, [this](std::size_t m) { return exact(m); });
        }

       private:
        // The value from differences, which lose no digits.
        double exact(std::size_t m) const {
            const auto& lists = bank_.lists;
            double sum = 0;
            for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
                const std::size_t v = usize(lists.index[t]);
                const auto pair = compare_rows(*samples_, i_, owner_.pool_, v);
                sum += lists.coef[t] * bank_.kernel_of(v).value(pair.dot, pair.distance);
            }
            sum += lists.bias[m];
            check_value(sum);
            return sum;
        }

        const SparseDecider& owner_;
        const SparseView* samples_ = nullptr;
        std::size_t i_ = 0;
        Allowance allowance_{};
        std::vector<double> dense_, dots_, norms_, gammas_;
        std::vector<std::size_t> touched_;
        double norm_ = 0;
    };

    std::unique_ptr<Alone<double>> make_alone() const override { return std::make_unique<One>(*this); }

    std::size_t n_stored() const { return usize(pool_.indptr[pool_.n]); }

    const Simd<double>& simd_;
    const SparseView& pool_;
    CoefficientSizes sizes_;
    std::vector<double> norms_;
    double largest_norm2_ = 0;            // of the vectors
    std::size_t longest_ = 0;             // the most nonzeros of a vector
    std::vector<std::int32_t> features_;  // those of the vectors, ascending
    std::vector<std::int32_t> place_;     // of each stored entry of the pool in features_
};

}  // namespace

std::unique_ptr<Decider> sparse_decider(Bank bank, Level level) {
    return std::make_unique<SparseDecider>(std::move(bank), level);
}

}  // namespace dagmar
