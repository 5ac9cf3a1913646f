// Scores of a few places, in double precision, from the samples themselves.
#pragma once

#include <algorithm>
#include <numeric>

#include "gram/gram.hpp"
#include "solver/problem.hpp"

namespace dagmar {

// Costs a kernel row over the support vectors per place, of which a few megabytes are held at a time. `problem` has the
// samples, `box` the rest.
inline void sampled_scores(const Problem& problem, std::span<const std::int32_t> classes, double gamma, Level level,
                           const BoxProblem& box, const std::vector<double>& lambda,
                           const std::vector<std::int32_t>& places, Spare& spare, std::vector<double>& scores) {
    std::vector<std::int64_t> sample;  // of every place
    Places support;
    for (const std::int32_t class_c : classes) {
        const std::size_t c = usize(class_c), begin = sample.size();
        sample.resize(begin + padded(problem.class_size(c)), -1);
        for (std::size_t k = 0; k < problem.class_size(c); ++k) {
            sample[begin + k] = problem.order[problem.class_start[c] + k];
            if (lambda[begin + k] != 0.0) support.push_back(static_cast<std::int32_t>(begin + k));
        }
    }
    scores.clear();
    for (const std::int32_t place : places) scores.push_back(box.sign[usize(place)] * box.target[usize(place)]);
    std::vector<std::int32_t> asked(places.size());
    std::iota(asked.begin(), asked.end(), 0);
    const std::size_t d = std::max<std::size_t>(1, n_features(problem.x));
    // Numbers of support vectors that are loaded at a time.
    constexpr std::size_t held = std::size_t{1} << 20, fewest = 64, most = 4096;
    const std::size_t at_once = std::clamp(held / d, fewest, most);
    for (std::size_t first = 0; first < support.size(); first += at_once) {
        // One class: the places, and some support vectors.
        const std::size_t n = std::min(at_once, support.size() - first), m = places.size();
        std::vector<std::int64_t> order;
        for (const std::int32_t place : places) order.push_back(sample[usize(place)]);
        for (std::size_t i = 0; i < n; ++i) order.push_back(sample[usize(support[first + i])]);
        Problem part = problem;
        part.order = order;
        part.class_start = {0, order.size()};
        const auto gram = make_gram<double>(part, level, spare);
        const std::size_t lanes = padded(order.size());
        const auto values = aligned_array<double>(m * lanes);
        std::vector<double*> out;
        for (std::size_t q = 0; q < m; ++q) out.push_back(values.get() + q * lanes);
        GramScratch<double> scratch;
        gram->rows(asked.data(), m, 0, gamma, out.data(), scratch);
        for (std::size_t q = 0; q < m; ++q)
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t k = usize(support[first + i]);
                scores[q] -= box.sign[k] * lambda[k] * out[q][m + i];
            }
    }
}

}  // namespace dagmar
