#include "bank.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "integers.hpp"

namespace dagmar {

void Bank::index_segments() {
    std::vector<std::size_t> class_of(lists.n_vectors());
    for (std::size_t c = 0; c < lists.n_classes(); ++c)
        for (std::size_t v = lists.class_start[c]; v < lists.class_start[c + 1]; ++v) class_of[v] = c;
    segments.assign(lists.n_classes(), {});
    for (std::size_t m = 0; m < lists.n_machines(); ++m)
        for (std::int64_t at = lists.begin[m]; at < lists.begin[m + 1];) {
            const std::size_t c = class_of[usize(lists.index[usize(at)])];
            Segment segment{static_cast<std::int64_t>(m), at, at};
            while (segment.end < lists.begin[m + 1] &&
                   usize(lists.index[usize(segment.end)]) < lists.class_start[c + 1])
                ++segment.end;
            segments[c].push_back(segment);
            at = segment.end;
        }
}

void check_value(double value) {
    if (std::isnan(value))
        throw std::invalid_argument(
            "a decision value is not a number: kernel values of X exceed the range of double precision");
}

void check(const Bank& bank) {
    const BankLists& lists = bank.lists;
    const bool precomputed = bank.kernel.type == KernelType::precomputed;
    const std::size_t n_vectors = precomputed ? bank.support.size() : n_samples(bank.vectors);
    if (lists.class_start.empty() || lists.class_start.front() != 0 || lists.n_vectors() != n_vectors ||
        lists.begin.empty() || lists.begin.front() != 0 ||
        !std::is_sorted(lists.class_start.begin(), lists.class_start.end()) ||
        !std::is_sorted(lists.begin.begin(), lists.begin.end()) || lists.begin.size() != lists.bias.size() + 1 ||
        lists.index.size() != lists.coef.size() || usize(lists.begin.back()) != lists.index.size())
        throw std::invalid_argument("the lists of the bank do not fit together");
    for (std::size_t m = 0; m < lists.n_machines(); ++m)
        for (auto t = usize(lists.begin[m]); t < usize(lists.begin[m + 1]); ++t) {
            const std::int32_t v = lists.index[t];
            const bool ascends = t == usize(lists.begin[m]) || v > lists.index[t - 1];
            if (v < 0 || usize(v) >= n_vectors || !ascends)
                throw std::invalid_argument("a machine of the bank names vectors that are not there, or out of order");
        }
    const auto finite = [](double number) { return std::isfinite(number); };
    if (!std::all_of(lists.coef.begin(), lists.coef.end(), finite) ||
        !std::all_of(lists.bias.begin(), lists.bias.end(), finite))
        throw std::invalid_argument("the dual coefficients or intercepts are not finite in this bank");
    const auto missing = [](std::int64_t column) { return column < 0; };
    if (precomputed && std::any_of(bank.support.begin(), bank.support.end(), missing))
        throw std::invalid_argument("support of the bank has a negative column of the kernel matrix");
    if (!bank.gammas.empty() && (bank.kernel.type != KernelType::rbf || bank.gammas.size() != n_vectors))
        throw std::invalid_argument("the bank has gammas that are not one per vector of an rbf kernel");
    if (!std::all_of(bank.gammas.begin(), bank.gammas.end(), [&](double g) { return g > 0 && finite(g); }))
        throw std::invalid_argument("gammas of the bank must be positive and finite");
    const bool sparse = std::holds_alternative<SparseView>(bank.vectors);
    if (!bank.centre.empty() && (precomputed || sparse || bank.centre.size() != n_features(bank.vectors)))
        throw std::invalid_argument("the bank has a centre that is not one number per feature of dense vectors");
}

std::size_t columns_needed(const Bank& bank) {
    if (bank.kernel.type != KernelType::precomputed) return n_features(bank.vectors);
    return bank.support.empty() ? 0 : usize(*std::max_element(bank.support.begin(), bank.support.end())) + 1;
}

void check(const Bank& bank, std::size_t columns_needed, const Samples& x) {
    const std::size_t n = n_features(x);
    const bool sparse = std::holds_alternative<SparseView>(x);
    if (bank.kernel.type == KernelType::precomputed) {
        if (sparse) throw std::invalid_argument("rows of a precomputed kernel must be dense");
        if (n < columns_needed)
            throw std::invalid_argument("a row of the precomputed kernel has " + std::to_string(n) +
                                        " columns, but a support vector is in column " +
                                        std::to_string(columns_needed - 1));
        return;
    }
    if (sparse != std::holds_alternative<SparseView>(bank.vectors))
        throw std::invalid_argument(sparse ? "the samples are sparse, but the support vectors are dense"
                                           : "the samples are dense, but the support vectors are sparse");
    if (n != columns_needed)
        throw std::invalid_argument("the samples have " + std::to_string(n) +
                                    " features, but the support vectors have " + std::to_string(columns_needed));
}

}  // namespace dagmar
