#include "samples/sums.hpp"

#include <algorithm>

#include "base/costs.hpp"

namespace dagmar {
namespace {

// Rows that are added in one pass over the sums, which are then read and written once for all of them.
constexpr std::size_t kRowsAtOnce = 8;
// Partial sums of a norm: one sum would wait for every addition.
constexpr std::size_t kSums = 8;

template <std::size_t Rows, class S>
void add_some_rows(const S* x, std::size_t d, double* sums) {
    for (std::size_t f = 0; f < d; ++f) {
        double sum = sums[f];
        for (std::size_t i = 0; i < Rows; ++i) sum += static_cast<double>(x[i * d + f]);
        sums[f] = sum;
    }
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

template <class S>
void add_rows(const S* x, std::size_t n_rows, std::size_t n_features, double* sums) {
    std::size_t i = 0;
    for (; i + kRowsAtOnce <= n_rows; i += kRowsAtOnce)
        add_some_rows<kRowsAtOnce>(x + i * n_features, n_features, sums);
    for (; i < n_rows; ++i) add_some_rows<1>(x + i * n_features, n_features, sums);
}

// Rows that one thread sums at a time.
constexpr std::size_t kPieceRows = 256;

// Adds the sums of at most kBlockRows samples to `total`.
template <class S>
void add_block(const DenseView<S>& x, Spare& spare, std::vector<double>& total) {
    // Pieces of fixed size: the order of additions must not depend on the number of threads.
    const bool one_piece = static_cast<double>(x.n * x.d) < kWorthSharing;
    const std::size_t pieces = one_piece ? 1 : (x.n + kPieceRows - 1) / kPieceRows;
    std::vector<double> sums(pieces * x.d, 0.0);
    spare.run(pieces, [&](std::size_t piece) {
        const std::size_t first = x.n * piece / pieces, end = x.n * (piece + 1) / pieces;
        add_rows(x.row(first), end - first, x.d, sums.data() + piece * x.d);
    });
    for (std::size_t piece = 1; piece < pieces; ++piece)
        for (std::size_t f = 0; f < x.d; ++f) sums[f] += sums[piece * x.d + f];
    for (std::size_t f = 0; f < x.d; ++f) total[f] += sums[f];
}

}  // namespace

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
    const std::size_t parts = parts_worth(static_cast<double>(x.n * x.d), x.n);
    spare.run(parts, [&](std::size_t part) {
        const std::size_t first = x.n * part / parts, end = x.n * (part + 1) / parts;
        for (std::size_t i = first; i < end; ++i)
            norms[i] = centre.empty() ? row_norm(x.row(i), x.d, [](std::size_t) { return 0.0; })
                                      : row_norm(x.row(i), x.d, [&](std::size_t f) { return centre[f]; });
    });
    return norms;
}

template std::vector<double> column_sums(const DenseView<float>&, Spare&);
template std::vector<double> column_sums(const DenseView<double>&, Spare&);
template std::vector<double> squared_norms(const DenseView<float>&, std::span<const double>, Spare&);
template std::vector<double> squared_norms(const DenseView<double>&, std::span<const double>, Spare&);

}  // namespace dagmar
