// Scores from the multipliers alone, in double precision, from the samples themselves.
#pragma once

#include <algorithm>
#include <numeric>

#include "gram/gram.hpp"
#include "solver/problem.hpp"

namespace dagmar {

class FreshScores {
   public:
    // lambda: of the places of a task over these classes. `problem` has the samples, `box` the rest.
    FreshScores(const Problem& problem, std::span<const std::int32_t> classes, double gamma, Level level,
                const BoxProblem& box, const std::vector<double>& lambda)
        : problem_(problem), gamma_(gamma), level_(level), box_(box) {
        for (const std::int32_t class_c : classes) {
            const std::size_t c = usize(class_c), begin = sample_.size();
            sample_.resize(begin + padded(problem.class_size(c)), -1);
            for (std::size_t k = begin; k < begin + problem.class_size(c); ++k) {
                sample_[k] = problem.order[problem.class_start[c] + k - begin];
                if (lambda[k] == 0.0) continue;
                support_.push_back(sample_[k]);
                coef_.push_back(-box.sign[k] * lambda[k]);
            }
        }
    }

    // scores[i]: the score (solver.hpp) of places[i]. Costs a kernel value in double precision per place and support
    // vector, of which a few megabytes are held at a time.
    void compute(const Places& places, Spare& spare, std::vector<double>& scores) const {
        scores.clear();
        for (const std::int32_t place : places) scores.push_back(box_.sign[usize(place)] * box_.target[usize(place)]);
        const std::size_t n_pieces = (places.size() + kPlaces - 1) / kPlaces;
        const auto piece = [&](std::size_t i) {
            const std::size_t first = i * kPlaces, n = std::min(kPlaces, places.size() - first);
            subtract(std::span(places).subspan(first, n), spare, scores.data() + first);
        };
        spare.run(n_pieces, piece);
    }

   private:
    // Places whose scores are computed together; and rows that are added up before what that rounds away is noted.
    static constexpr std::size_t kPlaces = 512, kRowsAtOnce = 48;
    // Numbers of support vectors that are loaded at a time, and how many vectors that may be.
    static constexpr std::size_t kLoaded = std::size_t{1} << 20, kFewest = kRowsAtOnce, kMost = 1024;

    // scores[i] -= sum over the support of s lambda K.
    void subtract(std::span<const std::int32_t> places, Spare& spare, double* scores) const {
        const std::size_t m = places.size(), lanes = padded(m), d = std::max<std::size_t>(1, n_features(problem_.x));
        const std::size_t at_once = std::clamp(kLoaded / d, kFewest, kMost);
        const auto values = aligned_array<double>(kRowsAtOnce * lanes);
        std::vector<double> lost(m, 0.0), part(lanes);
        double* out[kRowsAtOnce];
        for (std::size_t q = 0; q < kRowsAtOnce; ++q) out[q] = values.get() + q * lanes;
        GramScratch<double> scratch;
        for (std::size_t first = 0; first < support_.size(); first += at_once) {
            const std::size_t n = std::min(at_once, support_.size() - first);
            // Two classes: the places, and some support vectors.
            std::vector<std::int64_t> order;
            for (const std::int32_t place : places) order.push_back(sample_[usize(place)]);
            order.insert(order.end(), support_.data() + first, support_.data() + first + n);
            Problem both = problem_;
            both.order = order;
            both.class_start = {0, m, m + n};
            const auto gram = make_gram<double>(both, level_, spare);
            std::vector<std::int32_t> asked(n);
            std::iota(asked.begin(), asked.end(), static_cast<std::int32_t>(m));
            for (std::size_t q = 0; q < n; q += kRowsAtOnce) {
                const std::size_t count = std::min(kRowsAtOnce, n - q);
                gram->rows(asked.data() + q, count, 0, gamma_, out, scratch);
                std::fill(part.begin(), part.end(), 0.0);
                gram->simd().weighted_rows(values.get(), lanes, nullptr, coef_.data() + first + q, count, lanes,
                                           part.data());
                // Terms of both signs come one class after the other and nearly cancel in the end, so what an addition
                // rounds away is added to the next one (Kahan).
                for (std::size_t l = 0; l < m; ++l) {
                    const double term = part[l] - lost[l], sum = scores[l] + term;
                    lost[l] = (sum - scores[l]) - term;
                    scores[l] = sum;
                }
            }
        }
    }

    const Problem& problem_;
    double gamma_;
    Level level_;
    const BoxProblem& box_;
    std::vector<std::int64_t> sample_;  // at every place, -1 for padding
    std::vector<std::int64_t> support_;
    std::vector<double> coef_;
};

}  // namespace dagmar
