// The trained machines over one pool of vectors, laid out for decisions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "samples/kernel.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// The vectors a machine has in one class: list places begin ... end-1.
struct Segment {
    std::int64_t machine = 0, begin = 0, end = 0;
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

// The lists of a bank, read where Python keeps them: machine m has vectors index[begin[m] ... begin[m+1]-1], ascending,
// with coef.
struct BankLists {
    std::vector<std::size_t> class_start;  // the pool is grouped by class
    std::span<const std::int64_t> begin;
    std::span<const std::int32_t> index;
    std::span<const double> coef, bias;
    std::size_t n_machines() const { return bias.size(); }
    std::size_t n_terms(std::size_t machine) const { return usize(begin[machine + 1] - begin[machine]); }
    std::size_t n_vectors() const { return class_start.back(); }
    std::size_t n_classes() const { return class_start.size() - 1; }
};

// The vectors of a class meet many samples in pieces of this many: their kernel values stay in the second-level cache
// until they are summed.
constexpr std::size_t kPiece = 512;

// The least vectors that a sample alone is compared with at once: fewer take as long, because every sum waits for its
// additions.
constexpr std::size_t kGroup = 8 * kLanes;

// What every way of deciding reads; class_start, segments and groups are its own, the other arrays must outlive it.
// `vectors` is the pool: dense (of either type), sparse, or absent for a precomputed kernel, where `support` says which
// column of a kernel row belongs to a vector. Each vector of a kernel of a distance may have its own gamma (a sample
// that machines of different gammas use is then in the pool once for each).
struct Bank {
    BankLists lists;
    Kernel kernel;
    Samples vectors;
    std::span<const std::int64_t> support;
    std::span<const double> centre;  // subtracted from dense samples and vectors before anything else; empty for none
    // Weights only (linear.hpp), which are centred already: the bank that they were made of.
    const Bank* whole = nullptr;
    Precision precision = Precision::double_;
    std::span<const double> gammas;              // per vector; empty if all have the kernel's
    std::vector<std::vector<Segment>> segments;  // per class
    std::vector<std::size_t> terms, others;      // per class: terms of its machines, and those of other classes
    std::vector<std::int64_t> splits;            // per machine, where the vectors of its first class end in its list
    std::vector<std::size_t> groups;             // where each group of adjacent classes begins in the pool, and its end

    void index_segments();  // makes segments, terms, others, splits and groups
    // The vectors that a machine between two classes has in class c.
    Segment segment(std::size_t machine, std::size_t c) const;
    Kernel kernel_of(std::size_t vector) const { return gammas.empty() ? kernel : kernel.with_gamma(gammas[vector]); }
};

// Throws std::invalid_argument if a value has no sign: kernel values beyond the range of double leave none.
void check_value(double value);

// The larger of two bounds, or of norms that bounds depend on; infinity if the second is not a number, so that no bound
// forgets it.
inline double larger_bound(double a, double b) {
    return std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

// Throws std::invalid_argument unless the lists fit together and lead nowhere outside the pool (a model file may be
// damaged), and all numbers are finite.
void check(const Bank& bank);

// The number of columns that samples must have: the features of the vectors. The rows of a precomputed kernel must have
// at least those that `support` names.
std::size_t columns_needed(const Bank& bank);

// Throws std::invalid_argument unless the bank, which needs `columns_needed` columns, can read these samples.
void check(const Bank& bank, std::size_t columns_needed, const Samples& x);

}  // namespace dagmar
