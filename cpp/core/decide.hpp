// Decisions: the values of machines on samples, and the classes a plan finds with them.
//
// Two ways through the same bank. *Alone*: one sample, the vectors of the machines on its path, each at most once.
// *In lanes*: up to kTile samples side by side, every load of a vector serves them all; used for many samples.
//
// Champion check (many samples, a plan for which unanimity decides): guess a class for every sample, ask the guess's
// machines only, in lanes; a class that wins all its pairs is the answer. A sample whose guess lost tries the class
// that beat it hardest, and after a few tries walks the plan alone.
//
// Values are computed in the bank's precision. A value whose sign its rounding could change is computed again in double,
// in one fixed way: labels are those of double precision, and do not depend on how many samples are decided together.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "bank.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace dagmar {

// Rows to decide: of features, or (precomputed kernel) of kernel values against the training samples.
using Samples = std::variant<DenseView<double>, DenseView<float>, SparseView>;

struct Threads {
    int n = 1;
    Poll poll;
};

// The machines consulted for one sample, in order, with their values.
struct Path {
    std::vector<std::int64_t> machines;
    std::vector<double> values;
    std::int32_t answer = 0;
};

// Immutable after construction and safe to use from many threads. Every call returns false if poll asked to stop.
class Decider {
   public:
    virtual ~Decider() = default;
    // out[i * n_machines + m], the value of every machine. With `ranked` the order of the largest is certain too.
    virtual bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const = 0;
    virtual bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const = 0;
    virtual bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const = 0;
};

// centre: subtracted from dense samples before anything else, empty for none. The bank's pool must outlive the decider.
std::unique_ptr<Decider> make_decider(Bank bank, bool single, std::vector<double> centre, Level level);

}  // namespace dagmar
