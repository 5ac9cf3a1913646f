// Scores from the multipliers alone, in double precision, with kernel rows that pass through a small buffer.
#pragma once

#include "rows/parts.hpp"
#include "solver/problem.hpp"

namespace dagmar {

class FreshScores {
   public:
    // lambda: of the places of a task over these classes.
    FreshScores(const GramRows<double>& gram, std::span<const std::int32_t> classes, double gamma,
                const Simd<double>& simd, const BoxProblem& problem, const std::vector<double>& lambda)
        : gram_(gram), gamma_(gamma), simd_(simd), problem_(problem) {
        task_.set(gram, classes);
        for (std::size_t k = 0; k < lambda.size(); ++k) {
            if (lambda[k] == 0.0) continue;
            support_.push_back(task_.sample[k]);
            coef_.push_back(-problem.sign[k] * lambda[k]);
        }
    }

    // The scores (solver.hpp) of some places, or of more. Costs a kernel row over these places in double precision per
    // support vector, of which a few megabytes are held at a time.
    void compute(const Places& places, Spare& spare, std::vector<double>& scores) const {
        scores.resize(task_.n);
        const bool few = gram_.has_columns() && 2 * places.size() < task_.n;
        const std::size_t n_pieces = few ? (places.size() + kPlaces - 1) / kPlaces : task_.classes.size();
        const auto piece = [&](std::size_t i) { few ? some_places(places, i, scores) : whole_class(i, scores); };
        if (support_.size() * places.size() >= kLarge)
            spare.run(n_pieces, piece);
        else
            for (std::size_t i = 0; i < n_pieces; ++i) piece(i);
    }

   private:
    // Kernel values held at a time (8 MiB), and rows computed together: enough for the speed of a matrix product.
    static constexpr std::size_t kHeld = std::size_t{1} << 20, kFewestRows = 12, kMostRows = 48;
    // Places whose scores are computed together, where they are not whole classes.
    static constexpr std::size_t kPlaces = 512;
    // From this many kernel values on, idle threads help.
    static constexpr std::size_t kLarge = std::size_t{1} << 18;

    double start(std::size_t k) const { return problem_.sign[k] * problem_.target[k]; }

    void whole_class(std::size_t i, std::vector<double>& scores) const {
        const std::size_t c = usize(task_.classes[i]), lanes = padded(gram_.class_size(c));
        double* own = scores.data() + task_.offset[i];
        for (std::size_t l = 0; l < lanes; ++l) own[l] = start(task_.offset[i] + l);
        GramScratch<double> scratch;
        subtract(lanes, own, [&](const std::int32_t* asked, std::size_t n, double* const* out) {
            gram_.rows(asked, n, c, gamma_, out, scratch);
        });
    }
    void some_places(const Places& places, std::size_t i, std::vector<double>& scores) const {
        const std::size_t first = i * kPlaces, n = std::min(kPlaces, places.size() - first);
        std::vector<std::int32_t> samples;
        std::vector<double> own(padded(n), 0.0);
        for (std::size_t j = 0; j < n; ++j) {
            samples.push_back(task_.sample[usize(places[first + j])]);
            own[j] = start(usize(places[first + j]));
        }
        const Columns<double> columns = gram_.columns(samples);
        GramScratch<double> scratch;
        subtract(columns.lanes, own.data(), [&](const std::int32_t* asked, std::size_t n_asked, double* const* out) {
            gram_.rows_against(columns, asked, n_asked, gamma_, out, scratch);
        });
        for (std::size_t j = 0; j < n; ++j) scores[usize(places[first + j])] = own[j];
    }
    // scores[l] -= sum over the support of s lambda K, for some lanes; rows(asked, n, out) computes their kernel
    // values.
    template <class Rows>
    void subtract(std::size_t lanes, double* scores, const Rows& rows) const {
        const std::size_t n = support_.size();
        if (n == 0 || lanes == 0) return;
        const std::size_t at_once = std::min(n, std::clamp(kHeld / lanes, kFewestRows, kMostRows));
        const auto values = aligned_array<double>(at_once * lanes);
        std::vector<double> lost(lanes, 0.0), part(lanes);
        std::vector<double*> out;
        for (std::size_t q = 0; q < at_once; ++q) out.push_back(values.get() + q * lanes);
        for (std::size_t first = 0; first < n; first += at_once) {
            const std::size_t count = std::min(at_once, n - first);
            rows(support_.data() + first, count, out.data());
            std::fill(part.begin(), part.end(), 0.0);
            simd_.weighted_rows(values.get(), lanes, nullptr, coef_.data() + first, count, lanes, part.data());
            // Terms of both signs come one class after the other and nearly cancel in the end, so what an addition
            // rounds away is added to the next one (Kahan).
            for (std::size_t l = 0; l < lanes; ++l) {
                const double term = part[l] - lost[l], sum = scores[l] + term;
                lost[l] = (sum - scores[l]) - term;
                scores[l] = sum;
            }
        }
    }

    const GramRows<double>& gram_;
    double gamma_;
    const Simd<double>& simd_;
    const BoxProblem& problem_;
    TaskPlaces<double> task_;
    std::vector<std::int32_t> support_;
    std::vector<double> coef_;
};

}  // namespace dagmar
