// How the machines of a bank are consulted: plans are data, and a Walk follows one for one sample.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/integers.hpp"

namespace dagmar {

enum class PlanKind : int { graph = 0, knockout = 1, poll = 2 };

// Which classes meet next in a knockout.
// fewest_losses: the class with the fewest losses so far meets the next such class it has not met, ties to the lower
//                index, until it has met all (Park & Fuernkranz, Efficient pairwise classification, ECML 2007). The
//                answer is that of Max Wins with ties to the lower index, since losses only grow.
// ranked:        order[0] meets its first rival; then the winner meets the first of its own rivals that is not out
//                (adaptive DDAG: rivals in order of falling separation).
// bracket:       first of the list against last, second against second last, ...; the winners are the next list (ADAG).
// everyone:      all pairs are asked; the fewest losses win, ties to the lower index (AND gate and its fallback).
enum class Rule : int { fewest_losses = 0, ranked = 1, bracket = 2, everyone = 3 };

// An edge of a graph is one number. e >= 0 leads to node e; e = -1 - c leads to the leaf of class c; and
// e = -1 - n_classes - number leads to a list of classes, whose first and last class meet and the loser leaves, until
// one is left. Only these functions know the code (in Python: structures/plans.py).
constexpr bool is_node(std::int64_t edge) { return edge >= 0; }
constexpr std::int64_t leaf_class(std::int64_t edge) { return -1 - edge; }
constexpr bool is_list(std::int64_t edge, std::int32_t n_classes) { return leaf_class(edge) >= n_classes; }
constexpr std::int64_t list_number(std::int64_t edge, std::int32_t n_classes) { return leaf_class(edge) - n_classes; }

// graph:    node v asks machine[v]; a negative value leads along the edge on_negative[v], any other along
//           on_positive[v]. The walk begins at the edge `root`.
// knockout: classes meet in pairs by a rule; machine_of says which machine decides a pair.
// poll:     every machine is asked and the largest value wins, ties to the lower index: machine c speaks for class c.
struct Plan {
    PlanKind kind = PlanKind::poll;
    std::int32_t n_classes = 0;
    // Whether a class that wins all its pairs is always the answer (DDAG and knockouts yes, trees no).
    bool unanimous = false;
    std::int64_t root = 0;
    std::vector<std::int64_t> machine, on_negative, on_positive;  // graph
    std::vector<std::int64_t> list_begin;                         // graph: its lists, one after the other
    std::vector<std::int32_t> list_classes;
    std::vector<std::int64_t> machine_of;  // n_classes x n_classes, i < j; for knockouts, lists and unanimity
    Rule rule = Rule::fewest_losses;
    std::vector<std::int32_t> order;   // bracket: the first list; ranked: the class that begins
    std::vector<std::int32_t> rivals;  // ranked: n_classes x (n_classes - 1)
    // Filled in by checked(): the largest machine that the plan may ask for, -1 if none; and the nodes of a graph that
    // can be reached, each after all its parents.
    std::int64_t largest_machine = -1;
    std::vector<std::int64_t> parents_first;

    std::int64_t machine_for(std::size_t a, std::size_t b) const {
        return machine_of[(a < b ? a : b) * usize(n_classes) + (a < b ? b : a)];
    }
};

// Throws std::invalid_argument unless a walk along the plan stays inside its arrays and ends: sizes, ranges, a machine
// for every pair that may meet, no cycles; and unless a graph keeps its promise of unanimity. Returns the plan with
// what it found filled in. Walks trust their plan.
Plan checked(Plan plan);

// Throws std::invalid_argument unless a bank with these numbers of classes and machines has what the plan asks for.
void check(const Plan& plan, std::size_t n_classes, std::size_t n_machines);

// Follows a plan for one sample: call begin(), then next() for the machine to ask and tell() for the sign of its value,
// until next() is negative.
class Walk {
   public:
    virtual ~Walk() = default;
    virtual void begin() = 0;
    virtual std::int64_t next() = 0;
    virtual void tell(bool positive) = 0;
    virtual std::int32_t answer() const = 0;
};

// Null for polls.
std::unique_ptr<Walk> make_walk(const Plan& plan);

// Walks to the end, asking for the values of machines, and returns the class found.
template <class Ask>
std::int32_t follow(Walk& walk, const Ask& ask) {
    walk.begin();
    for (std::int64_t m = walk.next(); m >= 0; m = walk.next()) walk.tell(ask(m) >= 0);
    return walk.answer();
}

// Whether a class wins all its pairs. If unanimity decides, it is then the answer. Its machines stand far apart in
// memory, so fetch(machine) is called for some that will be asked soon.
template <class Fetch, class Ask>
bool wins_all(const Plan& plan, std::size_t c, const Fetch& fetch, const Ask& ask) {
    constexpr std::size_t ahead = 4;
    const std::size_t n = usize(plan.n_classes);
    for (std::size_t j = 0; j < n; ++j) {
        if (j + ahead < n && j + ahead != c) fetch(plan.machine_for(c, j + ahead));
        if (j != c && (ask(plan.machine_for(c, j)) >= 0) != (j < c)) return false;
    }
    return true;
}

}  // namespace dagmar
