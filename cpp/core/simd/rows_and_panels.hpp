// Rows that are multiplied with panels of kLanes samples (simd.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/simd.hpp"

namespace dagmar {

// `vectors` names the rows that are asked for. Rows and panels have n_words words: panel[word * kLanes + lane]. The
// squared distance of a row and a lane is row_norm + lane_norm - 2 <row, lane>.
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
