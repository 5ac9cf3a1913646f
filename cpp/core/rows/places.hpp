// The samples of one task and their places in a kernel row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/integers.hpp"
#include "gram/gram.hpp"

namespace dagmar {

using Places = std::vector<std::int32_t>;

// A task sees a row as one array: its classes one after the other, each padded to whole panels.
template <class T>
struct TaskPlaces {
    std::vector<std::int32_t> classes;
    std::vector<std::size_t> offset;   // where each class begins
    std::vector<std::int32_t> sample;  // training sample at every place, -1 for padding
    Buffer<T> diagonal;                // kernel value of every sample with itself, 0 for padding
    std::size_t n = 0, n_samples = 0;  // padded length of a row; samples

    void set(const GramRows<T>& gram, std::span<const std::int32_t> of_task) {
        classes.assign(of_task.begin(), of_task.end());
        offset.clear();
        n = n_samples = 0;
        for (const std::int32_t c : classes) {
            offset.push_back(n);
            n += padded(gram.class_size(usize(c)));
            n_samples += gram.class_size(usize(c));
        }
        sample.assign(n, -1);
        T* own = diagonal.at_least(n);
        std::fill_n(own, n, T(0));
        for (std::size_t i = 0; i < classes.size(); ++i) {
            const std::size_t c = usize(classes[i]), first = gram.class_start()[c];
            for (std::size_t k = 0; k < gram.class_size(c); ++k) {
                sample[offset[i] + k] = static_cast<std::int32_t>(first + k);
                own[offset[i] + k] = gram.diagonal(first + k);
            }
        }
    }
};

// Calls visit(lot) for all places, at most `most` at a time.
template <class Visit>
void in_lots(const Places& places, std::size_t most, const Visit& visit) {
    if (!places.empty() && places.size() <= most) return visit(places);  // the usual case: no copy
    Places lot;
    for (std::size_t first = 0; first < places.size(); first += most) {
        lot.assign(places.data() + first, places.data() + std::min(places.size(), first + most));
        visit(lot);
    }
}

}  // namespace dagmar
