#include "coefficient_sizes.hpp"

#include <limits>

namespace dagmar {

CoefficientSizes::CoefficientSizes(const Bank& bank, Arithmetic by, const Threads& threads)
    : bank_(bank), by_(by), root_squares_(bank.lists.n_machines()), times_gamma_(root_squares_.size()),
      totals_(root_squares_.size()), sizes_(root_squares_.size()), counts_(root_squares_.size()),
      largest_(root_squares_.size()), roundings_(root_squares_.size()), constant_(root_squares_.size()),
      one_sided_(root_squares_.size(), 1) {
    const auto& lists = bank.lists;
    const auto& gammas = bank.gammas;
    constexpr std::size_t at_once = 8192;  // terms
    const std::size_t n = lists.n_machines();
    share_out(n, n * at_once / (lists.index.size() + 1) + 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) add_machine(m);
    });
    if (!gammas.empty()) smallest_gamma_ = *std::min_element(gammas.begin(), gammas.end());
}

void CoefficientSizes::add_machine(std::size_t m) {
    const auto& lists = bank_.lists;
    const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    // Class after class.
    for (std::size_t t = begin; t < end;) {
        const auto next = std::upper_bound(lists.class_start.begin(), lists.class_start.end(), usize(lists.index[t]));
        const auto class_end = static_cast<std::int32_t>(*next);
        const bool negative = lists.coef[t] < 0;
        bool differs = false;
        for (; t < end && lists.index[t] < class_end; ++t) differs |= (lists.coef[t] < 0) != negative;
        if (differs) one_sided_[m] = 0;
    }
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
    root_squares_[m] = std::sqrt((squares[0] + squares[1]) + (squares[2] + squares[3]));
    times_gamma_[m] = std::sqrt(by_gamma);
    totals_[m] = (sizes[0] + sizes[1]) + (sizes[2] + sizes[3]);
    largest_[m] = largest;
    counts_[m] = static_cast<double>(end - begin);
    // Additions that a term takes part in, in units of this arithmetic: those of its block, and those of blocks, of
    // which one in every piece of a class may not be full.
    constexpr double in_block = kFewTerms + kBlock / kFewTerms;
    const double pieces = static_cast<double>(lists.n_classes() + lists.n_vectors() / kPiece);
    const double blocks = counts_[m] / kBlock + pieces;
    const double added = std::min(counts_[m], in_block) + blocks * kArithmetic<double>.unit / by_.unit;
    roundings_[m] = 0.5 * (added + 2.0);  // and of the coefficient, and of the product
    constant_[m] = by_.faintest * largest_[m] * counts_[m] + 2.0 * kArithmetic<double>.unit * std::abs(lists.bias[m]);
    // A partial sum of one side of the machine alone can be half the sizes.
    sizes_[m] = totals_[m] * std::max(1.0, std::sqrt(added) / 2.0) + std::abs(lists.bias[m]);
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
