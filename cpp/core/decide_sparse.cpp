// Deciding with sparse vectors: a sample is spread out over all features once, then each vector is a short sum.
#include "decide_alone.hpp"

namespace dagmar {
namespace {

class SparseDecider final : public AloneDecider<double> {
   public:
    SparseDecider(Bank bank, Level level)
        : AloneDecider(std::move(bank)), simd_(simd<double>(level)), pool_(std::get<SparseView>(bank_.vectors)),
          norms_(pool_.n) {
        for (std::size_t v = 0; v < pool_.n; ++v)
            for (std::int32_t t = pool_.indptr[v]; t < pool_.indptr[v + 1]; ++t)
                norms_[v] += pool_.data[t] * pool_.data[t];
    }

   private:
    class One final : public Alone<double> {
       public:
        explicit One(const SparseDecider& owner) : Alone(owner.bank_), owner_(owner), dense_(owner.pool_.d, 0.0) {}

       protected:
        void load_sample(const Samples& samples, std::size_t i) override {
            const SparseView& x = std::get<SparseView>(samples);
            for (const std::int32_t f : touched_) dense_[usize(f)] = 0;
            touched_.clear();
            norm_ = 0;
            for (std::int32_t t = x.indptr[i]; t < x.indptr[i + 1]; ++t) {
                touched_.push_back(x.indices[t]);
                dense_[usize(x.indices[t])] = x.data[t];
                norm_ += x.data[t] * x.data[t];
            }
        }
        void evaluate(const std::vector<std::int32_t>& vectors, double* memo) override {
            const SparseView& pool = owner_.pool_;
            const std::size_t n = padded(vectors.size());
            dots_.assign(n, 0.0);
            norms_.assign(n, 0.0);
            for (std::size_t q = 0; q < vectors.size(); ++q) {
                const std::size_t v = usize(vectors[q]);
                for (std::int32_t t = pool.indptr[v]; t < pool.indptr[v + 1]; ++t)
                    dots_[q] += pool.data[t] * dense_[usize(pool.indices[t])];
                norms_[q] = owner_.norms_[v];
            }
            bank_.kernel.unscaled().finish(owner_.simd_, dots_.data(), norms_.data(), norm_, n,
                                           gather(bank_.gammas, vectors, gammas_));
            for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
        }

       private:
        const SparseDecider& owner_;
        std::vector<double> dense_, dots_, norms_, gammas_;
        std::vector<std::int32_t> touched_;
        double norm_ = 0;
    };

    std::unique_ptr<Alone<double>> make_alone() const override { return std::make_unique<One>(*this); }

    const Simd<double>& simd_;
    const SparseView& pool_;
    std::vector<double> norms_;
};

}  // namespace

std::unique_ptr<Decider> sparse_decider(Bank bank, Level level) {
    return std::make_unique<SparseDecider>(std::move(bank), level);
}

}  // namespace dagmar
