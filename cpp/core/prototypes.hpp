// A few typical vectors per class, to guess a sample's class at little cost.
#pragma once

#include <cstdint>
#include <vector>

#include "dense_vectors.hpp"

namespace dagmar {

// Cluster means of each class's vectors. They affect only guesses, never answers.
template <class T>
class Prototypes {
   public:
    Prototypes() = default;
    Prototypes(const DenseVectors<T>& vectors, const Threads& threads);

    // What a guess costs for one sample (decide_cost.hpp).
    static double cost_of_guess(const DenseVectors<T>& vectors);

    // The class of the nearest prototype for each lane.
    void nearest(const DenseVectors<T>& vectors, const Tile<T>& tile, std::int32_t* out) const;

   private:
    static constexpr std::size_t kMost = 64;  // of a class

    // least[lane]: the least distance of n prototypes, from place `first` on, or what was there.
    void find_least(const DenseVectors<T>& vectors, const Tile<T>& tile, std::size_t first, std::size_t n,
                    T* least) const;

    struct Choice;
    struct Room;
    // Finds the n prototypes of class c, and writes them from place `first` on.
    void find(const DenseVectors<T>& vectors, std::size_t c, std::size_t first, std::size_t n, Room& room);

    std::size_t d_ = 0;
    std::vector<T> means_, norms_;
    GridRows rounded_;                      // the means, if the vectors are on a grid
    std::vector<std::int32_t> each_;        // 0, 1, ... up to their number
    std::vector<std::int32_t> classes_;     // those that have prototypes
    std::vector<std::size_t> begin_ = {0};  // where those of each begin
};

}  // namespace dagmar
