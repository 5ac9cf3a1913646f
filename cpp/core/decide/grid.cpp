#include "decide/grid.hpp"

#include <algorithm>
#include <cmath>

#include "base/costs.hpp"
#include "integers/step_search.hpp"

namespace dagmar {
namespace {

// From this many features on, vectors that are on no grid are rounded to codes: fewer products take little of the time.
constexpr std::size_t kShortest = 32;

// Some vectors, spread evenly; fewer if they are long, because each then shows more.
std::vector<double> some_of(const Samples& vectors) {
    std::vector<double> rows;
    for_dense(vectors, [&](const auto& x) {
        const std::size_t n = std::clamp<std::size_t>(256 * 64 / x.d, 16, 64);
        for (std::size_t i = 0; i < x.n; i += (x.n + n - 1) / n) rows.insert(rows.end(), x.row(i), x.row(i) + x.d);
    });
    return rows;
}

// The time that products of a vector and a sample take in float. If vectors are mostly zero, only nonzeros count.
double products_in_float(const DenseView<double>& some, const std::vector<double>& centre, const Costs& cost) {
    std::size_t n_nonzero = 0;
    for (std::size_t i = 0; i < some.n; ++i)
        for (std::size_t f = 0; f < some.d; ++f) n_nonzero += some.row(i)[f] != centre[f];
    const double d = static_cast<double>(some.d);
    const double share = static_cast<double>(n_nonzero) / (static_cast<double>(some.n) * d);
    return share <= kFewNonzeros ? cost.nonzero * share * d : d;
}

// The mean kernel value of two vectors, from some of them.
double mean_value(const DenseView<double>& some, double gamma) {
    constexpr std::size_t few = 6;
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < some.n; i += (some.n + few - 1) / few)
        for (std::size_t j = 0; j < some.n; ++j) {
            double distance = 0;
            for (std::size_t f = 0; f < some.d; ++f) distance += std::pow(some.row(i)[f] - some.row(j)[f], 2);
            if (distance == 0) continue;  // the same vector
            sum += std::exp(-gamma * distance);
            ++n;
        }
    return sum / std::max(1.0, n);
}

// The bound on the error of a value, as a share of the value, for each unit that a sample and the vectors are off
// together. Values are about 1, and the sizes of their terms about the mean of the machines' coefficients times the
// mean kernel value; from there on as in rounding.hpp.
double share_of_bound(const BankLists& lists, double mean_value) {
    double coefficients = 0;
    for (const double c : lists.coef) coefficients += std::abs(c);
    const double size = mean_value * coefficients / static_cast<double>(std::max<std::size_t>(1, lists.n_machines()));
    return 2.0 * size * std::sqrt(std::max(0.5, -std::log(mean_value)));
}

// Finds grids for the vectors of a bank at one level.
class Search {
   public:
    Search(const Bank& bank, Level level, const Threads& threads, double in_float, FeatureRanges ranges)
        : bank_(bank), level_(level), threads_(threads), in_float_(in_float), ranges_(std::move(ranges)),
          widest_(ranges_.widest()), every_((n_samples(bank.vectors) + 15) / 16) {}

    std::unique_ptr<QuantizedVectors> exact(double step) const {
        const double n_steps = widest_ / step;
        for (const int bits : {8, 16}) {
            if (!pays(bits) || !(n_steps < (bits == 8 ? Codec::highest(bits) + 0.5 : 32767.0))) continue;
            if (!QuantizedVectors::in_range(bits, ranges_.low.size(), n_steps)) continue;
            auto grid = make(bits, step);
            if (grid->off_of(grid->farthest(every_)) > QuantizedVectors::kPrecise) return nullptr;
            grid->add_vectors(threads_);
            return grid->off() <= QuantizedVectors::kPrecise ? std::move(grid) : nullptr;
        }
        return nullptr;
    }

    // Codes that the vectors are at most this far from, as far as some of them show.
    std::unique_ptr<QuantizedVectors> rough(int bits, double most_off) const {
        if (!pays(bits) || !(widest_ > 0) || !std::isfinite(widest_)) return nullptr;
        if (bits == 8 && !QuantizedVectors::in_range(bits, ranges_.low.size(), 0.0)) return nullptr;
        double finer = 1.0;
        if (bits == 16) {  // as many steps as distances have room for, and some room for samples farther out
            const double norm = std::sqrt(make(bits, widest_ / 255.0)->farthest(every_).squares);
            finer = std::floor(std::min(46340.0 / (2.5 * norm), 32767.0 / 255.0));
        }
        if (!(finer >= 1.0)) return nullptr;
        // Features of few values are on the grid if their number of steps divides that of all.
        std::unique_ptr<QuantizedVectors> found;
        for (const double n_steps : {255.0, 240.0}) {
            auto grid = make(bits, widest_ / (n_steps * finer));
            const double off = grid->off_of(grid->farthest(every_));
            if (off <= most_off) found = std::move(grid), most_off = off;
        }
        if (found) found->add_vectors(threads_);
        return found && std::isfinite(found->off()) ? std::move(found) : nullptr;
    }

   private:
    bool pays(int bits) const {
        const double d = static_cast<double>(ranges_.low.size());
        return integer_products(level_, bits, differences_) && d / codes_per_product(level_, bits) < in_float_;
    }
    std::unique_ptr<QuantizedVectors> make(int bits, double step) const {
        return std::make_unique<QuantizedVectors>(bank_.vectors, level_, bits, ranges_, step, bank_.kernel);
    }

    const Bank& bank_;
    const bool differences_ = bank_.kernel.of_differences();
    const Level level_;
    const Threads& threads_;
    const double in_float_;
    const FeatureRanges ranges_;
    const double widest_;
    const std::size_t every_;  // every such vector is encoded first, to reject most grids
};

}  // namespace

Grids find_grids(const Bank& bank, Level level, const std::vector<double>& centre, const Threads& threads) {
    Grids found;
    const std::size_t d = n_features(bank.vectors);
    const bool differences = bank.kernel.of_differences();
    if (!bank.kernel.has_codes() || !bank.gammas.empty() || !integer_products(level, 16, differences)) return found;
    if (n_samples(bank.vectors) == 0 || d == 0) return found;
    const std::vector<double> rows = some_of(bank.vectors);
    const DenseView<double> some{rows.data(), rows.size() / d, d};
    const double in_float =
        differences ? costs(level).difference * static_cast<double>(d) : products_in_float(some, centre, costs(level));
    const bool bytes = integer_products(level, 8, differences) != nullptr;
    const double in_codes = static_cast<double>(d) / codes_per_product(level, bytes ? 8 : 16);
    const double step = in_codes < in_float ? step_of_all(SomeRows<double>{some}) : 0.0;
    if (in_codes >= in_float || (step == 0.0 && d < kShortest)) return found;
    const auto search_in = [&](const Samples& samples) {
        FeatureRanges ranges;
        Spare spare(threads.n - 1);
        for_dense(samples, [&](const auto& x) { ranges = survey(x, {centre.data(), 0.0}, level, spare); });
        return Search(bank, level, threads, in_float, std::move(ranges));
    };
    // Codes around some vectors mostly have room for all, whose ranges need not be known then.
    if (step > 0) found.exact = search_in(some).exact(step);
    if (found.exact && (d < kShortest || found.exact->bits() <= 8)) return found;
    const Search search = search_in(bank.vectors);
    if (step > 0 && !found.exact) found.exact = search.exact(step);
    if (d < kShortest || (found.exact && found.exact->bits() <= 8)) return found;
    // The bounds below are those of squared distances.
    if (differences) return found;
    // The faster the codes, the more signs they may leave open.
    const double share = 2.0 * share_of_bound(bank.lists, mean_value(some, bank.kernel.gamma));
    found.rough = search.rough(8, 0.1 / share);
    if (!found.rough && !found.exact) found.rough = search.rough(16, 0.06 / share);
    return found;
}

}  // namespace dagmar
