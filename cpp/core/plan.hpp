// How the machines of a bank are consulted: plans are data, and a Walk follows one for one sample.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace dagmar {

enum class PlanKind : int { graph = 0, knockout = 1, poll = 2 };

// graph:    node v asks machine[v]; a negative value leads to on_negative[v], any other to on_positive[v]. An edge
//           e >= 0 is a node, e < 0 is the leaf of class -1 - e. The walk begins at `root` (an edge).
// knockout: classes meet in pairs; machine_of says which machine decides a pair. The rule is "fewest losses": the class
//           with the fewest losses so far meets the next such class it has not met, ties to the lower index, until it
//           has met all (Park & Fuernkranz, Efficient pairwise classification, ECML 2007). The answer is that of Max Wins
//           with ties to the lower index, since losses only grow.
// poll:     every machine is asked and the largest value wins, ties to the lower index: machine c speaks for class c.
struct Plan {
    PlanKind kind = PlanKind::poll;
    std::int32_t n_classes = 0;
    std::int64_t root = 0;
    std::vector<std::int64_t> machine, on_negative, on_positive;  // graph
    std::vector<std::int64_t> machine_of;                         // knockout: n_classes x n_classes, i < j
    // A class that wins all its pairs is the answer, whatever else the machines say (not so for trees). `machine_of` is
    // then given for graphs too.
    bool unanimous = false;
};

// The machine of a plan for a sample, one after the other: ask next() until it is negative, tell each value's sign.
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
