#include "model/bank.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "samples/passes.hpp"

namespace dagmar {
namespace {

bool has_negative(const Samples& x) {
    const auto among = [](const auto* values, std::size_t n) {
        std::size_t found = 0;
        for (std::size_t k = 0; k < n; ++k) found += values[k] < 0 ? 1 : 0;
        return found > 0;
    };
    const auto in = [&]<class View>(const View& view) {
        if constexpr (std::is_same_v<View, SparseView>)
            return among(view.data, usize(view.indptr[view.n]));
        else
            return view.n > 0 && among(view.row(0), view.n * view.d);
    };
    return std::visit(in, x);
}

}  // namespace

Segment Bank::segment(std::size_t machine, std::size_t c) const {
    const auto id = static_cast<std::int64_t>(machine);
    const std::int64_t begin = lists.begin[machine], split = splits[machine], end = lists.begin[machine + 1];
    for (const Segment& s : {Segment{id, begin, split}, Segment{id, split, end}})
        if (s.begin < s.end && usize(lists.index[usize(s.begin)]) >= lists.class_start[c] &&
            usize(lists.index[usize(s.end - 1)]) < lists.class_start[c + 1])
            return s;
    return {id, begin, begin};
}

void Bank::index_segments() {
    groups.assign(1, 0);
    for (const std::size_t end : lists.class_start)
        if (end >= groups.back() + kGroup || (end == lists.n_vectors() && end > groups.back())) groups.push_back(end);
    segments.assign(lists.n_classes(), {});
    for (auto& own : segments) own.reserve(2 * lists.n_machines() / lists.n_classes());  // as pairs have
    splits.assign(lists.begin.begin(), lists.begin.end() - 1);
    const auto& start = lists.class_start;
    const auto& index = lists.index;
    for (std::size_t m = 0; m < lists.n_machines(); ++m)
        for (std::int64_t at = lists.begin[m]; at < lists.begin[m + 1];) {
            const auto next = std::upper_bound(start.begin(), start.end(), usize(index[usize(at)]));
            const auto last = index.begin() + lists.begin[m + 1];
            const auto end = std::lower_bound(index.begin() + at, last, static_cast<std::int32_t>(*next));
            const Segment segment{static_cast<std::int64_t>(m), at, end - index.begin()};
            segments[usize(next - start.begin()) - 1].push_back(segment);
            if (at == lists.begin[m]) splits[m] = segment.end;
            at = segment.end;
        }
    terms.assign(lists.n_classes(), 0);
    others = terms;
    for (std::size_t c = 0; c < lists.n_classes(); ++c)
        for (const Segment& s : segments[c]) {
            const std::size_t n = lists.n_terms(usize(s.machine));
            terms[c] += n;
            others[c] += n - s.size();
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
    const auto& index = lists.index;
    bool in_order = true;
    for (std::size_t m = 0; m < lists.n_machines(); ++m) {
        const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
        for (std::size_t t = begin + 1; t < end; ++t) in_order &= index[t - 1] < index[t];
        in_order &= begin == end || (index[begin] >= 0 && usize(index[end - 1]) < n_vectors);
    }
    if (!in_order)
        throw std::invalid_argument("a machine of the bank names vectors that are not there, or out of order");
    const auto finite = [](std::span<const double> numbers) {
        Spare none(0);
        return all_finite(DenseView<double>{numbers.data(), 1, numbers.size()}, none);
    };
    if (!finite(lists.coef) || !finite(lists.bias))
        throw std::invalid_argument("the dual coefficients or intercepts are not finite in this bank");
    const auto missing = [](std::int64_t column) { return column < 0; };
    if (precomputed && std::any_of(bank.support.begin(), bank.support.end(), missing))
        throw std::invalid_argument("support of the bank has a negative column of the kernel matrix");
    if (!bank.gammas.empty() && (!bank.kernel.of_distance() || bank.gammas.size() != n_vectors))
        throw std::invalid_argument("the bank has gammas that are not one per vector of a kernel of a distance");
    if (!std::all_of(bank.gammas.begin(), bank.gammas.end(), [](double g) { return g > 0 && std::isfinite(g); }))
        throw std::invalid_argument("gammas of the bank must be positive and finite");
    // Bounds on the rounding of decision values follow from it.
    if (!std::all_of(bank.gammas.begin(), bank.gammas.end(), [&](double g) { return g <= bank.kernel.gamma; }))
        throw std::invalid_argument("gammas of the bank must not be above the gamma of its kernel");
    if (bank.kernel.type == KernelType::tanimoto && has_negative(bank.vectors))
        throw std::invalid_argument("vectors of a Tanimoto kernel must not have negative values");
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
