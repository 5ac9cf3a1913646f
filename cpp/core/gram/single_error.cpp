#include "gram/single_error.hpp"

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
class Values {
   public:
    Values(const GramRows<T>& gram, std::span<const std::int32_t> asked)
        : width_(padded(gram.class_size(0))), values_(aligned_array<T>(width_ * asked.size())) {
        std::vector<T*> to;
        for (std::size_t q = 0; q < asked.size(); ++q) to.push_back(values_.get() + q * width_);
        GramScratch<T> scratch;
        gram.rows(asked.data(), asked.size(), 0, gram.gamma(), to.data(), scratch);
    }
    double at(std::size_t q, std::size_t k) const { return static_cast<double>(values_[q * width_ + k]); }

   private:
    std::size_t width_;
    Aligned<T> values_;
};

}  // namespace

double single_error(const Problem& problem, std::span<const std::int32_t> asked, Level level, Spare& spare) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t n = problem.class_size(0), d = n_features(problem.x);
    const std::size_t n_pieces =
        parts_worth(static_cast<double>(asked.size() * padded(n) * d), kMostPieces, 2 * kWorthWaking);
    std::unique_ptr<GramRows<float>> coarse;
    std::unique_ptr<GramRows<double>> fine;
    const auto make = [&](std::size_t i) {
        i == 0 ? void(fine = make_gram<double>(problem, level, spare))
               : void(coarse = make_gram<float>(problem, level, spare));
    };
    if (n_pieces == 1)
        make(0), make(1);
    else
        spare.run(2, make);
    std::vector<double> largest(n_pieces, 0.0);
    spare.run(n_pieces, [&](std::size_t piece) {
        const std::size_t first = asked.size() * piece / n_pieces;
        const auto some = asked.subspan(first, asked.size() * (piece + 1) / n_pieces - first);
        const Values<float> single(*coarse, some);
        const Values<double> exact(*fine, some);
        for (std::size_t q = 0; q < some.size(); ++q)
            for (std::size_t k = 0; k < n; ++k) {
                const double difference = std::abs(single.at(q, k) - exact.at(q, k));
                largest[piece] = std::max(largest[piece], std::isnan(difference) ? infinity : difference);
            }
    });
    return *std::max_element(largest.begin(), largest.end());
}

}  // namespace dagmar
