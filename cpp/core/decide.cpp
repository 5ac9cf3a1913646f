#include "decide.hpp"

namespace dagmar {
namespace {

// With more machines than vectors, weights would take more room and time than the vectors do.
bool collapses(const Bank& bank) {
    return bank.kernel.type == KernelType::linear && bank.lists.n_machines() <= bank.lists.n_vectors();
}

}  // namespace

std::unique_ptr<Decider> make_decider(Bank bank, Level level, const Threads& threads) {
    if (bank.kernel.type == KernelType::precomputed) return precomputed_decider(std::move(bank));
    const bool sparse = std::holds_alternative<SparseView>(bank.vectors);
    if (!sparse && collapses(bank)) return linear_decider(std::move(bank), level, threads);
    if (bank.precision == Precision::single_)
        return sparse ? sparse_decider<float>(std::move(bank), level, threads)
                      : dense_decider<float>(std::move(bank), level, threads);
    return sparse ? sparse_decider<double>(std::move(bank), level, threads)
                  : dense_decider<double>(std::move(bank), level, threads);
}

}  // namespace dagmar
