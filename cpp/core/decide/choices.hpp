// How decisions are made: of several ways to the same labels, the one that is likely to take the least time.
//
// All such choices are made here; only which integer codes a bank has is chosen once, in grid.hpp. Every way finds the
// same labels, so a poor choice only costs time.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/costs.hpp"
#include "decide/tile.hpp"
#include "model/plan.hpp"

namespace dagmar {

// What is known about the vectors of a bank when a choice is made.
struct VectorFacts {
    const Bank& bank;
    bool sparse = false;        // as they are handled (`decides_sparse`)
    Codes codes = Codes::none;  // the fastest there are
    bool has_exact_codes = false;
    double products = 0;           // of a kernel value with these codes, on average
    std::size_t n_prototypes = 0;  // for guesses; 0 for sparse vectors, whose classes are not guessed
};

struct DecideChoices {
    // one_by_one:      each sample by itself, with the vectors of the machines on its path (one_by_one.hpp).
    // all_in_lanes:    all machines, many samples side by side (lanes.hpp).
    // asked_in_lanes:  kernel values of many samples side by side, then only the machines on each sample's path. If
    //                  classes are guessed, first those of the guess, and samples with the same guess come together:
    //                  with many classes, most of the time goes into reading machines from memory.
    // guess_and_check: a class is guessed for each sample, and only its machines are asked (champions.hpp).
    enum class Way { one_by_one, all_in_lanes, asked_in_lanes, guess_and_check };

    Way way = Way::one_by_one;
    bool guesses = false;  // whether a class is guessed for each sample
    Codes codes = Codes::none;

    // For the labels that a plan finds.
    static DecideChoices of(const VectorFacts& vectors, const Plan& plan, std::size_t n_samples, const Costs& costs);
    // For the values of all machines: they must have the same bits in any tile, so there are no codes.
    static DecideChoices of_values() {
        DecideChoices choices;
        choices.way = Way::all_in_lanes;
        return choices;
    }

    // In words, for people.
    std::vector<std::string> words() const;

    // Revised as samples are checked (guess_and_check).
    // Whether it pays to check guesses, n_of_class of each class, if this share of them is right.
    bool check_pays(const std::vector<std::size_t>& n_of_class, double right) const;
    // The share of right guesses to expect in the first, second, ... round, before some were checked.
    static constexpr double kExpected[] = {0.85, 0.5, 0.5};
    // If many of the signs that were asked for are open, later rounds use exact codes. (A few samples show nothing.)
    void note_open(std::size_t asked, std::size_t open) {
        if (static_cast<double>(open) > 0.05 * static_cast<double>(asked) + 16) codes = std::min(codes, Codes::exact);
    }
    // Chooses the way for samples that are left over, given how often each class would be the next guess.
    void choose_for_rest(const std::vector<std::size_t>& n_of_class);

    // Whether values in rough codes leave too many signs open: then computing them again in other codes is faster than
    // computing each open one in double.
    static bool too_rough(std::size_t asked, std::size_t open) {
        return static_cast<double>(open) > 0.1 * static_cast<double>(asked);
    }

   private:
    double cost_of_checks(const std::vector<std::size_t>& n_of_class, bool in_lanes) const;

    Way in_lanes_ = Way::all_in_lanes;  // if nothing is guessed
    bool has_exact_codes_ = false;
    double all_cost_ = 0;             // of deciding without guesses, per sample
    std::vector<double> check_cost_;  // of checking a guess of each class in lanes, per sample
};

// How many of n samples go into a tile: few enough for every thread to have several tiles, so that threads finish
// together, and for n_kept numbers per lane to stay in the second-level cache.
std::size_t tile_width(std::size_t n, int n_threads, std::size_t n_kept = 0);

// Whether a linear bank is decided with one weight vector per machine. With more machines than vectors, weights would
// take more memory and time than the vectors.
bool uses_weights(const Bank& bank);

// Whether the vectors of a bank, and samples with them, are handled as sparse ones.
bool decides_sparse(const Bank& bank);

// Whether vectors are so short that one sample against all vectors of a group takes less time than against those that
// a machine needs.
bool evaluates_groups(const Bank& bank);

}  // namespace dagmar
