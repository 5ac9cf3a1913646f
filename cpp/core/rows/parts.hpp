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
    std::vector<std::int32_t> asked, shared;  // samples to compute; which of their parts other tasks need
    std::vector<T*> out;
};

// Memory of a worker, kept so that fresh memory is touched only once and small tasks allocate little.
template <class T>
struct RowScratch {
    TaskPlaces<T> places;
    Buffer<T> rows;
    std::size_t owned = 0;  // bytes of `rows` that were ever touched
    std::size_t paid = 0;   // those of them that came from the common budget
    PartScratch<T> part;
    GramScratch<T> stream[kParts];
    std::vector<std::int32_t> slot_of, place_in, missing;
    std::vector<std::int64_t> last_use;
};

template <class T>
struct RowParts {
    const GramRows<T>& gram;
    SharedRows<T>& shared;
    RowScratch<T>& scratch;
    double gamma;
    // Bytes for rows: the task's own share of the memory, and the most it can have with the whole common budget.
    std::size_t share, most;
    const TaskPlaces<T>& places = scratch.places;

    std::size_t n_classes() const { return places.classes.size(); }
    std::size_t size_of(std::size_t i) const { return gram.class_size(usize(places.classes[i])); }

    // Memory for rows of `n` values; only address space until rows are written.
    T* room_for(std::size_t n) const {
        if (scratch.rows.size() < n) {
            shared.give_back(scratch.paid);
            scratch.owned = scratch.paid = 0;
        }
        return scratch.rows.at_least(n);
    }
    // Accounts for the first bytes of that memory; false if the budget does not allow them and they are not `needed`.
    bool acquire(std::size_t bytes, bool needed) const {
        const std::size_t covered = std::max(scratch.owned, share);
        if (bytes > covered) {
            if (shared.acquire(bytes - covered))
                scratch.paid += bytes - covered;
            else if (!needed)
                return false;
        }
        scratch.owned = std::max(scratch.owned, bytes);
        return true;
    }

    // The part of these rows in the i-th class of the task; row(place) is where the row of a place begins.
    template <class Row>
    void compute(std::size_t i, const Places& asked_places, const Row& row, PartScratch<T>& with) const {
        const std::size_t c = usize(places.classes[i]);
        auto& [gram_scratch, asked, to_share, out] = with;
        asked.clear();
        to_share.clear();
        out.clear();
        for (const std::int32_t place : asked_places) {
            const std::int32_t a = places.sample[usize(place)];
            T* part = row(usize(place)) + places.offset[i];
            const bool wanted = shared.wanted(gram.class_of(usize(a)), c);
            if (const T* kept = wanted ? shared.find(usize(a), c) : nullptr) {
                std::copy(kept, kept + padded(gram.class_size(c)), part);
                continue;
            }
            if (wanted) to_share.push_back(static_cast<std::int32_t>(asked.size()));
            asked.push_back(a);
            out.push_back(part);
        }
        if (asked.empty()) return;
        gram.rows(asked.data(), asked.size(), c, gamma, out.data(), gram_scratch);
        for (const std::int32_t q : to_share) shared.keep(usize(asked[usize(q)]), c, out[usize(q)]);
    }
    // All parts of these rows; `shares`: whether idle threads help.
    template <class Row>
    void compute_all(const Places& asked_places, const Row& row, bool shares, Spare& spare) const {
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
        const bool wanted = shared.wanted(c, c);
        std::size_t k = 0;
        for (const T* kept; wanted && k < n && (kept = shared.find(start + k, c)); ++k)
            std::copy(kept, kept + padded(n), block + k * stride);
        if (k == n) return;
        gram.within(c, gamma, block, stride, scratch.part.gram);
        for (k = 0; wanted && k < n; ++k)
            if (!shared.find(start + k, c)) shared.keep(start + k, c, block + k * stride);
    }
    // The kernel between some places, computed directly: if gram.has_columns().
    void among(const Places& asked_places, T* out, std::size_t stride, Spare& spare) const {
        std::vector<std::int32_t> samples;
        for (const std::int32_t place : asked_places) samples.push_back(places.sample[usize(place)]);
        gram.among(samples, gamma, out, stride, spare);
    }
};

}  // namespace dagmar
