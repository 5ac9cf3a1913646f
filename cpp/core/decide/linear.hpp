// A linear kernel: the vectors of a machine collapse into one, its weights.
//
// sum_t c_t <x, v_t> = <x, sum_t c_t v_t>. So a linear bank becomes a bank of one vector per machine, with
// coefficient 1. Values too close to zero are computed again from the vectors, as for other kernels.
#pragma once

#include <numeric>
#include <vector>

#include "base/integers.hpp"
#include "integers/quantized_vectors.hpp"
#include "model/bank.hpp"

namespace dagmar {

class LinearWeights {
   public:
    explicit LinearWeights(Bank bank)
        : whole_(std::move(bank)), d_(n_features(whole_.vectors)), n_machines_(whole_.lists.n_machines()),
          weights_(n_machines_ * d_), coef_(n_machines_, 1.0), begin_(n_machines_ + 1), index_(n_machines_) {
        std::iota(begin_.begin(), begin_.end(), std::int64_t{0});
        std::iota(index_.begin(), index_.end(), 0);
        const auto& lists = whole_.lists;
        std::vector<double> centre(whole_.centre.begin(), whole_.centre.end());
        centre.resize(d_, 0.0);
        for_dense(whole_.vectors, [&](const auto& vectors) {
            for (std::size_t m = 0; m < n_machines_; ++m) {
                std::vector<LongSum> sums(d_);
                for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
                    const auto* row = vectors.row(usize(lists.index[t]));
                    for (std::size_t f = 0; f < d_; ++f)
                        sums[f].add(lists.coef[t] * (static_cast<double>(row[f]) - centre[f]));
                }
                for (std::size_t f = 0; f < d_; ++f) weights_[m * d_ + f] = sums[f].sum + sums[f].lost;
            }
        });
    }
    LinearWeights(const LinearWeights&) = delete;

    // The bank of weights, which refers to this.
    Bank bank() const {
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
        bank.index_segments();
        return bank;
    }

   private:
    // A sum that keeps what additions round away (Neumaier): weights are as exact as if summed in twice the precision.
    struct LongSum {
        double sum = 0.0, lost = 0.0;

        void add(double term) {
            const double next = sum + term, grown = next - sum;
            lost += (sum - (next - grown)) + (term - grown);
            sum = next;
        }
    };

    const Bank whole_;
    const std::size_t d_, n_machines_;
    std::vector<double> weights_, coef_;  // n_machines x d; all 1
    std::vector<std::int64_t> begin_;     // 0, 1, ...
    std::vector<std::int32_t> index_;     // 0, 1, ...
};

}  // namespace dagmar
