// Whether a class that wins all its pairs is always the answer of a graph.
//
// Let class c win all its pairs. At a node that asks about a pair of c, the walk takes the edge on which c wins; at any
// other node it may take either. So one pass over the nodes, parents first, finds for each node the classes that may
// reach it as winners of all their pairs: an edge passes on all of them but those that lose on it. Every leaf must then
// be reached by its own class alone, and every list by classes that it has. A set is a bit per class, and is kept only
// until its node has been passed, so this costs nodes times classes / 32 steps, and memory for the nodes that wait.
//
// A machine that is asked twice on a path, or decides two pairs, is taken for two. Such a graph may be refused although
// its promise is true.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/plan.hpp"

namespace dagmar {
namespace {

class Unanimity {
   public:
    explicit Unanimity(const Plan& plan) : plan_(plan), n_(usize(plan.n_classes)), n_words_((n_ + 63) / 64) {
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = i + 1; j < n_; ++j) pairs_.push_back({plan.machine_of[i * n_ + j], i, j});
        std::sort(pairs_.begin(), pairs_.end());
        winners_.resize(plan.machine.size());
    }

    void check() {
        Set every(n_words_);
        for (std::size_t c = 0; c < n_; ++c) every[c / 64] |= bit(c);
        arrive(plan_.root, every);
        Set positive;
        for (const std::int64_t v : plan_.parents_first) {
            const std::size_t node = usize(v);
            Set negative = std::move(winners_[node]);
            positive = negative;
            const auto [first, last] = std::equal_range(pairs_.begin(), pairs_.end(), Pair{plan_.machine[node], 0, 0});
            for (auto pair = first; pair != last; ++pair) {
                remove(negative, pair->later);
                remove(positive, pair->earlier);
            }
            arrive(plan_.on_negative[node], negative);
            arrive(plan_.on_positive[node], positive);
        }
    }

   private:
    using Set = std::vector<std::uint64_t>;
    struct Pair {
        std::int64_t machine;
        std::size_t earlier, later;
        bool operator<(const Pair& other) const { return machine < other.machine; }
    };

    static std::uint64_t bit(std::size_t c) { return std::uint64_t{1} << c % 64; }
    static void remove(Set& set, std::size_t c) { set[c / 64] &= ~bit(c); }

    void arrive(std::int64_t edge, const Set& winners) {
        if (is_node(edge)) {
            Set& there = winners_[usize(edge)];
            there.resize(n_words_);
            for (std::size_t w = 0; w < n_words_; ++w) there[w] |= winners[w];
            return;
        }
        Set wrong = winners;
        if (is_list(edge, plan_.n_classes)) {
            const std::size_t list = usize(list_number(edge, plan_.n_classes));
            for (auto t = usize(plan_.list_begin[list]); t < usize(plan_.list_begin[list + 1]); ++t)
                remove(wrong, usize(plan_.list_classes[t]));
            return refuse_any(wrong, "a list without it");
        }
        remove(wrong, usize(leaf_class(edge)));
        refuse_any(wrong, "the leaf of class " + std::to_string(leaf_class(edge)));
    }

    void refuse_any(const Set& wrong, const std::string& where) const {
        for (std::size_t c = 0; c < n_; ++c)
            if (wrong[c / 64] & bit(c))
                throw std::invalid_argument("the graph is called unanimous, but class " + std::to_string(c) +
                                            " may win all its pairs and end at " + where);
    }

    const Plan& plan_;
    std::size_t n_, n_words_;
    std::vector<Pair> pairs_;   // by machine
    std::vector<Set> winners_;  // of each node that was reached and not passed yet
};

}  // namespace

void check_unanimity(const Plan& plan) { Unanimity(plan).check(); }

}  // namespace dagmar
