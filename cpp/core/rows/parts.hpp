// The rows of a task, computed class by class, in memory that a worker keeps from one task to the next.
#pragma once

#include "rows/row_source.hpp"
#include "rows/shared.hpp"

namespace dagmar {

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

// Scratch memory of one thread that computes parts of rows.
template <class T>
struct PartScratch {
    GramScratch<T> gram;
    std::vector<std::int32_t> asked;  // samples to compute
    std::vector<T*> out;
};

// Memory of a worker, kept so that fresh memory is touched only once and small tasks allocate little.
template <class T>
struct RowScratch {
    TaskPlaces<T> places;
    Buffer<T> rows;
    PartScratch<T> part;
    GramScratch<T> stream[kParts];
    std::vector<std::int32_t> slot_of, place_in, missing;
    std::vector<std::int64_t> last_use;
};

// Copies n values, padded to whole panels. Most parts have few panels: calls of memmove would take longer.
template <class T>
void copy_panels(const T* from, std::size_t n, T* to) {
    for (std::size_t k = 0; k < n; k += kLanes) std::memcpy(to + k, from + k, kLanes * sizeof(T));
}

template <class T>
struct RowParts {
    const GramRows<T>& gram;
    SharedRows<T>& shared;
    Spare& spare;
    RowScratch<T>& scratch;
    double gamma;
    std::size_t memory;  // bytes for rows
    const TaskPlaces<T>& places = scratch.places;

    std::size_t n_classes() const { return places.classes.size(); }
    std::size_t size_of(std::size_t i) const { return gram.class_size(usize(places.classes[i])); }

    // The part of these rows in the i-th class of the task; row(q) is where the row of the q-th place begins.
    template <class Row>
    void compute(std::size_t i, const Places& asked_places, const Row& row, PartScratch<T>& with) const {
        const std::size_t c = usize(places.classes[i]);
        auto& [gram_scratch, asked, out] = with;
        asked.clear();
        out.clear();
        for (std::size_t q = 0; q < asked_places.size(); ++q) {
            const std::int32_t a = places.sample[usize(asked_places[q])];
            T* part = row(q) + places.offset[i];
            if (const T* kept = shared.find(usize(a), c)) {
                copy_panels(kept, gram.class_size(c), part);
                continue;
            }
            asked.push_back(a);
            out.push_back(part);
        }
        if (asked.empty()) return;
        gram.rows(asked.data(), asked.size(), c, gamma, out.data(), gram_scratch);
        for (std::size_t q = 0; q < asked.size(); ++q) shared.keep(usize(asked[q]), c, out[q]);
    }
    // All parts of these rows; `shares`: whether idle threads help.
    template <class Row>
    void compute_all(const Places& asked_places, const Row& row, bool shares) const {
        if (shares)
            return spare.run(n_classes(), [&](std::size_t i) {
                PartScratch<T> own;
                compute(i, asked_places, row, own);
            });
        for (std::size_t i = 0; i < n_classes(); ++i) compute(i, asked_places, row, scratch.part);
    }
    // All rows of the i-th class within the class: `block` + k * stride is the row of its k-th sample.
    void compute_within(std::size_t i, T* block, std::size_t stride) const {
        const std::size_t c = usize(places.classes[i]), n = gram.class_size(c), start = gram.class_start()[c];
        std::size_t k = 0;
        for (const T* kept; k < n && (kept = shared.find(start + k, c)); ++k) copy_panels(kept, n, block + k * stride);
        if (k == n) return;
        gram.within(c, gamma, block, stride, scratch.part.gram);
        for (; k < n; ++k) shared.keep(start + k, c, block + k * stride);
    }
    // The kernel between some places, computed directly: if gram.has_columns().
    void among(const Places& asked_places, T* out, std::size_t stride) const {
        std::vector<std::int32_t> samples;
        for (const std::int32_t place : asked_places) samples.push_back(places.sample[usize(place)]);
        gram.among(samples, gamma, out, stride, spare);
    }
};

// The rows of a task, computed by their parts.
template <class T>
class TaskRows : public RowSource<T> {
   protected:
    TaskRows(const RowParts<T>& parts, std::size_t working)
        : RowSource<T>(parts.gram.simd(), parts.spare, parts.places.n, parts.places.n_samples, working,
                       parts.places.diagonal.data(), parts.places.sample.data()),
          parts_(parts) {}

    RowParts<T> parts_;
};

}  // namespace dagmar
