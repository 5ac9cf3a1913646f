// Signs that rounding cannot change: a value too close to zero for its bound is computed again in double. The bound
// follows from the sizes of a machine's coefficients and terms.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/integers.hpp"
#include "base/parallel.hpp"
#include "decide/exact_values.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

template <class T>
class Rounding {
   public:
    // Kernel values and blocks of kBlock terms are computed in this arithmetic, sums of blocks in double.
    static constexpr Arithmetic kBy = kArithmetic<T>;

    Rounding(const Vectors<T>& vectors, const Threads& threads)
        : exact(vectors.bank, vectors.level), v_(vectors), machines_(vectors.bank.lists.n_machines()) {
        constexpr std::size_t at_once = 8192;  // terms that a thread reads at a time
        const std::size_t n = machines_.size(), n_terms = v_.bank.lists.index.size();
        share_out(n, n * at_once / (n_terms + 1) + 1, threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t m = begin; m < end; ++m) machines_[m] = machine_of(m);
        });
        const auto& gammas = v_.bank.gammas;
        if (!gammas.empty()) smallest_gamma_ = *std::min_element(gammas.begin(), gammas.end());
    }

    // For a sample of this squared norm, after scaling. The kernel's errors add up like a random walk, and so do those
    // of the sum of terms; eight standard errors are allowed for.
    Allowance allowance(T norm2) const {
        return allowance(v_.bank.kernel.unscale2(static_cast<double>(norm2)), v_.largest_norm2());
    }
    // For a sample in integer codes (grid.hpp), this far off. Distances of codes are exact, and their size does not
    // matter: where they are large, and so is their rounding to T, the kernel is small.
    Allowance allowance_of_codes(double off) const {
        Allowance made = allowance(0.0, 0.0);
        made.off = off;
        return made;
    }

    // The value of machine m on sample i, computed again in double if rounding could have changed its sign.
    double certain(const Samples& x, std::size_t i, const Allowance& a, std::size_t m, const Sum& sum) const {
        return is_certain(a, m, sum) ? sum.value : exact.value(x, i, m);
    }

    // Computes those values of sample i again whose rounding could change which is the largest.
    void settle(const Samples& x, std::size_t i, const Allowance& a, std::vector<Sum>& sums) const {
        const std::size_t best = usize(first_largest(sums));
        const double reach = sums[best].value - bound(a, best, sums[best].size);
        std::vector<std::size_t> close;
        for (std::size_t m = 0; m < sums.size(); ++m)  // also where one of them is not a number
            if (!(sums[m].value + bound(a, m, sums[m].size) < reach)) close.push_back(m);
        if (close.size() > 1)
            for (const std::size_t m : close) sums[m].value = exact.value(x, i, m);
    }

    // Whether every class's vectors of machine m have coefficients of one sign, as those of pairs have. Then the size
    // of a sum over a class is the size of its terms, if no kernel value is negative.
    bool one_sided(std::size_t m) const { return machines_[m].one_sided; }

    // The largest rounding error of machine m's value, whatever its terms are.
    double bound(const Allowance& a, std::size_t m) const {
        const Machine& machine = machines_[m];
        if (!(a.off <= kMostOff)) return std::numeric_limits<double>::infinity();
        return a.kernel * machine.root_squares + a.slope * machine.times_gamma + a.term * machine.size +
               a.underflow * machine.count + error_of_off(a.off, m);
    }

    // The same for terms of this size, from kernel values with an error in proportion to themselves: far vectors, which
    // most are, add little to it. The squares of such terms are at most max |c| sum |c| K, as K <= 1.
    double bound(const Allowance& a, std::size_t m, double size) const {
        const double every = bound(a, m);
        return a.relative < kSmallError ? std::min(every, bound_from(a, m, size).value) : every;
    }

    // A line above the bound for terms of any size: the tangent at this size, as the bound is concave.
    struct Line {
        double value, slope;  // at size 0, and per size
        double at(double size) const { return value + slope * size; }
    };
    Line line(const Allowance& a, std::size_t m, double size) const {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        if (!(a.relative < kSmallError) || !(size > 0) || !(size < unknown)) return {bound(a, m), 0.0};
        const Line here = bound_from(a, m, size);
        return {here.value - here.slope * size, here.slope};
    }

    // Whether no rounding within the bound can have changed the sign of a value. NaN is above no bound, and no value is
    // above a bound that is NaN.
    bool is_certain(const Allowance& a, std::size_t m, const Sum& sum) const {
        return std::isfinite(sum.value) &&
               (std::abs(sum.value) >= bound(a, m) || std::abs(sum.value) >= bound(a, m, sum.size));
    }

    // Asks for what is known about machine m to be brought to the cache.
    void fetch(std::size_t m) const { __builtin_prefetch(machines_.data() + m); }

    const ExactValues exact;

   private:
    Allowance allowance(double norm2, double largest_norm2) const {
        const Kernel& kernel = v_.bank.kernel;
        const double largest = kernel.largest(norm2, largest_norm2), term = 2.0 * kBy.unit * largest;
        // A coefficient or a term below the range loses up to the smallest number.
        const double underflow = kBy.smallest * (1.0 + largest);
        const double relative = 8.0 * kernel.relative_error(norm2, largest_norm2, v_.longest, kBy);
        if (v_.bank.gammas.empty())
            return {8.0 * kernel.error(norm2, largest_norm2, v_.longest, kBy), 0.0, term, underflow, relative};
        const auto error = kernel.error_by_gamma(smallest_gamma_, norm2, largest_norm2, v_.longest, kBy);
        return {8.0 * error.flat, 8.0 * error.slope, term, underflow, relative};
    }

    struct Machine {
        double root_squares = 0;  // the root of its squared coefficients
        double times_gamma = 0;   // the same for coefficients times gammas; 0 if all vectors have the kernel's gamma
        double total = 0;         // the sum of the sizes of its coefficients
        double size = 0;          // the same, scaled by the roundings of a sum, and its bias
        double count = 0;         // of its coefficients
        double largest = 0;       // the largest size of a coefficient
        double roundings = 0;     // the most that a term takes part in
        double constant = 0;      // lost whatever the terms are: of the bias, and of values too faint for the kernel
        bool one_sided = true;
    };

    Machine machine_of(std::size_t m) const {
        const auto& lists = v_.bank.lists;
        const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
        const auto class_end = [&](std::size_t t) {
            return *std::upper_bound(lists.class_start.begin(), lists.class_start.end(), usize(lists.index[t]));
        };
        Machine made;
        double squares = 0, by_gamma = 0;
        for (std::size_t t = begin; t < end; ++t) {
            const double size = std::abs(lists.coef[t]);
            squares += size * size;
            made.total += size;
            made.largest = std::max(made.largest, size);
            if (!v_.bank.gammas.empty()) {
                const double c = size * v_.bank.gammas[usize(lists.index[t])];
                by_gamma += c * c;
            }
            if (t > begin && (lists.coef[t] < 0) != (lists.coef[t - 1] < 0) && class_end(t) == class_end(t - 1))
                made.one_sided = false;
        }
        made.root_squares = std::sqrt(squares);
        made.times_gamma = std::sqrt(by_gamma);
        made.count = static_cast<double>(end - begin);
        // Additions that a term takes part in, in units of this arithmetic: those of its block, and those of blocks, of
        // which one in every piece of a class may not be full.
        constexpr double in_block = kFewTerms + kBlock / kFewTerms;
        const double pieces = static_cast<double>(lists.n_classes() + lists.n_vectors() / kPiece);
        const double blocks = made.count / kBlock + pieces;
        const double added = std::min(made.count, in_block) + blocks * kArithmetic<double>.unit / kBy.unit;
        made.roundings = 0.5 * (added + 2.0);  // and of the coefficient, and of the product
        const double bias = std::abs(lists.bias[m]);
        made.constant = kBy.faintest * made.largest * made.count + 2.0 * kArithmetic<double>.unit * bias;
        // A partial sum of one side of the machine alone can be half the sizes.
        made.size = made.total * std::max(1.0, std::sqrt(added) / 2.0) + bias;
        return made;
    }

    // Up to this relative error of kernel values, the size of a sum of such values is the size of the true one but for
    // that share.
    static constexpr double kSmallError = 0.1;

    // Bound on the change of machine m's value, whose terms have this size, by distances that are `off`; and its slope.
    //
    // A distance that is off by e at most, in units of 1 / sqrt(gamma), changes y = gamma |x-z|^2 by t = 2 e sqrt(y) +
    // e^2 at most, and K = exp(-y) by K (exp(t) - 1) <= K (t + t^2) if t <= 1, or by K (2 e sqrt(y) + 8 e^2 y + 2 e^2).
    // As functions of K, K sqrt(y) and K y are concave. So for weights |c| that add up to A, and terms that add up to
    // S, the sum of |c| K sqrt(y) is at most S sqrt(log(A/S)), and that of |c| K y at most S log(A/S). The first is
    // largest where log(A/S) = 1/2, the second where it is 1.
    //
    // A sum of differences that is off by t changes K by K (exp(t) - 1), below 1.05 t K.
    Line error_of_off(double off, std::size_t m, double size) const {
        if (off == 0.0) return {0.0, 0.0};
        if (!(off <= kMostOff)) return {std::numeric_limits<double>::infinity(), 0.0};
        if (v_.bank.kernel.of_differences()) return {1.05 * off * size, 1.05 * off};
        const double total = machines_[m].total;
        const double log = std::log(total / size), root = std::sqrt(std::max(log, 0.5));
        const bool rises = log > 0.5, still = log > 1.0;
        const double with_root = rises ? size * root : kLargestRoot * total;
        const double with_log = still ? size * log : kLargestLog * total;
        return {off * (2.0 * with_root + off * (8.0 * with_log + 2.0 * size)),
                off * (2.0 * (rises ? root - 0.5 / root : 0.0) + off * (8.0 * (still ? log - 1.0 : 0.0) + 2.0))};
    }

    // The same whatever the size of the terms is.
    double error_of_off(double off, std::size_t m) const {
        const double total = machines_[m].total;
        if (v_.bank.kernel.of_differences()) return 1.05 * off * total;
        return off * (2.0 * kLargestRoot + off * (8.0 * kLargestLog + 2.0)) * total;
    }

    Line bound_from(const Allowance& a, std::size_t m, double size) const {
        const Machine& machine = machines_[m];
        const double root = a.relative * std::sqrt(machine.largest * size), each = a.term * machine.roundings;
        const Line off = error_of_off(a.off, m, size);
        // Values too faint for the kernel may be three times as large where it is off.
        const double constant = a.underflow * machine.count + (a.off > 0.0 ? 3.0 : 1.0) * machine.constant;
        // `size` is a computed sum, and so has an error of its own.
        const double more = 1.0 + 2.0 * (a.relative + each);
        return {more * (root + each * size + constant + off.value), more * (0.5 * root / size + each + off.slope)};
    }

    static constexpr double kMostOff = 0.06;  // t <= 1 up to y = 80 log 2, beyond which kernel values are 0
    static constexpr double kLargestRoot = 0.42889, kLargestLog = 0.36788;  // exp(-1/2) sqrt(1/2), exp(-1)

    const Vectors<T>& v_;
    double smallest_gamma_ = 0;  // of the vectors, where they have their own
    std::vector<Machine> machines_;
};

}  // namespace dagmar
