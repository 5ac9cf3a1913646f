#include "bank.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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
    if (lists.class_start.empty() || lists.n_vectors() != n_vectors || lists.begin.empty() ||
        lists.begin.front() != 0 || !std::is_sorted(lists.class_start.begin(), lists.class_start.end()) ||
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
    if (!bank.gammas.empty() && (bank.kernel.type != KernelType::rbf || bank.gammas.size() != n_vectors))
        throw std::invalid_argument("the bank has gammas that are not one per vector of an rbf kernel");
    const bool sparse = std::holds_alternative<SparseView>(bank.vectors);
    if (!bank.centre.empty() && (precomputed || sparse || bank.centre.size() != n_features(bank.vectors)))
        throw std::invalid_argument("the bank has a centre that is not one number per feature of dense vectors");
}

}  // namespace dagmar
