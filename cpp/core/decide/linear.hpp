// A linear kernel: the vectors of a machine collapse into one, its weights.
//
// sum_t c_t <x, v_t> = <x, sum_t c_t v_t>. So a linear bank becomes a bank of one vector per machine, with
// coefficient 1. Values too close to zero are computed again from the vectors, as for other kernels.
#pragma once

#include <vector>

#include "model/bank.hpp"

namespace dagmar {

class LinearWeights {
   public:
    explicit LinearWeights(Bank bank);
    LinearWeights(const LinearWeights&) = delete;

    // The bank of weights, which refers to this.
    Bank bank() const;

   private:
    const Bank whole_;
    const std::size_t d_, n_machines_;
    std::vector<double> weights_, coef_;  // n_machines x d; all 1
    std::vector<std::int64_t> begin_;     // 0, 1, ...
    std::vector<std::int32_t> index_;     // 0, 1, ...
};

}  // namespace dagmar
