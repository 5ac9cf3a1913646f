#include "samples/passes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "base/costs.hpp"
#include "base/integers.hpp"

namespace dagmar {
namespace {

// Rows that are added in one pass over the sums, which are then read and written once for all of them; and rows that
// one thread sums at a time.
constexpr std::size_t kRowsAtOnce = 8, kPieceRows = 256;
// Partial sums of a norm: one sum would wait for every addition.
constexpr std::size_t kSums = 8;

// Calls work(begin, end) for parts of n rows (or numbers) of d features.
template <class Work>
void in_parts(std::size_t n, std::size_t d, Spare& spare, const Work& work) {
    const std::size_t parts = parts_worth(static_cast<double>(n * d), n);
    if (parts == 1) return work(0, n);  // checking one sample is faster than offering it to other threads
    spare.run(parts, [&](std::size_t part) { work(n * part / parts, n * (part + 1) / parts); });
}

// Infinity and NaN have all exponent bits set, so that adding 1 at the lowest exponent bit carries into the sign bit.
// Integer operations vectorise; a sum of floats would have to be added in order.
template <class S>
bool finite(const S* x, std::size_t n) {
    using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<S>::infinity()), lowest = exponent & (~exponent + 1);
    Bits all = 0;
    for (std::size_t k = 0; k < n; ++k) all |= (std::bit_cast<Bits>(x[k]) & exponent) + lowest;
    return all <= exponent;
}

template <std::size_t Rows, class S>
void add_rows(const S* x, std::size_t d, double* sums) {
    for (std::size_t f = 0; f < d; ++f) {
        double sum = sums[f];
        for (std::size_t i = 0; i < Rows; ++i) sum += static_cast<double>(x[i * d + f]);
        sums[f] = sum;
    }
}

// Adds the sums of at most kBlockRows samples to `total`.
template <class S>
void add_block(const DenseView<S>& x, Spare& spare, std::vector<double>& total) {
    // Pieces of fixed size: the order of additions must not depend on the number of threads.
    const bool one_piece = static_cast<double>(x.n * x.d) < kWorthSharing;
    const std::size_t pieces = one_piece ? 1 : (x.n + kPieceRows - 1) / kPieceRows;
    std::vector<double> sums(pieces * x.d, 0.0);
    spare.run(pieces, [&](std::size_t piece) {
        std::size_t i = x.n * piece / pieces;
        const std::size_t end = x.n * (piece + 1) / pieces;
        double* own = sums.data() + piece * x.d;
        for (; i + kRowsAtOnce <= end; i += kRowsAtOnce) add_rows<kRowsAtOnce>(x.row(i), x.d, own);
        for (; i < end; ++i) add_rows<1>(x.row(i), x.d, own);
    });
    for (std::size_t piece = 1; piece < pieces; ++piece) add_rows<1>(sums.data() + piece * x.d, x.d, sums.data());
    add_rows<1>(sums.data(), x.d, total.data());
}

template <class S, class Origin>
double row_norm(const S* x, std::size_t d, const Origin& origin) {
    double sums[kSums] = {};
    const auto add = [&](std::size_t f, std::size_t u) {
        const double term = static_cast<double>(x[f + u]) - origin(f + u);
        sums[u] += term * term;
    };
    std::size_t f = 0;
    for (; f + kSums <= d; f += kSums)
        for (std::size_t u = 0; u < kSums; ++u) add(f, u);
    for (std::size_t u = 0; f + u < d; ++u) add(f, u);
    for (std::size_t u = 1; u < kSums; ++u) sums[0] += sums[u];
    return sums[0];
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
std::vector<double> squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare) {
    std::vector<double> norms(x.n);
    in_parts(x.n, x.d, spare, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            norms[i] = centre.empty() ? row_norm(x.row(i), x.d, [](std::size_t) { return 0.0; })
                                      : row_norm(x.row(i), x.d, [&](std::size_t f) { return centre[f]; });
    });
    return norms;
}

template <class S>
void copy_rows(const DenseView<S>& x, std::span<const std::int64_t> index, Spare& spare, S* out) {
    in_parts(index.size(), x.d, spare, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) std::copy_n(x.row(usize(index[i])), x.d, out + i * x.d);
    });
}

template bool all_finite(const DenseView<float>&, Spare&);
template bool all_finite(const DenseView<double>&, Spare&);
template std::vector<double> column_sums(const DenseView<float>&, Spare&);
template std::vector<double> column_sums(const DenseView<double>&, Spare&);
template std::vector<double> squared_norms(const DenseView<float>&, std::span<const double>, Spare&);
template std::vector<double> squared_norms(const DenseView<double>&, std::span<const double>, Spare&);
template void copy_rows(const DenseView<float>&, std::span<const std::int64_t>, Spare&, float*);
template void copy_rows(const DenseView<double>&, std::span<const std::int64_t>, Spare&, double*);

}  // namespace dagmar
