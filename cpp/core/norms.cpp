#include "norms.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "integers.hpp"
#include "memory.hpp"
#include "row_sums.hpp"

namespace dagmar {
namespace {

// Numbers of samples that are worth another thread.
constexpr std::size_t kWorthAThread = std::size_t{1} << 17;
// Rows that are summed one after the other, where there are many numbers.
constexpr std::size_t kPiece = 256;

// Of what is not finite, all bits of the exponent are set: one more at its lowest place makes the number negative.
// (Integers are compared several at a time; a sum of floats would be added one after the other.)
template <class S>
bool finite(const S* x, std::size_t n) {
    using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<S>::infinity()), lowest = exponent & (~exponent + 1);
    Bits all = 0;
    for (std::size_t k = 0; k < n; ++k) all |= (std::bit_cast<Bits>(x[k]) & exponent) + lowest;
    return all <= exponent;
}

}  // namespace

template <class S>
bool all_finite(const DenseView<S>& x, Spare& spare) {
    const std::size_t n = x.n * x.d, parts = n / kWorthAThread + 1;
    if (parts == 1) return finite(x.row(0), n);  // one sample takes less time than to offer it to other threads
    std::atomic<bool> found = true;
    spare.run(parts, [&](std::size_t part) {
        const std::size_t begin = n * part / parts;
        if (!finite(x.row(0) + begin, n * (part + 1) / parts - begin)) found = false;
    });
    return found;
}

template <class S>
void squared_norms(const DenseView<S>& x, std::span<const double> centre, Spare& spare, double* out) {
    const RowSums<S>& sums = row_sums<S>(best_level());
    const std::size_t parts = std::max<std::size_t>(1, x.n * x.d / kWorthAThread);
    spare.run(parts, [&](std::size_t part) {
        const std::size_t first = x.n * part / parts, end = x.n * (part + 1) / parts;
        sums.squared_norms(x.row(first), end - first, x.d, centre.empty() ? nullptr : centre.data(), out + first);
    });
}

template <class S>
void column_sums(const DenseView<S>& x, Spare& spare, double* sums) {
    // Pieces of fixed size, so that the order of a sum does not depend on the threads.
    const std::size_t pieces = x.n * x.d < kWorthAThread ? 1 : (x.n + kPiece - 1) / kPiece;
    std::vector<double> all(pieces * x.d, 0.0);
    spare.run(pieces, [&](std::size_t piece) {
        const std::size_t first = x.n * piece / pieces, end = x.n * (piece + 1) / pieces;
        row_sums<S>(best_level()).add_rows(x.row(first), end - first, x.d, all.data() + piece * x.d);
    });
    std::copy(all.data(), all.data() + x.d, sums);
    for (std::size_t piece = 1; piece < pieces; ++piece)
        for (std::size_t f = 0; f < x.d; ++f) sums[f] += all[piece * x.d + f];
}

template <class S>
bool more_nonzeros(const DenseView<S>& x, std::size_t most) {
    const std::size_t n = x.n * x.d;
    std::size_t count = 0;
    for (std::size_t first = 0; first < n && count <= most; first += kPiece * kPiece)
        count += row_sums<S>(best_level()).count_nonzero(x.data + first, std::min(n - first, kPiece * kPiece));
    return count > most;
}

template <class S>
void copy_rows(const DenseView<S>& x, std::span<const std::int64_t> index, Spare& spare, S* out) {
    const std::size_t n = index.size(), parts = std::max<std::size_t>(1, n * x.d / kWorthAThread);
    spare.run(parts, [&](std::size_t part) {
        for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i)
            copy_past_caches(x.row(usize(index[i])), out + i * x.d, x.d);
        end_of_copies();
    });
}

template bool all_finite(const DenseView<float>&, Spare&);
template bool all_finite(const DenseView<double>&, Spare&);
template void column_sums(const DenseView<float>&, Spare&, double*);
template void column_sums(const DenseView<double>&, Spare&, double*);
template bool more_nonzeros(const DenseView<float>&, std::size_t);
template bool more_nonzeros(const DenseView<double>&, std::size_t);
template void copy_rows(const DenseView<float>&, std::span<const std::int64_t>, Spare&, float*);
template void copy_rows(const DenseView<double>&, std::span<const std::int64_t>, Spare&, double*);
template void squared_norms(const DenseView<float>&, std::span<const double>, Spare&, double*);
template void squared_norms(const DenseView<double>&, std::span<const double>, Spare&, double*);

Measured samples_to_measure(std::span<const double> norms, std::size_t n_rows, std::size_t n_spread) {
    const std::size_t n = norms.size(), n_far = std::min(n, n_rows / 2);
    n_spread = std::min(n, n_spread);
    Measured measured;
    auto& samples = measured.samples;
    samples.resize(n);
    std::iota(samples.begin(), samples.end(), std::int64_t{0});
    const auto farther = [&](std::int64_t i, std::int64_t j) {
        return std::tuple(norms[usize(j)], i) < std::tuple(norms[usize(i)], j);
    };
    std::partial_sort(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(n_far), samples.end(), farther);
    samples.resize(n_far);
    std::vector<bool> is_far(n);
    for (const std::int64_t i : samples) is_far[usize(i)] = true;
    for (std::size_t k = 0; k < n_spread; ++k)
        if (const std::size_t i = k * n / n_spread; !is_far[i]) samples.push_back(static_cast<std::int64_t>(i));
    const std::size_t step = std::max(std::size_t{1}, 2 * (samples.size() - n_far) / n_rows);
    for (std::size_t row = 0; row < samples.size(); row += row < n_far ? 1 : step)
        measured.rows.push_back(static_cast<std::int32_t>(row));
    return measured;
}

}  // namespace dagmar
