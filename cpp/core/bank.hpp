// The trained machines over one pool of vectors, laid out for decisions.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "kernel.hpp"

namespace dagmar {

// The lists of a bank, read where Python keeps them: machine m has vectors index[begin[m] ... begin[m+1]-1], ascending,
// with coef.
struct BankLists {
    std::vector<std::size_t> class_start;  // the pool is grouped by class
    std::span<const std::int64_t> begin;
    std::span<const std::int32_t> index;
    std::span<const double> coef, bias;
    std::size_t n_machines() const { return bias.size(); }
    std::size_t n_vectors() const { return class_start.back(); }
    std::size_t n_classes() const { return class_start.size() - 1; }
};

// The vectors a machine has in one class: list places begin ... end-1.
struct Segment {
    std::int64_t machine = 0, begin = 0, end = 0;
};

// What every way of deciding reads. The pool is dense (of either type), sparse, or absent for a precomputed kernel,
// where `columns` says which column of a kernel row belongs to a vector. Vectors of an rbf kernel may have gammas of their
// own (a sample that machines of different gammas use is then in the pool once for each).
struct Bank {
    BankLists lists;
    Kernel kernel;
    std::variant<DenseView<double>, DenseView<float>, SparseView> pool;
    std::vector<std::int64_t> columns;
    std::vector<double> gammas;                  // per vector; empty if all have the kernel's
    std::vector<std::vector<Segment>> segments;  // per class

    void index_segments();
    Kernel kernel_of(std::size_t vector) const {
        Kernel own = kernel;
        if (!gammas.empty()) own.gamma = gammas[vector];
        return own;
    }
};

}  // namespace dagmar
