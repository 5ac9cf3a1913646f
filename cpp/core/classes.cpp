#include "classes.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "integers.hpp"

namespace dagmar {

std::pair<std::int64_t, std::int64_t> range_of(std::span<const std::int64_t> y) {
    std::int64_t lowest = y.front(), highest = y.front();
    for (const std::int64_t label : y) {  // std::minmax_element branches, and takes several times as long
        lowest = std::min(lowest, label);
        highest = std::max(highest, label);
    }
    return {lowest, highest};
}

std::optional<NumberedClasses> number_classes(std::span<const std::int64_t> y) {
    if (y.empty()) return std::nullopt;
    const auto [lowest, highest] = range_of(y);
    // Unsigned: the range of labels of 64 bits may be beyond that of their type.
    const auto above = [first = lowest](std::int64_t label) {
        return static_cast<std::uint64_t>(label) - static_cast<std::uint64_t>(first);
    };
    if (above(highest) >= y.size()) return std::nullopt;
    NumberedClasses found;
    std::vector<std::int64_t> number(above(highest) + 1, -1);
    for (const std::int64_t label : y) number[above(label)] = 0;
    for (std::size_t place = 0; place < number.size(); ++place)
        if (number[place] == 0) {
            number[place] = static_cast<std::int64_t>(found.labels.size());
            found.labels.push_back(lowest + static_cast<std::int64_t>(place));
        }
    found.class_index.resize(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) found.class_index[i] = number[above(y[i])];
    return found;
}

ClassOrder sort_by_class(std::span<const std::int64_t> class_index, std::size_t n_classes) {
    ClassOrder sorted{std::vector<std::int64_t>(class_index.size()), std::vector<std::int64_t>(n_classes + 1, 0)};
    for (const std::int64_t c : class_index) {
        if (c < 0 || usize(c) >= n_classes) throw std::invalid_argument("class_index has a class that there is not");
        ++sorted.class_start[usize(c) + 1];
    }
    std::partial_sum(sorted.class_start.begin(), sorted.class_start.end(), sorted.class_start.begin());
    std::vector<std::int64_t> next(sorted.class_start.begin(), sorted.class_start.end() - 1);
    for (std::size_t i = 0; i < class_index.size(); ++i)
        sorted.order[usize(next[usize(class_index[i])]++)] = static_cast<std::int64_t>(i);
    return sorted;
}

}  // namespace dagmar
