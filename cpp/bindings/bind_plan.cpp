// Plans, and walks that follow them with machines of any kind.
#include <algorithm>
#include <memory>

#include "held_problem.hpp"
#include "model/plan.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

namespace {

// A table of n_rows x n_columns as a vector; also an empty one, for plans that do not read it.
template <class T>
std::vector<T> to_table(const In2<T>& array, std::int64_t n_rows, std::int64_t n_columns, const char* wrong_shape) {
    if (array.size() == 0) return {};
    if (static_cast<std::int64_t>(array.shape(0)) != n_rows || static_cast<std::int64_t>(array.shape(1)) != n_columns)
        throw std::invalid_argument(wrong_shape);
    return {array.data(), array.data() + array.size()};
}

std::vector<std::int64_t> to_machines(const In2<std::int64_t>& machine_of, std::int32_t n_classes) {
    return to_table(machine_of, n_classes, n_classes, "machine_of must have the shape (n_classes, n_classes)");
}

Plan graph(std::int32_t n_classes, std::int64_t root, In1<std::int64_t> machine, In1<std::int64_t> on_negative,
           In1<std::int64_t> on_positive, In1<std::int64_t> list_begin, In1<std::int32_t> list_classes,
           In2<std::int64_t> machine_of, bool unanimous) {
    Plan plan;
    plan.kind = PlanKind::graph;
    plan.n_classes = n_classes;
    plan.unanimous = unanimous;
    plan.root = root;
    plan.machine = to_vector(machine);
    plan.on_negative = to_vector(on_negative);
    plan.on_positive = to_vector(on_positive);
    plan.list_begin = to_vector(list_begin);
    plan.list_classes = to_vector(list_classes);
    plan.machine_of = to_machines(machine_of, n_classes);
    return checked(std::move(plan));
}

Plan knockout(std::int32_t n_classes, Rule rule, In2<std::int64_t> machine_of, In1<std::int32_t> order,
              In2<std::int32_t> rivals) {
    Plan plan;
    plan.kind = PlanKind::knockout;
    plan.n_classes = n_classes;
    plan.unanimous = true;
    plan.rule = rule;
    plan.machine_of = to_machines(machine_of, n_classes);
    plan.order = to_vector(order);
    plan.rivals = to_table(rivals, n_classes, n_classes - 1, "rivals must have the shape (n_classes, n_classes - 1)");
    return checked(std::move(plan));
}

Plan poll(std::int32_t n_classes) {
    Plan plan;
    plan.n_classes = n_classes;
    return checked(std::move(plan));
}

void check_plan(const Plan& plan, std::size_t n_classes, std::size_t n_machines) { check(plan, n_classes, n_machines); }

// One walk per sample, in step. Questions and answers alternate: a walk that gets an answer without a question,
// or asks twice, could leave its plan.
class Walks {
   public:
    Walks(const Plan& plan, std::size_t n) {
        if (plan.kind == PlanKind::poll) throw std::invalid_argument("a poll has no walk: it asks every machine");
        for (std::size_t i = 0; i < n; ++i) {
            walks_.push_back(make_walk(plan));
            walks_.back()->begin();
        }
        asked_.resize(n, kNothing);
    }

    Walks(const Walks&) = delete;

    auto next() {
        for (std::size_t i = 0; i < walks_.size(); ++i)
            if (asked_[i] == kNothing) asked_[i] = walks_[i]->next();
        return hand_over(std::vector<std::int64_t>(asked_));
    }

    void tell(In1<bool> positive) {
        if (positive.shape(0) != walks_.size()) throw std::invalid_argument("one answer per sample is needed");
        for (std::size_t i = 0; i < walks_.size(); ++i) {
            if (asked_[i] < 0) continue;
            walks_[i]->tell(positive.data()[i]);
            asked_[i] = kNothing;
        }
    }

    auto answers() const {
        if (std::any_of(asked_.begin(), asked_.end(), [](std::int64_t m) { return m != kEnded; }))
            throw std::invalid_argument("a walk has not ended: call next() until it returns -1");
        std::vector<std::int32_t> out;
        for (const auto& walk : walks_) out.push_back(walk->answer());
        return hand_over(std::move(out));
    }

   private:
    static constexpr std::int64_t kEnded = -1, kNothing = -2;

    std::vector<std::unique_ptr<Walk>> walks_;
    std::vector<std::int64_t> asked_;  // the machine that each walk waits for, kEnded, or kNothing
};

}  // namespace

void bind_plan(nb::module_& m) {
    nb::enum_<Rule>(m, "Rule", "Which classes meet next in a knockout.")
        .value("fewest_losses", Rule::fewest_losses)
        .value("ranked", Rule::ranked)
        .value("bracket", Rule::bracket)
        .value("everyone", Rule::everyone);

    nb::class_<Plan>(m, "Plan", "How the machines of a bank are consulted.")
        .def_static("graph", &graph, nb::kw_only(), "n_classes"_a, "root"_a, "machine"_a.noconvert(),
                    "on_negative"_a.noconvert(), "on_positive"_a.noconvert(), "list_begin"_a.noconvert(),
                    "list_classes"_a.noconvert(), "machine_of"_a.noconvert(), "unanimous"_a)
        .def_static("knockout", &knockout, nb::kw_only(), "n_classes"_a, "rule"_a, "machine_of"_a.noconvert(),
                    "order"_a.noconvert(), "rivals"_a.noconvert())
        .def_static("poll", &poll, "n_classes"_a)
        .def("check", &check_plan, "n_classes"_a, "n_machines"_a,
             "Raise ValueError unless a bank with these numbers of classes and machines has what the plan asks for.");

    // A walk changes with every call: without the interpreter lock, each call locks its object.
    nb::class_<Walks>(m, "Walks",
                      "A graph or knockout plan followed for many samples at once, by machines of any kind.")
        .def(nb::init<const Plan&, std::size_t>(), "plan"_a, "n_samples"_a, nb::keep_alive<1, 2>())
        .def("next", &Walks::next, nb::lock_self(), "The machine each sample asks for, -1 where its answer is found.")
        .def("tell", &Walks::tell, "positive"_a.noconvert(), nb::lock_self(),
             "Whether each sample's value was zero or more; ignored for samples whose answer is found.")
        .def("answers", &Walks::answers, nb::lock_self(), "The class found for each sample.");
}

}  // namespace dagmar::bindings
