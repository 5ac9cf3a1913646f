// Deciding: a bank goes in; values, classes and paths come out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>

#include "base/integers.hpp"
#include "decide/decider.hpp"
#include "decide/votes.hpp"
#include "held_problem.hpp"
#include "probabilities/coupling.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

namespace {

// A bank and the arrays it reads.
class HeldBank {
   public:
    HeldBank(const Data* vectors, In1<std::int64_t> support, In1<std::int64_t> class_start, In1<std::int64_t> begin,
             In1<std::int32_t> index, In1<double> coef, In1<double> bias, const Kernel& kernel,
             std::optional<In1<double>> centre, Precision precision, std::optional<In1<double>> gammas)
        : support_(support), begin_(begin), index_(index), coef_(coef), bias_(bias), centre_(centre), gammas_(gammas) {
        if (vectors) vectors_.emplace(*vectors);
        core_.lists.class_start.assign(class_start.data(), class_start.data() + class_start.shape(0));
        core_.lists.begin = to_span(begin);
        core_.lists.index = to_span(index);
        core_.lists.coef = to_span(coef);
        core_.lists.bias = to_span(bias);
        core_.kernel = kernel;
        if (vectors) core_.vectors = vectors->view;
        core_.support = to_span(support);
        if (centre) core_.centre = to_span(*centre);
        core_.precision = precision;
        if (gammas) core_.gammas = to_span(*gammas);
        if (gammas && gammas->shape(0) == 0 && n_samples(core_.vectors) > 0)
            throw std::invalid_argument("the bank has gammas that are not one per vector of an rbf kernel");
        check(core_);
        columns_needed_ = columns_needed(core_);
    }

    const Bank& core() const { return core_; }

    void check_samples(const Data& x) const { check(core_, columns_needed_, x.view); }
    void check_plan(const Plan& plan) const { check(plan, core_.lists.n_classes(), core_.lists.n_machines()); }

   private:
    std::optional<Data> vectors_;
    In1<std::int64_t> support_, begin_;
    In1<std::int32_t> index_;
    In1<double> coef_, bias_;
    std::optional<In1<double>> centre_, gammas_;
    Bank core_;
    std::size_t columns_needed_ = 0;
};

// The paths of many samples, one after the other.
struct DecisionPath {
    Out1<std::int64_t> begin, machines;
    Out1<double> values;
    Out1<std::int64_t> answers;
};

class HeldDecider {
   public:
    HeldDecider(const HeldBank& bank, Level level) : bank_(bank), level_(available(level)) {}

    void prepare(int n_threads) const {
        run(n_threads, [](const Decider&, const Threads&) { return true; });
    }

    Out2<double> values(const Data& x, bool ranked, int n_threads) const {
        bank_.check_samples(x);
        const std::size_t n = n_samples(x.view), n_machines = lists().n_machines();
        std::vector<double> out(n * n_machines);
        run(n_threads, [&](const Decider& decider, const Threads& threads) {
            return decider.values(x.view, ranked, threads, out.data());
        });
        return hand_over(std::move(out), n, n_machines);
    }

    Out2<double> probabilities(const Data& x, In1<double> slope, In1<double> offset, In1<std::int64_t> machine,
                               int n_threads) const {
        bank_.check_samples(x);
        const std::size_t n = n_samples(x.view), k = lists().n_classes(), n_machines = lists().n_machines();
        const auto missing = [&](std::int64_t m) { return m < 0 || usize(m) >= n_machines; };
        const auto pairs = to_span(machine);
        if (slope.shape(0) != n_machines || offset.shape(0) != n_machines)
            throw std::invalid_argument("slope and offset need a number for each machine");
        if (k < 2 || 2 * pairs.size() != k * (k - 1) || std::any_of(pairs.begin(), pairs.end(), missing))
            throw std::invalid_argument("machine needs a machine of the bank for each pair of classes");
        std::vector<double> out(n * k);
        run(n_threads, [&](const Decider& decider, const Threads& threads) {
            return couple_values(decider, x.view, {to_span(slope), to_span(offset)}, pairs, k, level_, threads,
                                 out.data());
        });
        return hand_over(std::move(out), n, k);
    }

    // NumPy makes an array in less time than it takes one over, which shows where one sample is decided.
    void decide(const Data& x, const Plan& plan, Target1<std::int64_t> out, int n_threads) const {
        bank_.check_samples(x);
        bank_.check_plan(plan);
        std::vector<std::int32_t> found(n_samples(x.view));
        if (out.shape(0) != found.size()) throw std::invalid_argument("out must have a place for each sample");
        run(n_threads, [&](const Decider& decider, const Threads& threads) {
            return decider.decide(x.view, plan, threads, found.data());
        });
        std::copy(found.begin(), found.end(), out.data());
    }

    DecisionPath trace(const Data& x, const Plan& plan, int n_threads) const {
        bank_.check_samples(x);
        bank_.check_plan(plan);
        std::vector<Path> paths;
        run(n_threads, [&](const Decider& decider, const Threads& threads) {
            return decider.trace(x.view, plan, threads, paths);
        });
        std::vector<std::int64_t> begin{0}, machines, answers;
        std::vector<double> values;
        for (const Path& path : paths) {
            answers.push_back(path.answer);
            machines.insert(machines.end(), path.machines.begin(), path.machines.end());
            values.insert(values.end(), path.values.begin(), path.values.end());
            begin.push_back(static_cast<std::int64_t>(machines.size()));
        }
        return {hand_over(std::move(begin)), hand_over(std::move(machines)), hand_over(std::move(values)),
                hand_over(std::move(answers))};
    }

    std::vector<std::string> choices(const Plan* plan, std::size_t n_samples, int n_threads) const {
        if (plan) bank_.check_plan(*plan);
        std::vector<std::string> words;
        run(n_threads, [&](const Decider& decider, const Threads&) {
            words = decider.choices(plan, n_samples).words();
            return true;
        });
        return words;
    }

    Out1<std::int64_t> distinct_vectors(In1<std::int64_t> begin, In1<std::int64_t> machines) const {
        const auto starts = to_span(begin), asked = to_span(machines);
        const auto missing = [&](std::int64_t m) { return m < 0 || usize(m) >= lists().n_machines(); };
        if (starts.empty() || starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()) ||
            usize(starts.back()) != asked.size() || std::any_of(asked.begin(), asked.end(), missing))
            throw std::invalid_argument("begin and machines are not paths over this bank");
        std::vector<std::int64_t> out(starts.size() - 1), seen(lists().n_vectors(), -1);
        for (std::size_t i = 0; i < out.size(); ++i)
            for (auto p = usize(starts[i]); p < usize(starts[i + 1]); ++p) {
                const std::size_t m = usize(asked[p]);
                for (auto t = usize(lists().begin[m]); t < usize(lists().begin[m + 1]); ++t) {
                    auto& last = seen[usize(lists().index[t])];
                    out[i] += last != static_cast<std::int64_t>(i);
                    last = static_cast<std::int64_t>(i);
                }
            }
        return hand_over(std::move(out));
    }

   private:
    const BankLists& lists() const { return bank_.core().lists; }

    // Calls work(decider, threads) without the lock of Python. The threads of the first call make the decider.
    template <class Work>
    void run(int n_threads, const Work& work) const {
        without_lock([&](const CheckSignals& check_signals) {
            const Threads threads{n_threads_of(n_threads), check_signals};
            std::call_once(made_, [&] { decider_ = make_decider(bank_.core(), level_, threads); });
            return work(*decider_, threads);
        });
    }

    HeldBank bank_;
    Level level_;
    mutable std::once_flag made_;
    mutable std::unique_ptr<Decider> decider_;
};

}  // namespace

void bind_decide(nb::module_& m) {
    nb::class_<HeldBank>(
        m, "Bank",
        "Machines over a pool of vectors.\n\n"
        "Machine m has vectors ``index[begin[m]:begin[m+1]]``, ascending, with coefficients `coef`. The\n"
        "vectors are grouped by class, from `class_start`. For a precomputed kernel there are none, and\n"
        "`support` has their columns in a kernel row. With `gammas`, each vector has its own.")
        .def(nb::init<const Data*, In1<std::int64_t>, In1<std::int64_t>, In1<std::int64_t>, In1<std::int32_t>,
                      In1<double>, In1<double>, const Kernel&, std::optional<In1<double>>, Precision,
                      std::optional<In1<double>>>(),
             nb::kw_only(), "vectors"_a.none(), "support"_a.noconvert(), "class_start"_a.noconvert(),
             "begin"_a.noconvert(), "index"_a.noconvert(), "coef"_a.noconvert(), "bias"_a.noconvert(), "kernel"_a,
             "centre"_a.noconvert() = nb::none(), "precision"_a = Precision::double_,
             "gammas"_a.noconvert() = nb::none());

    constexpr auto shared = nb::rv_policy::reference;  // the arrays own their memory
    nb::class_<DecisionPath>(m, "DecisionPath", "The machines consulted for each sample, in order, with their values.")
        .def_ro("begin", &DecisionPath::begin, shared, "Sample i has places ``begin[i]:begin[i+1]`` of the lists.")
        .def_ro("machines", &DecisionPath::machines, shared)
        .def_ro("values", &DecisionPath::values, shared)
        .def_ro("answers", &DecisionPath::answers, shared, "The class at the end of each path.");

    nb::class_<HeldDecider>(m, "Decider", "A bank, ready to decide. Many threads may use one.")
        .def(nb::init<const HeldBank&, Level>(), "bank"_a, "level"_a)
        .def("prepare", &HeldDecider::prepare, "n_threads"_a,
             "Does now what the first of the other calls would do before.")
        .def("values", &HeldDecider::values, "x"_a, "ranked"_a, "n_threads"_a,
             "The value of every machine. With `ranked`, the order of the largest is certain too.")
        .def("probabilities", &HeldDecider::probabilities, "x"_a, "slope"_a.noconvert(), "offset"_a.noconvert(),
             "machine"_a.noconvert(), "n_threads"_a,
             "The probability of each class: sigmoids of the values of all pairs, coupled.\n\n"
             "`machine` names the machine of each pair, in the order (0, 1), (0, 2), ...; slope and offset are those "
             "of\n"
             "the sigmoid of each machine.")
        .def("decide", &HeldDecider::decide, "x"_a, "plan"_a, "out"_a.noconvert(), "n_threads"_a,
             "Writes the class of each sample to `out`.")
        .def("trace", &HeldDecider::trace, "x"_a, "plan"_a, "n_threads"_a, "The path of each sample.")
        .def("choices", &HeldDecider::choices, "plan"_a.none(), "n_samples"_a, "n_threads"_a,
             "How `decide` goes about this many samples, or `values` if there is no plan, in words.")
        .def("distinct_vectors", &HeldDecider::distinct_vectors, "begin"_a.noconvert(), "machines"_a.noconvert(),
             "The number of distinct vectors in the machines of each path.");
    m.def(
        "add_votes",
        [](In2<double> values, std::size_t n_classes, int n_threads) {
            const std::size_t n = values.shape(0);
            // (The product may overflow.)
            if (n_classes < 2 || values.shape(1) / (n_classes - 1) > n_classes ||
                2 * values.shape(1) != n_classes * (n_classes - 1))
                throw std::invalid_argument("values need a column for each pair of classes");
            std::vector<double> votes(n * n_classes), sums(n * n_classes);
            without_lock([&](const CheckSignals&) {
                add_votes(values.data(), n, n_classes, {n_threads_of(n_threads), {}}, votes.data(), sums.data());
                return true;
            });
            return std::pair(hand_over(std::move(votes), n, n_classes), hand_over(std::move(sums), n, n_classes));
        },
        "values"_a.noconvert(), "n_classes"_a, "n_threads"_a,
        "The votes of each class, and the sum of its values, from the values of all pairs.\n\n"
        "A positive value is for the later class of a pair. Values are added pair after pair.");
    // Samples that are computed side by side; blocks of at least this many waste nothing.
    m.attr("SAMPLES_AT_ONCE") = kTile;
}

}  // namespace dagmar::bindings
