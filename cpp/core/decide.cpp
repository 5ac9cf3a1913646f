#include "decide.hpp"

namespace dagmar {

std::unique_ptr<Decider> make_decider(Bank bank, Level level) {
    if (bank.kernel.type == KernelType::precomputed) return precomputed_decider(std::move(bank));
    if (std::holds_alternative<SparseView>(bank.vectors)) return sparse_decider(std::move(bank), level);
    if (bank.precision == Precision::single_) return dense_decider<float>(std::move(bank), level);
    return dense_decider<double>(std::move(bank), level);
}

}  // namespace dagmar
