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

// Rows that are multiplied with panels. `vectors` names the rows that are asked for. Rows and panels have n_words words
// (features, or some codes side by side): panel[word * kLanes + lane]. The squared distance of a row and a lane is
// row_norm + lane_norm - 2 <row, lane>.
template <class Word, class Norm>
struct RowsAndPanels {
    const Word* rows;
    std::size_t stride;  // from row to row
    const Norm* row_norms;
    const std::int32_t* vectors;
    std::size_t n_vectors;
    const Word* panels;
    const Norm* lane_norms;
    std::size_t n_panels, n_words;

    const Word* row(std::size_t q) const { return rows + static_cast<std::size_t>(vectors[q]) * stride; }
};

}  // namespace dagmar
