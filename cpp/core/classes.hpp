// Labels as numbers of classes, and samples sorted by class.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dagmar {

// The lowest and the highest label; there must be some.
std::pair<std::int64_t, std::int64_t> range_of(std::span<const std::int64_t> y);

struct NumberedClasses {
    std::vector<std::int64_t> labels;       // the labels that occur, ascending
    std::vector<std::int64_t> class_index;  // of each sample: the place of its label among them
};

// By counting, which takes a table over the range of the labels: nothing if that is longer than the list of samples.
std::optional<NumberedClasses> number_classes(std::span<const std::int64_t> y);

struct ClassOrder {
    std::vector<std::int64_t> order;        // the samples, class after class; within a class in their given order
    std::vector<std::int64_t> class_start;  // where each class begins in it, and its length
};

// Throws std::invalid_argument if a class is not one of 0 ... n_classes-1.
ClassOrder sort_by_class(std::span<const std::int64_t> class_index, std::size_t n_classes);

}  // namespace dagmar
