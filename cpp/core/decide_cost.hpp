// What deciding costs, to choose between two ways of it: in products of one feature, measured with AVX-512. With AVX2
// all of it takes longer in about the same proportion, and the better way was the same on every set tried.
#pragma once

#include "dense_vectors.hpp"
#include "integers.hpp"

namespace dagmar {

// A kernel value beside its products, a distance, and a term of a machine's sum.
constexpr double kValueCost = 20.0, kDistanceCost = 8.0, kTermCost = 1.5;

template <class T>
double cost_of(const DenseVectors<T>& v, std::size_t n_values, std::size_t n_terms) {
    return static_cast<double>(n_values) * (v.products + kValueCost) + static_cast<double>(n_terms) * kTermCost;
}

// Asking all machines about a sample, or one.
template <class T>
double cost_of_all(const DenseVectors<T>& v) {
    return cost_of(v, v.bank.lists.n_vectors(), v.bank.lists.index.size());
}
template <class T>
double cost_of_machine(const DenseVectors<T>& v, std::size_t m) {
    const std::size_t n = usize(v.bank.lists.begin[m + 1] - v.bank.lists.begin[m]);
    return cost_of(v, n, n);
}

}  // namespace dagmar
