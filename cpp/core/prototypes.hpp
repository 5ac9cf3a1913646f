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
    std::size_t d_ = 0;
    std::vector<T> means_, norms_;
    std::vector<std::int32_t> class_of_;
};

}  // namespace dagmar
