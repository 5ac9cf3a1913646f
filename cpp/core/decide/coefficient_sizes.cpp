#include "decide/coefficient_sizes.hpp"

namespace dagmar {

CoefficientSizes::CoefficientSizes(const Bank& bank, Arithmetic by, const Threads& threads)
    : bank_(bank), by_(by), machines_(bank.lists.n_machines()) {
    constexpr std::size_t at_once = 8192;  // terms that a thread reads at a time
    const std::size_t n = machines_.size();
    share_out(n, n * at_once / (bank.lists.index.size() + 1) + 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) machines_[m] = machine_of(m);
    });
    if (!bank.gammas.empty()) smallest_gamma_ = *std::min_element(bank.gammas.begin(), bank.gammas.end());
}

auto CoefficientSizes::machine_of(std::size_t m) const -> Machine {
    const auto& lists = bank_.lists;
    const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    constexpr std::size_t chains = 4;  // one would wait for every addition
    double squares[chains] = {}, sizes[chains] = {}, largest = 0, by_gamma = 0;
    const auto add = [&](std::size_t t, std::size_t u) {
        const double size = std::abs(lists.coef[t]);
        squares[u] += size * size;
        sizes[u] += size;
        largest = std::max(largest, size);
    };
    std::size_t t = begin;
    for (; t + chains <= end; t += chains)
        for (std::size_t u = 0; u < chains; ++u) add(t + u, u);
    for (; t < end; ++t) add(t, 0);
    if (!bank_.gammas.empty())
        for (t = begin; t < end; ++t) {
            const double c = lists.coef[t] * bank_.gammas[usize(lists.index[t])];
            by_gamma += c * c;
        }
    Machine made;
    made.root_squares = std::sqrt((squares[0] + squares[1]) + (squares[2] + squares[3]));
    made.times_gamma = std::sqrt(by_gamma);
    made.total = (sizes[0] + sizes[1]) + (sizes[2] + sizes[3]);
    made.largest = largest;
    made.count = static_cast<double>(end - begin);
    // Additions that a term takes part in, in units of this arithmetic: those of its block, and those of blocks, of
    // which one in every piece of a class may not be full.
    constexpr double in_block = kFewTerms + kBlock / kFewTerms;
    const double pieces = static_cast<double>(lists.n_classes() + lists.n_vectors() / kPiece);
    const double blocks = made.count / kBlock + pieces;
    const double added = std::min(made.count, in_block) + blocks * kArithmetic<double>.unit / by_.unit;
    made.roundings = 0.5 * (added + 2.0);  // and of the coefficient, and of the product
    const double bias = std::abs(lists.bias[m]);
    made.constant = by_.faintest * largest * made.count + 2.0 * kArithmetic<double>.unit * bias;
    // A partial sum of one side of the machine alone can be half the sizes.
    made.size = made.total * std::max(1.0, std::sqrt(added) / 2.0) + bias;
    made.one_sided = is_one_sided(m);
    return made;
}

bool CoefficientSizes::is_one_sided(std::size_t m) const {
    const auto& lists = bank_.lists;
    const std::size_t end = usize(lists.begin[m + 1]);
    for (std::size_t t = usize(lists.begin[m]); t < end;) {  // class after class
        const auto next = std::upper_bound(lists.class_start.begin(), lists.class_start.end(), usize(lists.index[t]));
        const auto class_end = static_cast<std::int32_t>(*next);
        const bool negative = lists.coef[t] < 0;
        bool differs = false;
        for (; t < end && lists.index[t] < class_end; ++t) differs |= (lists.coef[t] < 0) != negative;
        if (differs) return false;
    }
    return true;
}

Allowance CoefficientSizes::allowance(double norm2, double largest_norm2, std::size_t n_features) const {
    const Kernel& kernel = bank_.kernel;
    const double largest = kernel.largest(norm2, largest_norm2), term = 2.0 * by_.unit * largest;
    // A coefficient or a term below the range loses up to the smallest number.
    const double underflow = by_.smallest * (1.0 + largest);
    const bool rbf = kernel.type == KernelType::rbf;
    const double relative = rbf ? 8.0 * kernel.relative_error(norm2, largest_norm2, n_features, by_)
                                : std::numeric_limits<double>::infinity();
    if (bank_.gammas.empty())
        return {8.0 * kernel.error(norm2, largest_norm2, n_features, by_), 0.0, term, underflow, relative};
    const ErrorByGamma error = error_by_gamma(smallest_gamma_, norm2, largest_norm2, n_features, by_);
    return {8.0 * error.flat, 8.0 * error.slope, term, underflow, relative};
}

}  // namespace dagmar
