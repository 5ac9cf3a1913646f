// A trained machine.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/problem.hpp"
#include "train/choices.hpp"

namespace dagmar {

// value(x) = sum coef K(sample, x) + bias, positive for the classes with side +1.
struct Machine {
    std::vector<std::int32_t> sample;  // training samples in class order, ascending
    std::vector<double> coef;
    double bias = 0, objective = 0, norm2 = 0, gap = 0, seconds = 0;
    std::int64_t iterations = 0, rows_computed = 0, rows_reused = 0;
    Status status = Status::converged;
    bool refined = false;     // by kernel values in double precision: its scores, or all of it
    bool in_double = false;   // solved again in double precision
    bool indefinite = false;  // the kernel matrix is not positive semi-definite: see Solution
    RowsWay rows = RowsWay::kept;
    std::int64_t visits = 0, free_steps = 0;  // see Solution
    std::int64_t merged = 0;                  // samples that were left out because others of their class are equal
    std::vector<double> outside;  // if asked for: its values on the task's samples of cap 0, in the task's order
};

}  // namespace dagmar
