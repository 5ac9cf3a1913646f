// Probabilities of classes: sigmoids are fitted, and pairs of classes are coupled.
#include <nanobind/stl/pair.h>

#include "held_problem.hpp"
#include "probabilities/coupling.hpp"
#include "probabilities/sigmoids.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

void bind_probabilities(nb::module_& m) {
    m.def(
        "fit_sigmoids",
        [](In1<std::int64_t> begin, In1<double> value, In1<bool> positive, In1<double> weight, Level level,
           int n_threads) {
            const auto starts = to_span(begin);
            const std::size_t n = value.shape(0);
            if (starts.empty() || starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()) ||
                usize(starts.back()) != n || positive.shape(0) != n || weight.shape(0) != n)
                throw std::invalid_argument("begin, value, positive and weight do not fit together");
            std::vector<Line> lines;
            without_lock([&](const CheckSignals&) {
                lines = fit_sigmoids({starts, to_span(value), to_span(positive), to_span(weight)}, available(level),
                                     {n_threads_of(n_threads), {}});
                return true;
            });
            std::vector<double> slope, offset;
            for (const Line& line : lines) {
                slope.push_back(line.slope);
                offset.push_back(line.offset);
            }
            return std::pair(hand_over(std::move(slope)), hand_over(std::move(offset)));
        },
        "begin"_a.noconvert(), "value"_a.noconvert(), "positive"_a.noconvert(), "weight"_a.noconvert(), "level"_a,
        "n_threads"_a,
        "Slope and offset of the sigmoid of each machine, which has the held-out values ``begin[m]:begin[m+1]``.");

    m.def(
        "couple",
        [](In2<double> later, std::size_t n_classes, Level level, int n_threads) {
            const std::size_t n = later.shape(0);
            // (The product may overflow.)
            if (n_classes < 2 || later.shape(1) / (n_classes - 1) > n_classes ||
                2 * later.shape(1) != n_classes * (n_classes - 1))
                throw std::invalid_argument("later needs a column for each pair of classes");
            std::vector<double> out(n * n_classes);
            without_lock([&](const CheckSignals&) {
                couple(later.data(), n, n_classes, available(level), {n_threads_of(n_threads), {}}, out.data());
                return true;
            });
            return hand_over(std::move(out), n, n_classes);
        },
        "later"_a.noconvert(), "n_classes"_a, "level"_a, "n_threads"_a,
        "Probabilities of the classes, from those of the later class of each pair (Wu, Lin & Weng, second method).");
}

}  // namespace dagmar::bindings
