#include "fresh_scores.hpp"

#include <algorithm>

#include "integers.hpp"
#include "smo.hpp"

namespace dagmar {
namespace {

// Kernel values held at a time (8 MiB), and rows computed together: enough for the speed of a matrix product.
constexpr std::size_t kHeld = std::size_t{1} << 20, kFewestRows = 12, kMostRows = 48;
// From this many kernel values on, idle threads help.
constexpr std::size_t kLarge = std::size_t{1} << 18;

struct Support {
    std::vector<std::int32_t> sample;
    std::vector<double> coef;
};

}  // namespace

void fresh_scores(const GramRows<double>& gram, std::span<const std::int32_t> classes, double gamma,
                  const Simd<double>& simd, const BoxProblem& problem, const std::vector<double>& lambda, Spare& spare,
                  std::vector<double>& scores) {
    Support support;
    std::vector<std::size_t> offset;
    std::size_t n = 0;
    for (const std::int32_t class_c : classes) {
        const std::size_t c = usize(class_c);
        offset.push_back(n);
        for (std::size_t k = 0; k < gram.class_size(c); ++k) {
            if (lambda[n + k] == 0.0) continue;
            support.sample.push_back(static_cast<std::int32_t>(gram.class_start()[c] + k));
            support.coef.push_back(-problem.sign[n + k] * lambda[n + k]);
        }
        n += padded(gram.class_size(c));
    }
    scores.resize(n);
    for (std::size_t k = 0; k < n; ++k) scores[k] = problem.sign[k] * problem.target[k];
    const auto add_class = [&](std::size_t i) {
        const std::size_t c = usize(classes[i]), lanes = padded(gram.class_size(c)), n_support = support.sample.size();
        const std::size_t at_once = std::min(n_support, std::clamp(kHeld / lanes, kFewestRows, kMostRows));
        if (n_support == 0) return;
        double* own = scores.data() + offset[i];
        const auto values = aligned_array<double>(at_once * lanes);
        std::vector<double> lost(lanes, 0.0), part(lanes);
        std::vector<double*> out;
        for (std::size_t q = 0; q < at_once; ++q) out.push_back(values.get() + q * lanes);
        GramScratch<double> scratch;
        for (std::size_t first = 0; first < n_support; first += at_once) {
            const std::size_t count = std::min(at_once, n_support - first);
            gram.rows(support.sample.data() + first, count, c, gamma, out.data(), scratch);
            std::fill(part.begin(), part.end(), 0.0);
            simd.weighted_sum(values.get(), nullptr, 0, support.coef.data() + first, count, lanes, part.data());
            // Terms of both signs come one class after the other and nearly cancel in the end, so what an addition
            // rounds away is added to the next one (Kahan).
            for (std::size_t l = 0; l < lanes; ++l) {
                const double term = part[l] - lost[l], sum = own[l] + term;
                lost[l] = (sum - own[l]) - term;
                own[l] = sum;
            }
        }
    };
    if (support.sample.size() * n >= kLarge)
        spare.run(classes.size(), add_class);
    else
        for (std::size_t i = 0; i < classes.size(); ++i) add_class(i);
}

}  // namespace dagmar
