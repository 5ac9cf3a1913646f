// The rows of a task, computed class by class.
#pragma once

#include "rows/places.hpp"
#include "rows/shared.hpp"

namespace dagmar {

// Scratch memory of one thread that computes parts of rows.
template <class T>
struct PartScratch {
    GramScratch<T> gram;
    std::vector<std::int32_t> asked, shared;  // samples to compute; which of their parts other tasks need
    std::vector<T*> out;
};

template <class T>
class RowParts {
   public:
    RowParts(const GramRows<T>& gram, SharedRows<T>& shared, const TaskPlaces<T>& places, double gamma)
        : gram(gram), shared(shared), places(places), gamma(gamma) {}

    std::size_t n_classes() const { return places.classes.size(); }
    std::size_t size_of(std::size_t i) const { return gram.class_size(usize(places.classes[i])); }

    // The part of these rows in the i-th class of the task; row(place) is where the row of a place begins.
    template <class Row>
    void compute(std::size_t i, const Places& asked_places, const Row& row, PartScratch<T>& scratch) const {
        const std::size_t c = usize(places.classes[i]);
        auto& [gram_scratch, asked, to_share, out] = scratch;
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

    // All rows of the i-th class within the class: `block` + k * stride is the row of its k-th sample.
    void compute_within(std::size_t i, T* block, std::size_t stride, PartScratch<T>& scratch) const {
        const std::size_t c = usize(places.classes[i]), n = gram.class_size(c), start = gram.class_start()[c];
        if (n == 0) return;
        const bool wanted = shared.wanted(c, c);
        std::size_t k = 0;
        for (const T* kept; wanted && k < n && (kept = shared.find(start + k, c)); ++k)
            std::copy(kept, kept + padded(n), block + k * stride);
        if (k == n) return;
        gram.within(c, gamma, block, stride, scratch.gram);
        for (k = 0; wanted && k < n; ++k)
            if (!shared.find(start + k, c)) shared.keep(start + k, c, block + k * stride);
    }

    // The kernel between some places, computed directly if any samples can be the columns of rows.
    bool computes_among() const { return gram.has_columns(); }
    void among(const Places& asked_places, T* out, std::size_t stride, Spare& spare) const {
        std::vector<std::int32_t> samples;
        for (const std::int32_t place : asked_places) samples.push_back(places.sample[usize(place)]);
        gram.among(samples, gamma, out, stride, spare);
    }

    const GramRows<T>& gram;
    SharedRows<T>& shared;
    const TaskPlaces<T>& places;
    const double gamma;
};

}  // namespace dagmar
