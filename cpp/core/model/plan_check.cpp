// Whether a plan is whole: a walk that follows it stays inside its arrays and ends.
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/plan.hpp"

namespace dagmar {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
    std::ostringstream message;
    (message << ... << parts);
    throw std::invalid_argument(message.str());
}

void require(bool holds, const char* message) {
    if (!holds) refuse(message);
}

// Whether the numbers are 0 ... n-1, in any order.
bool is_permutation_of(std::vector<std::int32_t> numbers, std::size_t n) {
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (usize(numbers[i]) != i) return false;
    return numbers.size() == n;
}

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
                refuse("the graph is called unanimous, but class ", c, " may win all its pairs and end at ", where);
    }

    const Plan& plan_;
    std::size_t n_, n_words_;
    std::vector<Pair> pairs_;   // by machine
    std::vector<Set> winners_;  // of each node that was reached and not passed yet
};

class PlanCheck {
   public:
    explicit PlanCheck(Plan& plan) : plan_(plan), n_(usize(plan.n_classes)) {}

    void graph() {
        const std::size_t n_nodes = plan_.machine.size();
        require(plan_.on_negative.size() == n_nodes && plan_.on_positive.size() == n_nodes,
                "machine, on_negative and on_positive of a graph must have the same length");
        for (const std::int64_t m : plan_.machine) {
            require(m >= 0, "machine of a graph has a negative number");
            plan_.largest_machine = std::max(plan_.largest_machine, m);
        }
        lists();
        edge(plan_.root, "root");
        for (std::size_t v = 0; v < n_nodes; ++v) {
            edge(plan_.on_negative[v], "on_negative");
            edge(plan_.on_positive[v], "on_positive");
        }
        if (plan_.unanimous || !plan_.list_classes.empty()) {
            table();
            if (plan_.unanimous || complete())
                every_pair();
            else
                pairs_of_lists();
        }
        plan_.parents_first = sorted_nodes();
        if (plan_.unanimous) Unanimity(plan_).check();
    }

    void knockout() {
        table();
        every_pair();
        const auto& order = plan_.order;
        if (plan_.rule == Rule::bracket)
            require(is_permutation_of(order, n_), "order of a bracket must have every class once");
        if (plan_.rule != Rule::ranked) return;
        require(!order.empty() && order[0] >= 0 && usize(order[0]) < n_,
                "order of a ranked knockout must begin with a class");
        require(plan_.rivals.size() == n_ * (n_ - 1), "rivals must have the shape (n_classes, n_classes - 1)");
        for (std::size_t c = 0; c < n_; ++c) {
            const std::int32_t* rivals = plan_.rivals.data() + c * (n_ - 1);
            std::vector<std::int32_t> row(rivals, rivals + n_ - 1);
            row.push_back(static_cast<std::int32_t>(c));
            if (!is_permutation_of(std::move(row), n_))
                refuse("rivals of class ", c, " must have every other class once");
        }
    }

   private:
    std::size_t n_lists() const { return plan_.list_begin.size() - 1; }

    void lists() const {
        const auto& begin = plan_.list_begin;
        require(!begin.empty() && begin.front() == 0 && begin.back() >= 0 &&
                    usize(begin.back()) == plan_.list_classes.size(),
                "list_begin must start at 0 and end at the length of list_classes");
        if (n_lists() == 0) return;
        std::vector<std::size_t> last_seen(n_, 0);  // the number of the last list that had the class, from 1
        for (std::size_t l = 0; l < n_lists(); ++l) {
            require(begin[l] < begin[l + 1] && begin[l + 1] <= begin.back(),
                    "list_begin must ascend: no list may be empty");
            for (auto t = usize(begin[l]); t < usize(begin[l + 1]); ++t) {
                const std::int32_t c = plan_.list_classes[t];
                require(c >= 0 && usize(c) < n_, "list_classes has a class that the plan does not have");
                require(last_seen[usize(c)] != l + 1, "a list has a class twice");
                last_seen[usize(c)] = l + 1;
            }
        }
    }

    void edge(std::int64_t e, const char* name) const {
        if (is_node(e) && usize(e) >= plan_.machine.size())
            refuse(name, " of a graph leads to node ", e, ", which is not there");
        if (is_list(e, plan_.n_classes) && usize(list_number(e, plan_.n_classes)) >= n_lists())
            refuse(name, " of a graph leads to a class or list that is not there");
    }

    void table() const {
        require(plan_.machine_of.size() == n_ * n_, "machine_of must have the shape (n_classes, n_classes)");
    }

    void pair(std::size_t i, std::size_t j) {
        const std::int64_t m = plan_.machine_of[i * n_ + j];
        if (m < 0) refuse("machine_of has no machine for the pair ", "(", i, ", ", j, ")");
        if (m != plan_.machine_of[j * n_ + i])
            refuse("machine_of differs for the two orders of ", "(", i, ", ", j, ")");
        plan_.largest_machine = std::max(plan_.largest_machine, m);
    }

    void every_pair() {
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = i + 1; j < n_; ++j) pair(i, j);
    }

    bool complete() const {
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = i + 1; j < n_; ++j)
                if (plan_.machine_of[i * n_ + j] < 0) return false;
        return true;
    }

    // Any two classes of a list may meet.
    void pairs_of_lists() {
        for (std::size_t l = 0; l < n_lists(); ++l)
            for (auto s = usize(plan_.list_begin[l]); s < usize(plan_.list_begin[l + 1]); ++s)
                for (std::size_t t = s + 1; t < usize(plan_.list_begin[l + 1]); ++t) {
                    const auto [i, j] = std::minmax(plan_.list_classes[s], plan_.list_classes[t]);
                    pair(usize(i), usize(j));
                }
    }

    // The nodes that can be reached, each after all its parents. Depth first from the root, with a stack of its own: a
    // chain may have as many nodes as there are.
    std::vector<std::int64_t> sorted_nodes() const {
        enum State : char { unseen, open, done };
        std::vector<char> state(plan_.machine.size(), unseen);
        std::vector<std::int64_t> stack, left;
        if (is_node(plan_.root)) stack.push_back(plan_.root);
        while (!stack.empty()) {
            const std::size_t v = usize(stack.back());
            if (state[v] != unseen) {
                if (state[v] == open) left.push_back(stack.back());
                state[v] = done;
                stack.pop_back();
                continue;
            }
            state[v] = open;
            for (const std::int64_t e : {plan_.on_negative[v], plan_.on_positive[v]}) {
                if (!is_node(e)) continue;
                if (state[usize(e)] == open) refuse("the graph has a cycle through node ", e);
                if (state[usize(e)] == unseen) stack.push_back(e);
            }
        }
        std::reverse(left.begin(), left.end());
        return left;
    }

    Plan& plan_;
    std::size_t n_;
};

}  // namespace

Plan checked(Plan plan) {
    require(plan.n_classes >= 1, "n_classes of a plan must be 1 or more");
    plan.largest_machine = -1;
    PlanCheck check(plan);
    if (plan.kind == PlanKind::graph) check.graph();
    if (plan.kind == PlanKind::knockout) check.knockout();
    return plan;
}

void check(const Plan& plan, std::size_t n_classes, std::size_t n_machines) {
    if (usize(plan.n_classes) != n_classes)
        refuse("the plan is for ", plan.n_classes, " classes, the bank for ", n_classes);
    if (plan.kind == PlanKind::poll && n_machines != n_classes)
        refuse("a poll needs one machine per class, but the bank has ", n_machines, " for ", n_classes);
    if (plan.largest_machine >= static_cast<std::int64_t>(n_machines))
        refuse("the plan asks machine ", plan.largest_machine, ", but the bank has ", n_machines, " machines");
}

}  // namespace dagmar
