// A few typical vectors per class, to guess a sample's class at little cost.
#pragma once

#include <cstdint>
#include <vector>

#include "decide/dense_vectors.hpp"

namespace dagmar {

// How many prototypes each class has: one for every eight vectors, so that a guess costs about a tenth of its check.
class PrototypeCounts {
   public:
    explicit PrototypeCounts(const Bank& bank);

    // Prototypes of one class, and the vectors that they are made of: every step-th from `first_vector` on.
    struct OfClass {
        std::int32_t label;
        std::size_t first, n;  // places among all prototypes
        std::size_t first_vector, n_vectors, step;
    };
    const std::vector<OfClass>& classes() const { return classes_; }  // those that have vectors
    std::size_t n() const { return n_; }

   private:
    std::vector<OfClass> classes_;
    std::size_t n_ = 0;
};

// Cluster means of each class's vectors. They affect only guesses, never answers. Immutable after construction.
template <class T>
class Prototypes {
   public:
    Prototypes(const DenseVectors<T>& vectors, const Threads& threads);

    // The class of the nearest prototype for each lane.
    void nearest(const Tile<T>& tile, std::int32_t* out) const;

   private:
    using OfClass = PrototypeCounts::OfClass;

    // Finds the prototypes of a class by one round of Lloyd's algorithm.
    void find(const OfClass& of);
    // For each vector that prototypes of a class are made of, the nearest of these prototypes.
    std::vector<std::size_t> nearest_of(const OfClass& of) const;
    void set(std::size_t place, const double* point);
    // out[q * tile.lanes + lane]: the squared distances of n prototypes, from place `first` on; and least[lane]: the
    // least of these and what was there.
    void find_distances(const Tile<T>& tile, std::size_t first, std::size_t n, T* out) const;
    void find_least(const Tile<T>& tile, std::size_t first, std::size_t n, T* least) const;

    const DenseVectors<T>& v_;
    const PrototypeCounts counts_;
    const Grid* grid_;  // the fastest codes of the vectors, if there are any
    std::vector<T> means_, norms_;
    GridRows coded_;                  // the means in these codes
    std::vector<std::int32_t> each_;  // 0, 1, ... up to their number
};

}  // namespace dagmar
