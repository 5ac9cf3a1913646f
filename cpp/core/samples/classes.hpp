// Samples sorted by the labels of their classes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dagmar {

struct SortedLabels {
    std::vector<std::int64_t> labels;       // the distinct labels, ascending
    std::vector<std::int64_t> class_index;  // the place of each sample's label in `labels`
    std::vector<std::int64_t> order;        // the samples, class by class; within a class in their given order
    std::vector<std::int64_t> class_start;  // where each class begins in `order`; ends with the number of samples
};

// Counts labels in a table over their range, which is faster than sorting them. Returns nothing if the range is larger
// than the number of samples, or if there are no samples.
std::optional<SortedLabels> sort_labels(std::span<const std::int64_t> y);

}  // namespace dagmar
