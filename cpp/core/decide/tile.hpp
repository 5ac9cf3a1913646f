// A tile: samples decided side by side, so that every load of a vector serves them all.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "integers/quantized_vectors.hpp"
#include "model/bank.hpp"
#include "model/plan.hpp"
#include "samples/sparse_lanes.hpp"

namespace dagmar {

// The most samples of a tile: eight panels. More would push their features out of the second-level cache.
constexpr std::size_t kTile = 128;

// The integer codes (grid.hpp) that may replace features. Exact codes give kernel values about as precise as float
// ones. Rough codes are faster, but leave more signs open.
enum class Codes { none, exact, rough };

// What rounding may do to the values of one sample.
struct Allowance {
    double kernel;     // per root of a machine's squared coefficients
    double slope;      // the same per coefficients times gammas
    double term;       // per size of its sum
    double underflow;  // per term
    double relative;   // as a share of a kernel value; infinity if values have no such error
    // How far the points between which distances were computed may be from the sample and the vector together, times
    // the root of gamma.
    double off = 0.0;

    // Makes it enough for another sample, too. (No one sample has the largest of all: far from all vectors the errors
    // of kernel values vanish, while those of distances grow.)
    void include(const Allowance& other) {
        for (double Allowance::* field : {&Allowance::kernel, &Allowance::slope, &Allowance::term,
                                          &Allowance::underflow, &Allowance::relative, &Allowance::off})
            this->*field = larger_bound(this->*field, other.*field);
    }
};

// A value of a machine, and the sum of the sizes of its terms; infinity if that is not known.
struct Sum {
    double value, size;
};

// The first place of the largest value.
inline std::int32_t first_largest(const std::vector<Sum>& sums) {
    const auto less = [](const Sum& s, const Sum& t) { return s.value < t.value; };
    return static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end(), less) - sums.begin());
}

// The value of machine m and the size of its terms, from the kernel values of one sample with all vectors.
template <class T>
Sum sum_of_terms(const BankLists& lists, std::size_t m, const T* values) {
    const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    Sum sum{0.0, 0.0};
    for (std::size_t first = begin; first < end; first += kBlock) {
        constexpr std::size_t chains = 4;  // one chain would wait for every addition
        double parts[chains] = {}, sizes[chains] = {};
        const auto add = [&](std::size_t t, std::size_t u) {
            const double term = lists.coef[t] * static_cast<double>(values[usize(lists.index[t])]);
            parts[u] += term;
            sizes[u] += std::abs(term);
        };
        const std::size_t last = std::min(end, first + kBlock);
        std::size_t t = first;
        for (; t + chains <= last; t += chains)
            for (std::size_t u = 0; u < chains; ++u) add(t + u, u);
        for (; t < last; ++t) add(t, 0);
        sum.value += (parts[0] + parts[1]) + (parts[2] + parts[3]);
        sum.size += (sizes[0] + sizes[1]) + (sizes[2] + sizes[3]);
    }
    sum.value += lists.bias[m];  // last: terms that are much smaller would be lost one by one
    return sum;
}

// Terms to add up: list places begin ... end-1 of a machine, all in one class, and a sum for each lane.
struct Part {
    std::int64_t begin, end;
    double* sums;
};

// One per worker: the samples, and scratch memory for what is computed with them.
template <class T>
struct Tile {
    void name(std::span<const std::int64_t> samples) {  // those to load next
        ids = samples.data();
        n = samples.size();
        lanes = padded(n);
    }

    std::size_t n = 0, lanes = 0;  // samples, and the same padded to whole panels
    const std::int64_t* ids = nullptr;
    // The codes that `coded` holds, or none (and null) if `panels` or `sparse` hold the samples.
    Codes codes = Codes::none;
    const QuantizedVectors* grid = nullptr;
    CodePanels coded;
    Buffer<T> panels;
    SparseRows<T> nonzeros;
    SparseLanes<T> sparse;
    T norms[kTile] = {};  // squared
    T sizes[kTile] = {};  // sums of |x_f|: sparse samples, kernels of differences
    Allowance allowance[kTile] = {}, largest_allowance = {};
    std::unique_ptr<Walk> walk;
    Buffer<T> kernel, by_sample;
    Buffer<double> sums, clear;
    std::vector<const T*> row;
    std::vector<T*> out;
    std::vector<Nonzeros<T>> few;
    std::vector<std::int32_t> vectors;
    std::vector<Part> parts, pieces;
};

inline std::vector<std::int64_t> every_sample(const Samples& x) {
    std::vector<std::int64_t> ids(n_samples(x));
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
    return ids;
}

}  // namespace dagmar
