// Samples side by side, for vector registers.
//
// Samples are stored in *panels* of kLanes, feature-major: panel[f * kLanes + lane].
#pragma once

#include <cstddef>
#include <cstdint>

namespace dagmar {

// Floats in the widest register, that of AVX-512.
constexpr std::size_t kLanes = 16;

constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// A row with up to this share of nonzeros is multiplied by its nonzeros alone: a product with a feature that is looked
// up costs about twice as much as one in order. The sums are the same to the bit.
constexpr double kFewNonzeros = 0.35;

// The nonzeros of a row, and where its dot products are written.
template <class T>
struct Nonzeros {
    const T* value;
    const std::int32_t* feature;  // ascending
    std::size_t n;
    T* out;
};

}  // namespace dagmar
