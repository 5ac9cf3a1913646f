// Guess and check: a class is guessed for every sample, and only that class's machines are asked, in lanes.
//
// A class that wins all its pairs is the answer of every plan for which unanimity decides. A sample whose guess lost
// tries the class that beat it by the largest value. Where classes overlap, guesses fail so often that asking all
// machines is cheaper; the first checks decide.
#pragma once

#include <optional>

#include "decide/choices.hpp"
#include "decide/dense_vectors.hpp"
#include "decide/lanes.hpp"
#include "decide/lazy.hpp"
#include "decide/prototypes.hpp"

namespace dagmar {

template <class T>
class Champions {
   public:
    Champions(const DenseVectors<T>& vectors, const Rounding<T>& rounding, const Lanes<T>& lanes)
        : v_(vectors), rounding_(rounding), lanes_(lanes), n_prototypes_(PrototypeCounts(vectors.bank).n()) {}

    std::size_t n_prototypes() const { return n_prototypes_; }

    // Writes the answers it finds to `out`, removes their samples from `open`, and chooses the way for the others.
    // Returns false if a signal stopped it.
    bool decide(const Samples& x, const Plan& plan, const Threads& threads, DecideChoices& choices,
                std::vector<std::int64_t>& open, std::int32_t* out) const;

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
        DecideChoices& choices;
        std::vector<std::int64_t>& open;
        std::int32_t* out;                // -1 where a guess was wrong
        std::vector<std::int32_t> guess;  // per sample
        std::vector<Tile<T>> tiles;       // per worker

        std::vector<std::size_t> n_of_guess() const;  // among the open samples
        std::vector<Piece> pieces_by_guess();         // sorts the open samples
    };

    bool guess_all(Call& call) const;

    // Checks the guesses of these pieces. Returns the share of right ones, or nothing if a signal stopped it.
    std::optional<double> check_all(Call& call, const std::vector<Piece>& pieces) const;

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
    // Values asked for, and open signs among them, as questions.
    struct Checked {
        std::size_t asked = 0, n_open = 0;
        std::vector<Question> open;
    };

    // Asks the machines of class c on the tile.
    Findings ask(const Plan& plan, std::size_t c, Tile<T>& tile) const;
    // The same until few signs are open. Where c loses, the guess becomes the class with the largest win over c; else
    // it stays c, and the signs that are open become questions.
    void check(Call& call, std::size_t c, Tile<T>& tile, Checked& checked) const;

    const DenseVectors<T>& v_;
    const Rounding<T>& rounding_;
    const Lanes<T>& lanes_;
    const std::size_t n_prototypes_;
    Lazy<Prototypes<T>> prototypes_;  // made by the first call that guesses
};

}  // namespace dagmar
