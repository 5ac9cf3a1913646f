// Coupling: from the probabilities of all pairs of classes to the probabilities of the classes.
//
// With r_ij the probability of class i if only i and j are possible, the second method of Wu, Lin & Weng (2004) finds
// the p with sum 1 that minimises the sum of (r_ji p_i - r_ij p_j)^2 over all pairs. Then Q p = multiplier e for the
// symmetric matrix Q with the diagonal entries Q_ii = sum_j r_ji^2 and the others Q_ij = -r_ji r_ij. So p is the
// solution of Q p = e, divided by its sum.
//
// The system is solved at once, not by the iteration of the paper, which LIBSVM ends at an error of 0.005 / n_classes.
// It is scaled to a diagonal of 1, because the diagonal entry of a certain class is tiny. The error of the solution is
// about that of rounding, which is not good enough for the least probable classes. So the equations p_i = (sum_j r_ji
// r_ij p_j + multiplier) / Q_ii are applied once to the solution: all their terms are positive, and the large ones are
// accurate.
#pragma once

#include <span>

#include "decide/decider.hpp"
#include "probabilities/sigmoids.hpp"

namespace dagmar {

// p[i * k + c] of n samples, from later[i * n_pairs + pair], the probability of the later class of each pair.
void couple(const double* later, std::size_t n, std::size_t k, Level level, const Threads& threads, double* p);

// The same from the values of machines; machine[pair] is that of each pair. Returns false if a signal stopped it.
bool couple_values(const Decider& decider, const Samples& x, const Sigmoids& sigmoids,
                   std::span<const std::int64_t> machine, std::size_t k, Level level, const Threads& threads,
                   double* p);

}  // namespace dagmar
