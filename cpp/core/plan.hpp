// How the machines of a bank are consulted: plans are data, and a Walk follows one for one sample.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace dagmar {

enum class PlanKind : int { graph = 0, knockout = 1, poll = 2 };

// Who meets whom in a knockout.
// fewest_losses: the class with the fewest losses so far meets the next such class it has not met, ties to the lower
//                index, until it has met all (Park & Fuernkranz, Efficient pairwise classification, ECML 2007). The answer is
//                that of Max Wins with ties to the lower index, since losses only grow.
// ranked:        `first` meets its first rival; from then on the winner meets the first of its own rivals that is not out
//                (adaptive DDAG: rivals in order of falling separation).
// bracket:       first of the list against last, second against second last, ...; the winners are the next list (ADAG).
// everyone:      all pairs are asked; the fewest losses win, ties to the lower index (AND gate, which falls back to this).
enum class Rule : int { fewest_losses = 0, ranked = 1, bracket = 2, everyone = 3 };

// graph:    node v asks machine[v]; a negative value leads to on_negative[v], any other to on_positive[v]. An edge
//           e >= 0 is a node. An edge e < 0 is the leaf of class -1 - e or, from -1 - n_classes down, the list number
//           -1 - e - n_classes: its first and last class meet, the loser leaves, until one is left. The walk begins at
//           `root` (an edge).
// knockout: classes meet in pairs by a rule; machine_of says which machine decides a pair.
// poll:     every machine is asked and the largest value wins, ties to the lower index: machine c speaks for class c.
struct Plan {
    PlanKind kind = PlanKind::poll;
    std::int32_t n_classes = 0;
    // A class that wins all its pairs is the answer, whatever else the machines say (not so for trees).
    bool unanimous = false;
    std::int64_t root = 0;
    std::vector<std::int64_t> machine, on_negative, on_positive;  // graph
    std::vector<std::int64_t> list_begin;                         // graph: lists at its end, one after the other
    std::vector<std::int32_t> list_class;
    std::vector<std::int64_t> machine_of;  // n_classes x n_classes, i < j; for knockouts, lists and unanimity
    Rule rule = Rule::fewest_losses;
    std::vector<std::int32_t> order;   // bracket: the first list; ranked: who begins
    std::vector<std::int32_t> rivals;  // ranked: n_classes x (n_classes - 1)

    std::int64_t machine_for(std::size_t a, std::size_t b) const {
        return machine_of[(a < b ? a : b) * static_cast<std::size_t>(n_classes) + (a < b ? b : a)];
    }
};

// The machines of a plan for a sample, one after the other: ask next() until it is negative, tell each value's sign.
class Walk {
   public:
    virtual ~Walk() = default;
    virtual void begin() = 0;
    virtual std::int64_t next() = 0;
    virtual void tell(bool positive) = 0;
    virtual std::int32_t answer() const = 0;
};

// For graph and knockout plans.
std::unique_ptr<Walk> make_walk(const Plan& plan);

}  // namespace dagmar
