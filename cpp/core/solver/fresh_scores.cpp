#include "solver/fresh_scores.hpp"

#include <algorithm>
#include <numeric>

#include "base/integers.hpp"
#include "solver/problem.hpp"

namespace dagmar {
namespace {

// Kernel values held at a time (8 MiB), and rows computed together: enough for the speed of a matrix product.
constexpr std::size_t kHeld = std::size_t{1} << 20, kFewestRows = 12, kMostRows = 48;
// Places whose scores are computed together, where they are not whole classes.
constexpr std::size_t kPlaces = 512;
// Support vectors of sampled scores that are loaded at a time.
constexpr std::size_t kFewestSampled = 64, kMostSampled = 4096;
// From this many kernel values on, idle threads help.
constexpr std::size_t kLarge = std::size_t{1} << 18;

struct Support {
    std::vector<std::int32_t> sample;
    std::vector<double> coef;
};

// scores[l] -= sum over the support of s lambda K, for some lanes; rows(asked, n, out) computes their kernel values.
template <class Rows>
void subtract(const Support& support, std::size_t lanes, const Simd<double>& simd, const Rows& rows, double* scores) {
    const std::size_t n = support.sample.size();
    const std::size_t at_once = std::min(n, std::clamp(kHeld / lanes, kFewestRows, kMostRows));
    if (n == 0) return;
    const auto values = aligned_array<double>(at_once * lanes);
    std::vector<double> lost(lanes, 0.0), part(lanes);
    std::vector<double*> out;
    for (std::size_t q = 0; q < at_once; ++q) out.push_back(values.get() + q * lanes);
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t count = std::min(at_once, n - first);
        rows(support.sample.data() + first, count, out.data());
        std::fill(part.begin(), part.end(), 0.0);
        simd.weighted_rows(values.get(), lanes, nullptr, support.coef.data() + first, count, lanes, part.data());
        // Terms of both signs come one class after the other and nearly cancel in the end, so what an addition rounds
        // away is added to the next one (Kahan).
        for (std::size_t l = 0; l < lanes; ++l) {
            const double term = part[l] - lost[l], sum = scores[l] + term;
            lost[l] = (sum - scores[l]) - term;
            scores[l] = sum;
        }
    }
}

}  // namespace

void fresh_scores(const GramRows<double>& gram, std::span<const std::int32_t> classes, double gamma,
                  const Simd<double>& simd, const BoxProblem& problem, const std::vector<double>& lambda,
                  const std::vector<std::int32_t>& places, Spare& spare, std::vector<double>& scores) {
    Support support;
    std::vector<std::size_t> offset;
    std::vector<std::int32_t> sample;  // of every place
    for (const std::int32_t class_c : classes) {
        const std::size_t c = usize(class_c), begin = sample.size();
        offset.push_back(begin);
        sample.resize(begin + padded(gram.class_size(c)), -1);
        for (std::size_t k = 0; k < gram.class_size(c); ++k) {
            sample[begin + k] = static_cast<std::int32_t>(gram.class_start()[c] + k);
            if (lambda[begin + k] == 0.0) continue;
            support.sample.push_back(sample[begin + k]);
            support.coef.push_back(-problem.sign[begin + k] * lambda[begin + k]);
        }
    }
    const auto start = [&](std::size_t k) { return problem.sign[k] * problem.target[k]; };
    scores.resize(sample.size());
    const auto whole_class = [&](std::size_t i) {
        const std::size_t c = usize(classes[i]), lanes = padded(gram.class_size(c));
        double* own = scores.data() + offset[i];
        for (std::size_t l = 0; l < lanes; ++l) own[l] = start(offset[i] + l);
        GramScratch<double> scratch;
        const auto rows = [&](const std::int32_t* asked, std::size_t n, double* const* out) {
            gram.rows(asked, n, c, gamma, out, scratch);
        };
        subtract(support, lanes, simd, rows, own);
    };
    const auto some_places = [&](std::size_t i) {
        const std::size_t first = i * kPlaces, n = std::min(kPlaces, places.size() - first);
        std::vector<std::int32_t> samples;
        std::vector<double> own(padded(n), 0.0);
        for (std::size_t j = 0; j < n; ++j) {
            samples.push_back(sample[usize(places[first + j])]);
            own[j] = start(usize(places[first + j]));
        }
        const Columns<double> columns = gram.columns(samples);
        GramScratch<double> scratch;
        const auto rows = [&](const std::int32_t* asked, std::size_t n_asked, double* const* out) {
            gram.rows_against(columns, asked, n_asked, gamma, out, scratch);
        };
        subtract(support, columns.lanes, simd, rows, own.data());
        for (std::size_t j = 0; j < n; ++j) scores[usize(places[first + j])] = own[j];
    };
    const auto all = [&](std::size_t n_pieces, const auto& piece) {
        if (support.sample.size() * places.size() >= kLarge)
            spare.run(n_pieces, piece);
        else
            for (std::size_t i = 0; i < n_pieces; ++i) piece(i);
    };
    if (gram.has_columns() && 2 * places.size() < sample.size())
        all((places.size() + kPlaces - 1) / kPlaces, some_places);
    else
        all(classes.size(), whole_class);
}

void sampled_scores(const Problem& problem, std::span<const std::int32_t> classes, double gamma, Level level,
                    const BoxProblem& box, const std::vector<double>& lambda, const std::vector<std::int32_t>& places,
                    Spare& spare, std::vector<double>& scores) {
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
    const std::size_t at_once = std::clamp(kHeld / d, kFewestSampled, kMostSampled);
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
