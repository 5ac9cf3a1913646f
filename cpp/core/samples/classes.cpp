#include "samples/classes.hpp"

#include <algorithm>

#include "base/integers.hpp"

namespace dagmar {

std::optional<SortedLabels> sort_labels(std::span<const std::int64_t> y) {
    if (y.empty()) return std::nullopt;
    std::int64_t lowest = y.front(), highest = y.front();
    for (const std::int64_t label : y) {  // std::minmax_element branches and takes several times as long
        lowest = std::min(lowest, label);
        highest = std::max(highest, label);
    }
    // Unsigned, because the range of 64-bit labels may exceed their type.
    const auto above = [lowest](std::int64_t label) {
        return static_cast<std::uint64_t>(label) - static_cast<std::uint64_t>(lowest);
    };
    if (above(highest) >= y.size()) return std::nullopt;
    std::vector<std::int64_t> count(above(highest) + 1, 0), number(count.size());
    for (const std::int64_t label : y) ++count[above(label)];
    SortedLabels sorted;
    sorted.class_start.push_back(0);
    for (std::size_t place = 0; place < count.size(); ++place)
        if (count[place] > 0) {
            number[place] = static_cast<std::int64_t>(sorted.labels.size());
            sorted.labels.push_back(lowest + static_cast<std::int64_t>(place));
            sorted.class_start.push_back(sorted.class_start.back() + count[place]);
        }
    sorted.class_index.resize(y.size());
    sorted.order.resize(y.size());
    std::vector<std::int64_t> next(sorted.class_start.begin(), sorted.class_start.end() - 1);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::int64_t c = sorted.class_index[i] = number[above(y[i])];
        sorted.order[usize(next[usize(c)]++)] = static_cast<std::int64_t>(i);
    }
    return sorted;
}

}  // namespace dagmar
