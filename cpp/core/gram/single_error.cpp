#include <algorithm>
#include <cmath>
#include <limits>

#include "base/costs.hpp"
#include "gram/gram.hpp"

namespace dagmar {
namespace {

// Many rows together are faster than few, so there are at most this many pieces.
constexpr std::size_t kMostPieces = 4;

// The kernel values of some rows against class 0, one row after the other.
template <class T>
Aligned<T> values_of(const GramRows<T>& gram, std::span<const std::int32_t> asked) {
    const std::size_t width = padded(gram.class_size(0));
    auto values = aligned_array<T>(width * asked.size());
    std::vector<T*> to;
    for (std::size_t q = 0; q < asked.size(); ++q) to.push_back(values.get() + q * width);
    GramScratch<T> scratch;
    gram.rows(asked.data(), asked.size(), 0, gram.gamma(), to.data(), scratch);
    return values;
}

}  // namespace

double single_error(const Problem& problem, std::span<const std::int32_t> asked, Level level, Spare& spare) {
    const std::size_t n = problem.class_size(0), width = padded(n), d = n_features(problem.x);
    const std::size_t n_pieces =
        parts_worth(static_cast<double>(asked.size() * width * d), kMostPieces, 2 * kWorthWaking);
    const auto coarse = make_gram<float>(problem, level, spare);
    const auto fine = make_gram<double>(problem, level, spare);
    std::vector<double> largest(n_pieces, 0.0);
    spare.run(n_pieces, [&](std::size_t piece) {
        const std::size_t first = asked.size() * piece / n_pieces;
        const auto some = asked.subspan(first, asked.size() * (piece + 1) / n_pieces - first);
        const auto single = values_of(*coarse, some);
        const auto exact = values_of(*fine, some);
        for (std::size_t q = 0; q < some.size(); ++q)
            for (std::size_t k = q * width; k < q * width + n; ++k) {
                const double difference = std::abs(static_cast<double>(single[k]) - exact[k]);
                const double error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
                largest[piece] = std::max(largest[piece], error);
            }
    });
    return *std::max_element(largest.begin(), largest.end());
}

}  // namespace dagmar
