// The champion check: guess a class for every sample and ask only that class's machines, in lanes.
//
// A class that wins all its pairs is the answer of every plan for which unanimity decides. A sample whose guess lost
// tries the class that beat it by the largest value. Where classes overlap, guesses fail so often that asking all
// machines is cheaper. The first samples checked tell. Where a class has few samples, most lanes of its tile are empty;
// then, too, asking all machines is cheaper, and nothing is guessed.
#pragma once

#include <mutex>
#include <optional>

#include "decide_lanes.hpp"
#include "dense_vectors.hpp"
#include "prototypes.hpp"

namespace dagmar {

template <class T>
class Champions {
   public:
    Champions(const DenseVectors<T>& vectors, const Rounding<T>& rounding, const Lanes<T>& lanes);

    // The samples that are left over, and whether all machines should be asked about them in lanes, or else each walks
    // alone.
    struct Rest {
        std::vector<std::int64_t> open;
        bool in_lanes = true;
    };

    // Writes the answers it finds to `out`; nothing is returned if a signal stopped it.
    std::optional<Rest> decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const;

   private:
    // Samples of one guess: open[begin ... begin+size-1].
    struct Piece {
        std::size_t begin, size;
    };

    // One call of decide(): what its rounds share.
    struct Call {
        const Samples& x;
        const Plan& plan;
        const Threads& threads;
        std::int32_t* out;
        std::vector<std::int32_t> guess;  // per sample
        std::vector<double> cost;         // of a check of each class; negative if not known yet
        std::vector<Tile<T>> tiles;       // per worker
        KnownLevels known;                // of the samples, from the first guess on
    };

    // Checks the guesses of these pieces and writes the answers, -1 where a guess was wrong. Returns the share of right
    // ones, or nothing if a signal stopped it.
    std::optional<double> check_all(Call& call, const std::vector<std::int64_t>& open,
                                    const std::vector<Piece>& pieces) const;

    bool guess_all(Call& call, const std::vector<std::int64_t>& ids) const;

    // What the machines of a class say: per lane the largest win over it, -1 if there is none, and by which class; and
    // the lanes and classes whose machine's sign is open.
    struct Findings {
        Findings() { std::fill_n(worst, kTile, -1.0); }
        void beaten_by(std::size_t lane, std::size_t j, double value) {
            if (!(std::abs(value) >= worst[lane])) return;
            worst[lane] = std::abs(value);
            by[lane] = j;
        }
        double worst[kTile];
        std::size_t by[kTile] = {};
        std::vector<std::pair<std::size_t, std::size_t>> open;
    };

    // Asks the machines of class c on the tile.
    void ask(const Plan& plan, std::size_t c, Tile<T>& tile, Findings& found) const;
    // The same until few signs are open. Where c loses, the guess becomes the class with the largest win over c; else
    // it stays c, and the signs that are open are returned as questions.
    void check(Call& call, std::size_t c, Tile<T>& tile, std::vector<Question>& open) const;

    // The cost of checking class c for one sample.
    double cost_of_check(Call& call, std::size_t c) const;
    // The mean of it, if so many samples are checked for each class; with that of empty lanes, if in lanes.
    double cost_of_checks(Call& call, const std::vector<std::size_t>& n_of_class, bool in_lanes) const;

    // The samples of each class among so many, before they are guessed, by the vectors of the classes.
    std::vector<std::size_t> expected_classes(std::size_t n_samples) const;

    // The vectors of machine m in one class.
    Segment segment(std::size_t m, std::size_t c) const;

    // Whether the machines between c and the others have vectors of their two classes only, as the check assumes. Other
    // machines (of a bank made by hand) are left to the walk, which reads any vector.
    bool only_their_vectors(const Plan& plan, std::size_t c) const;

    const Prototypes<T>& prototypes(const Threads& threads) const;

    // The first two classes that a machine has vectors of, where the second begins in its list, and how many there are.
    struct Parts {
        std::size_t classes[2] = {};
        std::int64_t split = 0;
        std::size_t n = 0;
    };

    const DenseVectors<T>& v_;
    const Rounding<T>& rounding_;
    const Lanes<T>& lanes_;
    std::vector<Parts> parts_;  // per machine
    mutable std::once_flag prototypes_made_;
    mutable Prototypes<T> prototypes_;
};

}  // namespace dagmar
