#include "decide.hpp"

namespace dagmar {

std::unique_ptr<Decider> make_decider(Bank bank, Level level) {
    if (bank.kernel.type == KernelType::precomputed) return precomputed_decider(std::move(bank));
    const bool sparse = std::holds_alternative<SparseView>(bank.vectors);
    if (bank.precision == Precision::single_)
        return sparse ? sparse_decider<float>(std::move(bank), level) : dense_decider<float>(std::move(bank), level);
    return sparse ? sparse_decider<double>(std::move(bank), level) : dense_decider<double>(std::move(bank), level);
}

}  // namespace dagmar
