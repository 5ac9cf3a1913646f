// Deciding with a linear kernel: the vectors of a machine collapse into one, its weights.
//
// sum_t c_t <x, v_t> = <x, sum_t c_t v_t>. So a linear bank becomes a bank of one vector per machine, with
// coefficient 1.
// Values too close to zero are computed again from the vectors, as for other kernels.
#include "decide.hpp"
#include "integers.hpp"

namespace dagmar {
namespace {

// A sum that keeps what additions round away (Neumaier): weights are as exact as if summed in twice the precision.
struct LongSum {
    double sum = 0.0, lost = 0.0;

    void add(double term) {
        const double next = sum + term, grown = next - sum;
        lost += (sum - (next - grown)) + (term - grown);
        sum = next;
    }
    double total() const { return sum + lost; }
};

class LinearDecider final : public Decider {
   public:
    LinearDecider(Bank bank, Level level, const Threads& threads)
        : bank_(std::move(bank)), d_(n_features(bank_.vectors)), weights_(bank_.lists.n_machines() * d_),
          coef_(bank_.lists.n_machines(), 1.0) {
        collapse();
        const std::size_t n_machines = bank_.lists.n_machines();
        for (std::size_t m = 0; m < n_machines; ++m) {
            begin_.push_back(static_cast<std::int64_t>(m));
            index_.push_back(static_cast<std::int32_t>(m));
        }
        begin_.push_back(static_cast<std::int64_t>(n_machines));
        Bank collapsed = bank_;
        collapsed.lists.class_start.assign(bank_.lists.n_classes() + 1, n_machines);
        collapsed.lists.class_start[0] = 0;
        collapsed.lists.begin = begin_;
        collapsed.lists.index = index_;
        collapsed.lists.coef = coef_;
        collapsed.vectors = DenseView<double>{weights_.data(), n_machines, d_};
        collapsed.support = {};
        collapsed.whole = &bank_;
        decider_ = dense_decider<double>(std::move(collapsed), level, threads);
    }

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        return decider_->values(x, ranked, threads, out);
    }
    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        return decider_->decide(x, plan, threads, out);
    }
    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const override {
        return decider_->trace(x, plan, threads, out);
    }

   private:
    void collapse() {
        const auto& lists = bank_.lists;
        std::vector<double> centre(bank_.centre.begin(), bank_.centre.end());
        centre.resize(d_, 0.0);
        std::vector<LongSum> sums(d_);
        const auto add_all = [&](const auto& vectors) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(vectors)>, SparseView>)
                for (std::size_t m = 0; m < lists.n_machines(); ++m) {
                    std::fill(sums.begin(), sums.end(), LongSum{});
                    for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
                        const auto* row = vectors.row(usize(lists.index[t]));
                        for (std::size_t f = 0; f < d_; ++f)
                            sums[f].add(lists.coef[t] * (static_cast<double>(row[f]) - centre[f]));
                    }
                    for (std::size_t f = 0; f < d_; ++f) weights_[m * d_ + f] = sums[f].total();
                }
        };
        std::visit(add_all, bank_.vectors);
    }

    Bank bank_;
    std::size_t d_;
    std::vector<double> weights_, coef_;  // n_machines x d; all 1
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> index_;
    std::unique_ptr<Decider> decider_;
};

}  // namespace

std::unique_ptr<Decider> linear_decider(Bank bank, Level level, const Threads& threads) {
    return std::make_unique<LinearDecider>(std::move(bank), level, threads);
}

}  // namespace dagmar
