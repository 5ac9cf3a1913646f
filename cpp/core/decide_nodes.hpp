// Graphs walked by many samples together: those that stand at the same machine are asked about in lanes.
//
// A walk from the root to a class meets few of the machines, so that this computes fewer kernel values than asking all
// machines does. But vectors that several machines on the way share are computed for each of them, and lanes stay empty
// where few samples stand.
#pragma once

#include "decide_lanes.hpp"
#include "dense_vectors.hpp"

namespace dagmar {

template <class T>
class Nodes {
   public:
    Nodes(const DenseVectors<T>& vectors, const Rounding<T>& rounding, const Lanes<T>& lanes)
        : v_(vectors), rounding_(rounding), lanes_(lanes) {}

    // Whether this is likely to be cheaper for so many samples than asking all machines. For graphs only.
    bool pays(const Plan& plan, std::size_t n_samples) const;

    // Writes the answers to `out`; false if a signal stopped it.
    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const;

   private:
    // The value of machine m in every lane of the tile.
    void ask(const Samples& x, std::size_t m, Tile<T>& tile, double* values) const;

    const DenseVectors<T>& v_;
    const Rounding<T>& rounding_;
    const Lanes<T>& lanes_;
};

}  // namespace dagmar
