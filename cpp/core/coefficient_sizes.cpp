#include "coefficient_sizes.hpp"

#include <limits>

namespace dagmar {

CoefficientSizes::CoefficientSizes(const Bank& bank, Arithmetic by)
    : bank_(bank), by_(by), root_squares_(bank.lists.n_machines()), times_gamma_(root_squares_.size()),
      totals_(root_squares_.size()), sizes_(root_squares_.size()), counts_(root_squares_.size()),
      largest_(root_squares_.size()), roundings_(root_squares_.size()), constant_(root_squares_.size()),
      one_sided_(root_squares_.size(), 1) {
    const auto& lists = bank.lists;
    const auto& gammas = bank.gammas;
    for (const auto& segments : bank.segments)
        for (const Segment& s : segments) {
            const double first = lists.coef[usize(s.begin)];
            for (auto t = usize(s.begin); t < usize(s.end); ++t)
                if ((lists.coef[t] < 0) != (first < 0)) one_sided_[usize(s.machine)] = 0;
        }
    const double pieces = static_cast<double>(lists.n_classes() + lists.n_vectors() / kPiece);
    for (std::size_t m = 0; m < lists.n_machines(); ++m) {
        double squares = 0, by_gamma = 0, size = 0, largest = 0;
        for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
            const double c = lists.coef[t], g = gammas.empty() ? 0.0 : gammas[usize(lists.index[t])];
            squares += c * c;
            by_gamma += c * g * c * g;
            size += std::abs(c);
            largest = std::max(largest, std::abs(c));
        }
        root_squares_[m] = std::sqrt(squares);
        times_gamma_[m] = std::sqrt(by_gamma);
        sizes_[m] = totals_[m] = size;
        largest_[m] = largest;
        counts_[m] = static_cast<double>(lists.begin[m + 1] - lists.begin[m]);
        // Additions that a term takes part in, in units of this arithmetic: those of its block, and those of blocks, of
        // which one in every piece of a class may not be full.
        constexpr double in_block = kFewTerms + kBlock / kFewTerms;
        const double blocks = counts_[m] / kBlock + pieces;
        const double added = std::min(counts_[m], in_block) + blocks * kArithmetic<double>.unit / by.unit;
        roundings_[m] = 0.5 * (added + 2.0);  // and of the coefficient, and of the product
        constant_[m] =
            by.faintest * largest_[m] * counts_[m] + 2.0 * kArithmetic<double>.unit * std::abs(lists.bias[m]);
        // A partial sum of one side of the machine alone can be half the sizes.
        sizes_[m] = sizes_[m] * std::max(1.0, std::sqrt(added) / 2.0) + std::abs(lists.bias[m]);
    }
    if (!gammas.empty()) smallest_gamma_ = *std::min_element(gammas.begin(), gammas.end());
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
