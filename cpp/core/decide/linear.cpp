#include "decide/linear.hpp"

#include <numeric>

#include "base/integers.hpp"

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

}  // namespace

LinearWeights::LinearWeights(Bank bank)
    : whole_(std::move(bank)), d_(n_features(whole_.vectors)), n_machines_(whole_.lists.n_machines()),
      weights_(n_machines_ * d_), coef_(n_machines_, 1.0), begin_(n_machines_ + 1), index_(n_machines_) {
    std::iota(begin_.begin(), begin_.end(), std::int64_t{0});
    std::iota(index_.begin(), index_.end(), 0);
    const auto& lists = whole_.lists;
    std::vector<double> centre(whole_.centre.begin(), whole_.centre.end());
    centre.resize(d_, 0.0);
    std::vector<LongSum> sums(d_);
    const auto add_all = [&](const auto& vectors) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(vectors)>, SparseView>)
            for (std::size_t m = 0; m < n_machines_; ++m) {
                std::fill(sums.begin(), sums.end(), LongSum{});
                for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
                    const auto* row = vectors.row(usize(lists.index[t]));
                    for (std::size_t f = 0; f < d_; ++f)
                        sums[f].add(lists.coef[t] * (static_cast<double>(row[f]) - centre[f]));
                }
                for (std::size_t f = 0; f < d_; ++f) weights_[m * d_ + f] = sums[f].total();
            }
    };
    std::visit(add_all, whole_.vectors);
}

Bank LinearWeights::bank() const {
    Bank bank = whole_;
    bank.lists.class_start.assign(whole_.lists.n_classes() + 1, n_machines_);
    bank.lists.class_start[0] = 0;
    bank.lists.begin = begin_;
    bank.lists.index = index_;
    bank.lists.coef = coef_;
    bank.vectors = DenseView<double>{weights_.data(), n_machines_, d_};
    bank.support = {};
    bank.precision = Precision::double_;
    bank.whole = &whole_;
    return bank;
}

}  // namespace dagmar
