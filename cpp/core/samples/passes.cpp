#include "samples/passes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/costs.hpp"
#include "base/integers.hpp"

namespace dagmar {
namespace {

// Rows that one thread sums at a time.
constexpr std::size_t kPieceRows = 256;
// Partial results of a pass: a single one would wait for every operation.
constexpr std::size_t kSums = 8;

// Calls work(begin, end) for parts of n rows (or numbers) of d features.
template <class Work>
void in_parts(std::size_t n, std::size_t d, Spare& spare, const Work& work) {
    const std::size_t parts = parts_worth(static_cast<double>(n * d), n);
    if (parts == 1) return work(0, n);  // checking one sample is faster than offering it to other threads
    spare.run(parts, [&](std::size_t part) { work(n * part / parts, n * (part + 1) / parts); });
}

// Infinity and NaN have all exponent bits set, so that adding 1 at the lowest exponent bit carries into the sign bit.
// Integer operations vectorise; a sum of floats would have to be added in order. (With one number for all bits, the
// loop is not unrolled and takes 2.4 times as long.)
template <class S>
bool finite(const S* x, std::size_t n) {
    using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<S>::infinity()), lowest = exponent & (~exponent + 1);
    Bits all[kSums] = {};
    const auto add = [&](std::size_t first, std::size_t count) {
        for (std::size_t u = 0; u < count; ++u) all[u] |= (std::bit_cast<Bits>(x[first + u]) & exponent) + lowest;
    };
    for (std::size_t first = 0; first + kSums <= n; first += kSums) add(first, kSums);
    add(n / kSums * kSums, n % kSums);
    return *std::max_element(all, all + kSums) <= exponent;
}

template <class S>
void add_row(const S* x, std::size_t d, double* sums) {
    for (std::size_t f = 0; f < d; ++f) sums[f] += static_cast<double>(x[f]);
}

// Adds the sums of at most kBlockRows samples to `total`.
template <class S>
void add_block(const DenseView<S>& x, Spare& spare, std::vector<double>& total) {
    // Pieces of fixed size: the order of additions must not depend on the number of threads.
    const bool one_piece = static_cast<double>(x.n * x.d) < kWorthSharing;
    const std::size_t pieces = one_piece ? 1 : (x.n + kPieceRows - 1) / kPieceRows;
    std::vector<double> sums(pieces * x.d, 0.0);
    spare.run(pieces, [&](std::size_t piece) {
        for (std::size_t i = x.n * piece / pieces; i < x.n * (piece + 1) / pieces; ++i)
            add_row(x.row(i), x.d, sums.data() + piece * x.d);
    });
    for (std::size_t piece = 1; piece < pieces; ++piece) add_row(sums.data() + piece * x.d, x.d, sums.data());
    add_row(sums.data(), x.d, total.data());
}

template <class S>
double row_norm(const S* x, std::size_t d, const double* centre) {
    double sums[kSums] = {};
    const auto add = [&](std::size_t first, std::size_t n) {
        for (std::size_t u = 0; u < n; ++u) {
            const double term = static_cast<double>(x[first + u]) - centre[first + u];
            sums[u] += term * term;
        }
    };
    for (std::size_t first = 0; first + kSums <= d; first += kSums) add(first, kSums);
    add(d / kSums * kSums, d % kSums);
    for (std::size_t u = 1; u < kSums; ++u) sums[0] += sums[u];
    return sums[0];
}

template <class S>
S largest(const S* x, std::size_t d) {
    S most[kSums] = {};
    const auto compare = [&](std::size_t first, std::size_t n) {
        for (std::size_t u = 0; u < n; ++u) most[u] = std::max(most[u], std::abs(x[first + u]));
    };
    for (std::size_t first = 0; first + kSums <= d; first += kSums) compare(first, kSums);
    compare(d / kSums * kSums, d % kSums);
    return *std::max_element(most, most + kSums);
}

// Adds halves of the numbers, and in each eight sums side by side, so that few roundings are added up.
template <class S, class Term>
double pairwise_sum(const S* x, std::size_t n, const Term& term) {
    constexpr std::size_t kLeaf = 128;
    if (n > kLeaf) {
        const std::size_t half = n / 2 / kSums * kSums;
        return pairwise_sum(x, half, term) + pairwise_sum(x + half, n - half, term);
    }
    double lane[kSums] = {};
    const std::size_t whole = n / kSums * kSums;
    for (std::size_t i = 0; i < whole; i += kSums)
        for (std::size_t l = 0; l < kSums; ++l) lane[l] += term(static_cast<double>(x[i + l]));
    double sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    for (std::size_t i = whole; i < n; ++i) sum += term(static_cast<double>(x[i]));
    return sum;
}

}  // namespace

template <class S>
bool all_finite(const DenseView<S>& x, Spare& spare) {
    std::atomic<bool> found = true;
    in_parts(x.n * x.d, 1, spare, [&](std::size_t begin, std::size_t end) {
        if (!finite(x.row(0) + begin, end - begin)) found = false;
    });
    return found;
}

template <class S>
std::vector<double> column_sums(const DenseView<S>& x, Spare& spare) {
    std::vector<double> total(x.d, 0.0);
    for (std::size_t first = 0; first < x.n; first += kBlockRows)
        add_block(DenseView<S>{x.row(first), std::min(kBlockRows, x.n - first), x.d}, spare, total);
    return total;
}

template <class S>
double sum_of_values(const DenseView<S>& x) {
    return pairwise_sum(x.row(0), x.n * x.d, [](double value) { return value; });
}

template <class S>
double sum_of_squares(const DenseView<S>& x, double mean) {
    return pairwise_sum(x.row(0), x.n * x.d, [mean](double value) { return (value - mean) * (value - mean); });
}

template <class S>
std::vector<double> squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare) {
    std::vector<double> norms(x.n), origin(centre.empty() ? x.d : 0, 0.0);
    const double* from = centre.empty() ? origin.data() : centre.data();
    in_parts(x.n, x.d, spare, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) norms[i] = row_norm(x.row(i), x.d, from);
    });
    return norms;
}

template <class S>
std::vector<double> largest_of_rows(const DenseView<S>& x, Spare& spare) {
    std::vector<double> found(x.n);
    in_parts(x.n, x.d, spare, [&](std::size_t begin, std::size_t end) {
        // A row that was checked is still in the first-level cache when it is compared.
        for (std::size_t i = begin; i < end; ++i)
            found[i] = finite(x.row(i), x.d) ? static_cast<double>(largest(x.row(i), x.d))
                                             : std::numeric_limits<double>::infinity();
    });
    return found;
}

template bool all_finite(const DenseView<float>&, Spare&);
template bool all_finite(const DenseView<double>&, Spare&);
template std::vector<double> column_sums(const DenseView<float>&, Spare&);
template std::vector<double> column_sums(const DenseView<double>&, Spare&);
template std::vector<double> largest_of_rows(const DenseView<float>&, Spare&);
template std::vector<double> largest_of_rows(const DenseView<double>&, Spare&);
template double sum_of_values(const DenseView<float>&);
template double sum_of_values(const DenseView<double>&);
template double sum_of_squares(const DenseView<float>&, double);
template double sum_of_squares(const DenseView<double>&, double);
template std::vector<double> squared_norms(const DenseView<float>&, std::span<const double>, Spare&);
template std::vector<double> squared_norms(const DenseView<double>&, std::span<const double>, Spare&);

}  // namespace dagmar
