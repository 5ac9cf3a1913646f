// The integer codes that decisions are made with: which step and how many bits serve the vectors of a bank.
#pragma once

#include <memory>
#include <vector>

#include "integers/quantized_vectors.hpp"
#include "model/bank.hpp"

namespace dagmar {

// `exact`: the vectors are multiples of one step, such as pixels, counts or decimals. `rough`: coarser codes that they
// are rounded to, whose error leaves few signs open. Null where there are none, and where float takes no longer: if
// most features are zero, once the centre is subtracted.
struct Grids {
    std::unique_ptr<const QuantizedVectors> exact, rough;
};

// The grids of a bank with a dense kernel that has codes.
Grids find_grids(const Bank& bank, Level level, const std::vector<double>& centre, const Threads& threads);

}  // namespace dagmar
