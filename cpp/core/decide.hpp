// Decisions: the values of machines on samples, and the classes a plan finds with them.
//
// There are two ways through the same bank. *Alone* (decide_alone.hpp): one sample at a time; it reads only the vectors
// of the machines on its path, each at most once. *In lanes* (decide_lanes.hpp): up to kTile samples side by side, so
// that every load of a vector serves them all; used for many samples.
//
// The champion check (decide_champions.hpp) serves many dense samples and plans for which unanimity decides: it guesses
// a class for every sample and asks only that class's machines, in lanes. A class that wins all its pairs is the
// answer.
//
// Values are computed in the bank's precision, or, where only labels are asked for, from features rounded to small
// integers (grid.hpp). If rounding could change the sign of a value, it is computed again in double, in one fixed way
// (decide_rounding.hpp). So labels are those of double precision, and do not depend on how many samples are decided
// together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bank.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace dagmar {

constexpr std::size_t kTile = 128;  // samples side by side in lanes: eight panels

// What kernel values are for. Those of decision values have the same bits in every tile; others only need to lead to
// the right labels, and some may be so rough that many signs are open, or serve to guess a label only.
enum class Use { values, labels, rough_labels, guesses };

// The machines consulted for one sample, in order, with their values.
struct Path {
    std::vector<std::int64_t> machines;
    std::vector<double> values;
    std::int32_t answer = 0;
};

// Immutable after construction and safe to use from many threads. Every call returns false if a signal stopped it.
class Decider {
   public:
    virtual ~Decider() = default;
    // out[i * n_machines + m], the value of every machine. With `ranked` the order of the largest is certain too.
    virtual bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const = 0;
    virtual bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const = 0;
    virtual bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const = 0;
};

// The arrays that the bank refers to must outlive the decider. The threads share the work of making it.
std::unique_ptr<Decider> make_decider(Bank bank, Level level, const Threads& threads);

// One kind of vectors each (decide_dense, decide_linear, decide_sparse, decide_precomputed.cpp).
template <class T>
std::unique_ptr<Decider> dense_decider(Bank bank, Level level, const Threads& threads);
template <class T>
std::unique_ptr<Decider> sparse_decider(Bank bank, Level level, const Threads& threads);
std::unique_ptr<Decider> linear_decider(Bank bank, Level level, const Threads& threads);  // of dense vectors
std::unique_ptr<Decider> precomputed_decider(Bank bank);

}  // namespace dagmar
