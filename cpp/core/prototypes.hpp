// A few typical vectors per class, to guess a sample's class at little cost.
#pragma once

#include <cstdint>
#include <vector>

#include "simd.hpp"

namespace dagmar {

// Cluster means of each class's vectors. They affect only guesses, never answers.
template <class T>
class Prototypes {
   public:
    Prototypes() = default;
    Prototypes(const Simd<T>& simd, const T* rows, const std::vector<std::size_t>& class_start, std::size_t n_features);

    // The class of the nearest prototype for each lane.
    void nearest(const Simd<T>& simd, const T* panels, std::size_t lanes, std::int32_t* out) const;

   private:
    static constexpr std::size_t kMost = 64;  // of a class

    std::size_t d_ = 0;
    std::vector<T> means_, norms_;
    std::vector<std::int32_t> classes_;     // those that have prototypes
    std::vector<std::size_t> begin_ = {0};  // where those of each begin
};

}  // namespace dagmar
