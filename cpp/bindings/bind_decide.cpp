#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

namespace {

// A decider and the arrays it reads.
class Machines {
   public:
    Machines(nb::object pool, In1<std::int64_t> columns, In1<std::int64_t> class_start, In1<std::int64_t> begin,
             In1<std::int32_t> index, In1<double> coef, In1<double> bias, const Kernel& kernel,
             std::optional<In1<double>> centre, bool single, Level level, std::optional<In1<double>> gammas)
        : pool_(std::move(pool)), begin_(begin), index_(index), coef_(coef), bias_(bias) {
        lists_.class_start.assign(class_start.data(), class_start.data() + class_start.shape(0));
        lists_.begin = {begin.data(), begin.shape(0)};
        lists_.index = {index.data(), index.shape(0)};
        lists_.coef = {coef.data(), coef.shape(0)};
        lists_.bias = {bias.data(), bias.shape(0)};
        const std::size_t n_pool = pool_.is_none() ? columns.shape(0) : rows(nb::cast<const Data&>(pool_));
        check(lists_, n_pool);
        if (gammas && (kernel.type != KernelType::rbf || gammas->shape(0) != n_pool))
            throw std::invalid_argument("the bank has gammas that are not one per vector of an rbf kernel");
        Bank bank;
        bank.lists = lists_;
        bank.kernel = kernel;
        bank.columns = to_vector(columns);
        if (gammas) bank.gammas = to_vector(*gammas);
        if (!pool_.is_none()) bank.pool = nb::cast<const Data&>(pool_).view;
        decider_ = make_decider(std::move(bank), single, centre ? to_vector(*centre) : std::vector<double>{}, level);
    }

    auto values(const Data& x, bool ranked, int n_threads) const {
        const std::size_t n = rows(x);
        std::vector<double> out(n * lists_.n_machines());
        without_lock([&](const Poll& poll) { return decider_->values(x.view, ranked, {n_threads, poll}, out.data()); });
        return hand_over(std::move(out), {n, lists_.n_machines()});
    }

    auto decide(const Data& x, const Plan& plan, int n_threads) const {
        std::vector<std::int32_t> out(rows(x));
        without_lock([&](const Poll& poll) { return decider_->decide(x.view, plan, {n_threads, poll}, out.data()); });
        return hand_over(std::move(out));
    }

    // answers, begin, machines, values: the path of sample i is machines[begin[i] ... begin[i+1]-1].
    auto trace(const Data& x, const Plan& plan, int n_threads) const {
        std::vector<Path> paths;
        without_lock([&](const Poll& poll) { return decider_->trace(x.view, plan, {n_threads, poll}, paths); });
        std::vector<std::int32_t> answers;
        std::vector<std::int64_t> begin{0}, machines;
        std::vector<double> values;
        for (const Path& path : paths) {
            answers.push_back(path.answer);
            machines.insert(machines.end(), path.machines.begin(), path.machines.end());
            values.insert(values.end(), path.values.begin(), path.values.end());
            begin.push_back(static_cast<std::int64_t>(machines.size()));
        }
        return nb::make_tuple(hand_over(std::move(answers)), hand_over(std::move(begin)),
                              hand_over(std::move(machines)), hand_over(std::move(values)));
    }

    // Distinct vectors in the machines of each path.
    auto distinct_vectors(In1<std::int64_t> begin, In1<std::int64_t> machines) const {
        std::vector<std::int64_t> out(begin.shape(0) - 1), seen(lists_.n_vectors(), -1);
        for (std::size_t i = 0; i < out.size(); ++i)
            for (auto p = begin.data()[i]; p < begin.data()[i + 1]; ++p) {
                const std::size_t m = static_cast<std::size_t>(machines.data()[p]);
                for (auto t = lists_.begin[m]; t < lists_.begin[m + 1]; ++t) {
                    auto& last = seen[static_cast<std::size_t>(lists_.index[static_cast<std::size_t>(t)])];
                    out[i] += last != static_cast<std::int64_t>(i);
                    last = static_cast<std::int64_t>(i);
                }
            }
        return hand_over(std::move(out));
    }

   private:
    static std::size_t rows(const Data& x) {
        return std::visit([](const auto& view) { return view.n; }, x.view);
    }
    // A model file may say anything: no list may lead outside the pool.
    static void check(const BankLists& lists, std::size_t n_pool) {
        if (lists.class_start.empty() || lists.n_vectors() != n_pool || lists.begin.empty() ||
            lists.begin.front() != 0 || !std::is_sorted(lists.class_start.begin(), lists.class_start.end()) ||
            !std::is_sorted(lists.begin.begin(), lists.begin.end()) || lists.begin.size() != lists.bias.size() + 1 ||
            lists.index.size() != lists.coef.size() ||
            lists.begin.back() != static_cast<std::int64_t>(lists.index.size()))
            throw std::invalid_argument("the lists of the bank do not fit together");
        for (std::size_t m = 0; m < lists.n_machines(); ++m)
            for (auto t = lists.begin[m]; t < lists.begin[m + 1]; ++t) {
                const std::int32_t v = lists.index[static_cast<std::size_t>(t)];
                if (v < 0 || static_cast<std::size_t>(v) >= lists.n_vectors() ||
                    (t > lists.begin[m] && v <= lists.index[static_cast<std::size_t>(t - 1)]))
                    throw std::invalid_argument(
                        "a machine of the bank names vectors that are not there, or out of order");
            }
    }

    nb::object pool_;
    In1<std::int64_t> begin_;  // held for the lists, which only look at them
    In1<std::int32_t> index_;
    In1<double> coef_, bias_;
    BankLists lists_;
    std::unique_ptr<Decider> decider_;
};

// One walk per sample, in step.
class Walks {
   public:
    Walks(const Plan& plan, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            walks_.push_back(make_walk(plan));
            walks_.back()->begin();
        }
        asked_.resize(n);
    }

    Walks(const Walks&) = delete;

    auto next() {
        for (std::size_t i = 0; i < walks_.size(); ++i) asked_[i] = walks_[i]->next();
        return hand_over(std::vector<std::int64_t>(asked_));
    }

    void tell(In1<bool> positive) {
        if (positive.shape(0) != walks_.size()) throw std::invalid_argument("one answer per sample is needed");
        for (std::size_t i = 0; i < walks_.size(); ++i)
            if (asked_[i] >= 0) walks_[i]->tell(positive.data()[i]);
    }

    auto answers() const {
        std::vector<std::int32_t> out;
        for (const auto& walk : walks_) out.push_back(walk->answer());
        return hand_over(std::move(out));
    }

   private:
    std::vector<std::unique_ptr<Walk>> walks_;
    std::vector<std::int64_t> asked_;
};

}  // namespace

void bind_decide(nb::module_& m) {
    nb::enum_<Rule>(m, "Rule", "Who meets whom in a knockout.")
        .value("fewest_losses", Rule::fewest_losses)
        .value("ranked", Rule::ranked)
        .value("bracket", Rule::bracket)
        .value("everyone", Rule::everyone);

    nb::class_<Plan>(m, "Plan")
        .def_static(
            "graph",
            [](std::int32_t n_classes, std::int64_t root, In1<std::int64_t> machine, In1<std::int64_t> on_negative,
               In1<std::int64_t> on_positive, In1<std::int64_t> list_begin, In1<std::int32_t> list_class,
               In1<std::int64_t> machine_of, bool unanimous) {
                Plan plan;
                plan.kind = PlanKind::graph;
                plan.n_classes = n_classes;
                plan.unanimous = unanimous;
                plan.root = root;
                plan.machine = to_vector(machine);
                plan.on_negative = to_vector(on_negative);
                plan.on_positive = to_vector(on_positive);
                plan.list_begin = to_vector(list_begin);
                plan.list_class = to_vector(list_class);
                plan.machine_of = to_vector(machine_of);
                return plan;
            },
            "n_classes"_a, "root"_a, "machine"_a.noconvert(), "on_negative"_a.noconvert(), "on_positive"_a.noconvert(),
            "list_begin"_a.noconvert(), "list_class"_a.noconvert(), "machine_of"_a.noconvert(), "unanimous"_a)
        .def_static(
            "knockout",
            [](std::int32_t n_classes, Rule rule, In1<std::int64_t> machine_of, In1<std::int32_t> order,
               In1<std::int32_t> rivals) {
                Plan plan;
                plan.kind = PlanKind::knockout;
                plan.n_classes = n_classes;
                plan.unanimous = true;
                plan.rule = rule;
                plan.machine_of = to_vector(machine_of);
                plan.order = to_vector(order);
                plan.rivals = to_vector(rivals);
                return plan;
            },
            "n_classes"_a, "rule"_a, "machine_of"_a.noconvert(), "order"_a.noconvert(), "rivals"_a.noconvert())
        .def_static(
            "poll",
            [](std::int32_t n_classes) {
                Plan plan;
                plan.n_classes = n_classes;
                return plan;
            },
            "n_classes"_a);

    nb::class_<Walks>(m, "Walks",
                      "A graph or knockout plan followed for many samples at once, by machines of any kind.")
        .def(nb::init<const Plan&, std::size_t>(), "plan"_a, "n_samples"_a, nb::keep_alive<1, 2>())
        .def("next", &Walks::next, "The machine each sample asks for, -1 where its answer is found.")
        .def("tell", &Walks::tell, "positive"_a.noconvert(),
             "Whether each sample's value was zero or more; ignored where it is done.")
        .def("answers", &Walks::answers);

    nb::class_<Machines>(m, "Machines", "Machines over a pool of vectors, ready to decide.")
        .def(nb::init<nb::object, In1<std::int64_t>, In1<std::int64_t>, In1<std::int64_t>, In1<std::int32_t>,
                      In1<double>, In1<double>, const Kernel&, std::optional<In1<double>>, bool, Level,
                      std::optional<In1<double>>>(),
             "pool"_a.none(), "columns"_a.noconvert(), "class_start"_a.noconvert(), "begin"_a.noconvert(),
             "index"_a.noconvert(), "coef"_a.noconvert(), "bias"_a.noconvert(), "kernel"_a,
             "centre"_a.noconvert().none(), "single"_a, "level"_a, "gammas"_a.noconvert().none() = nb::none())
        .def("values", &Machines::values, "x"_a, "ranked"_a, "n_threads"_a)
        .def("decide", &Machines::decide, "x"_a, "plan"_a, "n_threads"_a)
        .def("trace", &Machines::trace, "x"_a, "plan"_a, "n_threads"_a)
        .def("distinct_vectors", &Machines::distinct_vectors, "begin"_a.noconvert(), "machines"_a.noconvert());
}

}  // namespace dagmar::bindings
