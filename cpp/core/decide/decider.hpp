// Decisions: the values of machines on samples, and the classes that a plan finds with them.
//
// The ways through the same bank (DecideChoices::Way): *one by one* (one_by_one.hpp), a sample reads only the vectors
// of the machines on its path; *in lanes* (lanes.hpp), up to kTile samples share every load of a vector, for all
// machines or for those asked; *guess and check* (champions.hpp) asks only the machines of one class about a sample, in
// lanes.
//
// Values are computed in the bank's precision, or, where only labels are asked for, from features in integer codes
// (grid.hpp). If rounding could change the sign of a value, it is computed again in double, in one fixed way
// (rounding.hpp). So labels are those of double precision, and do not depend on how many samples are decided together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "decide/choices.hpp"
#include "model/bank.hpp"
#include "model/plan.hpp"

namespace dagmar {

// The machines consulted for one sample, in order, with their values.
struct Path {
    std::vector<std::int64_t> machines;
    std::vector<double> values;
    std::int32_t answer = 0;

    double add(std::size_t machine, double value) {
        machines.push_back(static_cast<std::int64_t>(machine));
        values.push_back(value);
        return value;
    }
};

// Safe to use from many threads. Parts that few calls need are made by the first that does (lazy.hpp); nothing else
// changes after construction. Calls that return bool return false if a signal stopped them.
class Decider {
   public:
    virtual ~Decider() = default;
    // out[i * n_machines + m], the value of every machine. With `ranked` it is certain which is the largest.
    virtual bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const = 0;
    virtual bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const = 0;
    virtual bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const = 0;
    // How decide() would go about n samples; without a plan, how values() would.
    virtual DecideChoices choices(const Plan* plan, std::size_t n_samples) const = 0;
};

// The arrays that the bank refers to must outlive the decider. The threads share the work of making it.
std::unique_ptr<Decider> make_decider(Bank bank, Level level, const Threads& threads);

}  // namespace dagmar
