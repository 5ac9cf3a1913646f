// The champion check: guess a class for every sample and ask only that class's machines, in lanes.
//
// A class that wins all its pairs is the answer of every plan for which unanimity decides. A sample whose guess lost
// tries the class that beat it by the largest value; after a few tries it is left over.
#pragma once

#include <mutex>
#include <optional>

#include "decide_lanes.hpp"
#include "prototypes.hpp"

namespace dagmar {

template <class T>
class Champions {
   public:
    Champions(const DenseVectors<T>& vectors, const Rounding<T>& rounding, const Lanes<T>& lanes)
        : v_(vectors), rounding_(rounding), lanes_(lanes) {}

    // Writes the answers it finds to `out` and returns the samples that are left over, or nothing if a signal stopped
    // it. Stops when at most `few` samples are left.
    std::optional<std::vector<std::int64_t>> decide(const Samples& x, const Plan& plan, const Threads& threads,
                                                    std::size_t few, std::int32_t* out) const;

   private:
    bool guess_all(const Samples& x, const Threads& threads, std::int32_t* guess) const;

    // Asks the machines of class c on the tile. Where c loses, `guess` becomes the class with the largest win over c.
    void check(const Samples& x, const Plan& plan, std::size_t c, Tile<T>& tile, std::int32_t* guess) const;

    // Whether the machines between c and the others have vectors of their two classes only, as the check assumes. Other
    // machines (of a bank made by hand) are left to the walk, which reads any vector.
    bool only_their_vectors(const Plan& plan, std::size_t c) const;

    const Prototypes<T>& prototypes() const;

    const DenseVectors<T>& v_;
    const Rounding<T>& rounding_;
    const Lanes<T>& lanes_;
    mutable std::once_flag prototypes_made_;
    mutable Prototypes<T> prototypes_;
};

}  // namespace dagmar
