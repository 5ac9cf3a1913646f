// Training: tasks, variants and settings go in, machines come out.
#include <nanobind/stl/optional.h>
#include <nanobind/typing.h>

#include <cstddef>
#include <cstring>
#include <numeric>
#include <tuple>

#include "base/integers.hpp"
#include "gram/gram.hpp"
#include "held_problem.hpp"
#include "train/train.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

namespace {

// Variants and the array of caps they read.
struct HeldVariants {
    In2<double> cap;
    Variants core;
};

// One machine in `TrainedMachines.machines`, a NumPy array of records: an array for every property would take longer to
// make than a few small machines to train.
struct MachineRecord {
    double bias, objective, norm2, gap, seconds;
    std::int64_t iterations, rows_computed, rows_reused, visits, free_steps, merged;
    std::int32_t status, rows;
    bool refined, in_double, indefinite;
};

MachineRecord record_of(const Machine& m) {
    return {m.bias,
            m.objective,
            m.norm2,
            m.gap,
            m.seconds,
            m.iterations,
            m.rows_computed,
            m.rows_reused,
            m.visits,
            m.free_steps,
            m.merged,
            static_cast<std::int32_t>(m.status),
            static_cast<std::int32_t>(m.rows),
            m.refined,
            m.in_double,
            m.indefinite};
}

// The NumPy type of `MachineRecord`.
nb::object record_type() {
    nb::list names, formats, offsets;
    const auto add = [&](const char* name, const char* format, std::size_t offset) {
        names.append(name);
        formats.append(format);
        offsets.append(offset);
    };
    using R = MachineRecord;
    add("bias", "f8", offsetof(R, bias));
    add("objective", "f8", offsetof(R, objective));
    add("norm2", "f8", offsetof(R, norm2));
    add("gap", "f8", offsetof(R, gap));
    add("seconds", "f8", offsetof(R, seconds));
    add("iterations", "i8", offsetof(R, iterations));
    add("rows_computed", "i8", offsetof(R, rows_computed));
    add("rows_reused", "i8", offsetof(R, rows_reused));
    add("visits", "i8", offsetof(R, visits));
    add("free_steps", "i8", offsetof(R, free_steps));
    add("merged", "i8", offsetof(R, merged));
    add("status", "i4", offsetof(R, status));
    add("rows", "i4", offsetof(R, rows));
    add("refined", "?", offsetof(R, refined));
    add("in_double", "?", offsetof(R, in_double));
    add("indefinite", "?", offsetof(R, indefinite));
    nb::dict fields;
    fields["names"] = names;
    fields["formats"] = formats;
    fields["offsets"] = offsets;
    fields["itemsize"] = sizeof(R);
    return nb::module_::import_("numpy").attr("dtype")(fields);
}

struct TrainedMachines {
    Out1<std::int64_t> tasks, begin;
    Out1<std::int32_t> sample;
    Out1<double> coef;
    Out1<std::uint8_t> records;  // the bytes of one MachineRecord after another
    Out1<std::int64_t> outside_begin;
    Out1<double> outside;
};

// Joins the lists of all machines, and returns where each begins. Each list is freed once it is copied, so that memory
// is needed only once.
template <class T>
std::pair<Out1<std::int64_t>, Out1<T>> join(std::vector<Machine>& machines, std::vector<T> Machine::* list) {
    std::vector<std::int64_t> begin{0};
    for (const Machine& m : machines) begin.push_back(begin.back() + static_cast<std::int64_t>((m.*list).size()));
    std::vector<T> all;
    all.reserve(usize(begin.back()));
    for (Machine& m : machines) {
        all.insert(all.end(), (m.*list).begin(), (m.*list).end());
        std::vector<T>().swap(m.*list);
    }
    return {hand_over(std::move(begin)), hand_over(std::move(all))};
}

TrainedMachines to_arrays(const std::vector<std::size_t>& tasks, std::vector<Machine> machines) {
    std::vector<std::uint8_t> records(machines.size() * sizeof(MachineRecord));
    for (std::size_t m = 0; m < machines.size(); ++m) {
        const MachineRecord record = record_of(machines[m]);
        std::memcpy(records.data() + m * sizeof(record), &record, sizeof(record));
    }
    TrainedMachines out;
    out.records = hand_over(std::move(records));
    out.tasks = hand_over(std::vector<std::int64_t>(tasks.begin(), tasks.end()));
    std::tie(out.begin, out.sample) = join(machines, &Machine::sample);
    out.coef = join(machines, &Machine::coef).second;
    std::tie(out.outside_begin, out.outside) = join(machines, &Machine::outside);
    return out;
}

using Callback = std::optional<nb::typed<nb::callable, nb::object(TrainedMachines)>>;

// Hands machines to a Python function as they are finished. Its exception stays set, for without_lock to throw.
Finished call_with_machines(const Callback& function, std::size_t n_variants) {
    if (!function) return {};
    return [&function, n_variants](const std::vector<std::size_t>& tasks, const std::vector<Machine>& machines) {
        const nb::gil_scoped_acquire lock;
        try {
            std::vector<Machine> some;
            // Nobody keeps the machines of several variants: the callback learns only which tasks ended.
            if (n_variants == 1)
                for (const std::size_t task : tasks) some.push_back(machines[task]);
            call_python([&] { return (*function)(to_arrays(tasks, std::move(some))); });
            return false;
        } catch (nb::python_error& error) {
            error.restore();
            return true;
        }
    };
}

TrainedMachines train_machines(const HeldProblem& problem, const Tasks& tasks, const HeldVariants& variants,
                               const TrainSettings& settings, std::optional<In1<double>> soft, Callback finished) {
    if (soft && soft->shape(0) == 0 && !tasks.classes.empty()) throw std::invalid_argument("soft is empty");
    const std::span<const double> labels = soft ? to_span(*soft) : std::span<const double>{};
    check(problem.core(), tasks, variants.core, labels);
    const Finished callback = call_with_machines(finished, variants.core.n);
    std::vector<Machine> machines;
    without_lock([&](const CheckSignals& check_signals) {
        return train(problem.core(), tasks, variants.core, labels, settings, callback, check_signals, machines);
    });
    std::vector<std::size_t> every(tasks.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    return to_arrays(every, std::move(machines));
}

// The samples that lists of machines name, in class order, as `order` has them; where each class begins among them; the
// place of each entry of the lists among them.
nb::typed<nb::tuple, Out1<std::int64_t>, Out1<std::int64_t>, Out1<std::int32_t>> pool(In1<std::int32_t> sample,
                                                                                      In1<std::int64_t> order,
                                                                                      In1<std::int64_t> class_start) {
    const std::size_t n_samples = order.shape(0);
    std::vector<std::int32_t> before(n_samples + 1, 0);  // of 32 bits: there are as many places in a list's entries
    std::vector<std::int64_t> support, starts;
    for (const std::int32_t k : to_span(sample)) {
        if (k < 0 || usize(k) >= n_samples) throw std::invalid_argument("a machine names a sample that there is not");
        before[usize(k) + 1] = 1;
    }
    for (std::size_t k = 0; k < n_samples; ++k) before[k + 1] += before[k];
    support.resize(usize(before[n_samples]));
    for (std::size_t k = 0; k < n_samples; ++k)
        if (before[k + 1] > before[k]) support[usize(before[k])] = order.data()[k];
    for (const std::int64_t start : to_span(class_start)) {
        if (start < 0 || usize(start) > n_samples) throw std::invalid_argument("class_start is outside order");
        starts.push_back(before[usize(start)]);
    }
    std::vector<std::int32_t> index(sample.shape(0));
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = before[usize(sample.data()[i])];
    return nb::make_tuple(hand_over(std::move(support)), hand_over(std::move(starts)), hand_over(std::move(index)));
}

Out2<double> similarity(const HeldProblem& problem, In1<double> weight, int n_threads, Level level) {
    const Problem& core = problem.core();
    if (weight.shape(0) != core.order.size())
        throw std::invalid_argument("weight needs one number per sample in order");
    available(level);
    const std::size_t n = core.n_classes();
    std::vector<double> out(n * n);
    const int n_workers = n_threads_of(n_threads);
    without_lock([&](const CheckSignals& check_signals) {
        const Threads threads{n_workers, check_signals};
        Spare spare(n_workers - 1);
        return core.precision == Precision::single_
                   ? class_similarity(*make_gram<float>(core, level, spare), to_span(weight), threads, out.data())
                   : class_similarity(*make_gram<double>(core, level, spare), to_span(weight), threads, out.data());
    });
    return hand_over(std::move(out), n, n);
}

double error_of_single(const HeldProblem& problem, In1<std::int32_t> rows, int n_threads, Level level) {
    const Problem& core = problem.core();
    if (core.n_classes() != 1) throw std::invalid_argument("single_error needs a problem of one class");
    const std::vector<std::int32_t> asked = to_vector(rows);
    for (const std::int32_t row : asked)
        if (row < 0 || usize(row) >= core.order.size()) throw std::invalid_argument("rows must be places in order");
    available(level);
    Spare spare(n_threads_of(n_threads) - 1);
    const nb::gil_scoped_release unlocked;
    return single_error(core, asked, level, spare);
}

void make_tasks(Tasks* self, In1<std::int64_t> begin, In1<std::int32_t> classes, In1<std::int8_t> sides,
                std::optional<In1<double>> C, std::optional<In1<double>> gamma) {
    const std::size_t n = begin.shape(0) ? begin.shape(0) - 1 : 0;
    Tasks tasks{to_vector(begin), to_vector(classes), to_vector(sides), to_vector(C, n, "C needs one number per task"),
                to_vector(gamma, n, "gamma needs one number per task")};
    check(tasks);
    new (self) Tasks(std::move(tasks));
}

void make_variants(HeldVariants* self, In2<double> cap, std::optional<In1<std::int32_t>> start,
                   std::optional<In1<double>> ratio) {
    const std::size_t n = cap.shape(0);
    if (start.has_value() != ratio.has_value()) throw std::invalid_argument("start and ratio belong together");
    constexpr const char* wrong = "start and ratio need one number per variant";
    new (self) HeldVariants{
        cap,
        Variants{n, cap.shape(1), {cap.data(), cap.size()}, to_vector(start, n, wrong), to_vector(ratio, n, wrong)}};
}

void make_settings(TrainSettings* self, double tol, std::int64_t max_iter, double memory, int n_threads,
                   double per_thread, Level level, bool outside, std::optional<RowsWay> rows,
                   std::optional<bool> active_part, std::optional<bool> duplicates) {
    constexpr double most = 9007199254740992.0;  // 2^53 bytes: more than any machine has
    if (!(memory >= 0)) throw std::invalid_argument("memory must be 0 or more");
    if (!(per_thread >= 0)) throw std::invalid_argument("per_thread must be 0 or more");
    const auto bytes = static_cast<std::size_t>(std::min(memory, most));
    new (self) TrainSettings{tol,        max_iter,         bytes,   n_threads_of(n_threads),
                             per_thread, available(level), outside, Overrides{rows, active_part, duplicates}};
}

void bind_arguments(nb::module_& m) {
    nb::class_<Tasks>(m, "Tasks",
                      "Binary questions: task t asks ``classes[begin[t]:begin[t+1]]``, each with side +1 or -1.\n\n"
                      "The caps of a task's samples are multiplied by its `C`; its `gamma` replaces the kernel's.")
        .def("__init__", &make_tasks, nb::kw_only(), "begin"_a.noconvert(), "classes"_a.noconvert(),
             "sides"_a.noconvert(), "C"_a.noconvert() = nb::none(), "gamma"_a.noconvert() = nb::none());
    nb::class_<HeldVariants>(
        m, "Variants",
        "Problems that differ in their caps: row v of `cap` has the caps of all samples.\n\n"
        "Variant v may start from an earlier one, ``start[v]``, whose caps are ``ratio[v]`` times\n"
        "smaller; -1 for none.")
        .def("__init__", &make_variants, nb::kw_only(), "cap"_a.noconvert(), "start"_a.noconvert() = nb::none(),
             "ratio"_a.noconvert() = nb::none());
    nb::class_<TrainSettings>(
        m, "TrainSettings",
        "The settings of a training, apart from the problem.\n\n"
        "`memory` is bytes for kernel rows. Of `n_threads` threads, as many work as the work is\n"
        "worth: `per_thread` of it for each, as the sum of the squared numbers of samples of all\n"
        "tasks. With `outside`, machines keep their values on samples of cap 0. `rows`, `active_part` and\n"
        "`duplicates` replace the core's own choices where they are given, so that tests reach every way.")
        .def("__init__", &make_settings, nb::kw_only(), "tol"_a, "max_iter"_a, "memory"_a, "n_threads"_a,
             "per_thread"_a = 0.0, "level"_a, "outside"_a = false, "rows"_a = nb::none(), "active_part"_a = nb::none(),
             "duplicates"_a = nb::none());
}

void bind_machines(nb::module_& m) {
    nb::enum_<RowsWay>(m, "RowsWay", nb::is_arithmetic(), "How the kernel rows of a machine were made available.")
        .value("small", RowsWay::small)
        .value("kept", RowsWay::kept)
        .value("streamed", RowsWay::streamed);
    nb::enum_<Status>(m, "Status", nb::is_arithmetic(), "How the solver ended.")
        .value("converged", Status::converged)
        .value("max_iter", Status::max_iter)
        .value("imprecise", Status::imprecise)
        .value("interrupted", Status::interrupted)
        .value("stalled", Status::stalled)
        .value("not_finite", Status::not_finite)
        .value("unbounded", Status::unbounded);
    using M = TrainedMachines;
    constexpr auto shared = nb::rv_policy::reference;  // the arrays own their memory
    const nb::object record = record_type();
    m.attr("MACHINE_RECORD") = record;
    nb::class_<M>(m, "TrainedMachines", "Machines as training leaves them.")
        .def_ro("tasks", &M::tasks, shared,
                "The tasks of the call that have ended; their machines follow in this order.")
        .def_ro("begin", &M::begin, shared,
                "Machine m has samples ``sample[begin[m]:begin[m+1]]`` of the problem's order.")
        .def_ro("sample", &M::sample, shared, "Ascending within a machine.")
        .def_ro("coef", &M::coef, shared, "Of each entry of `sample`.")
        .def_prop_ro(
            "machines",
            [record](const M& out) { return nb::cast(out.records, nb::rv_policy::reference).attr("view")(record); },
            nb::for_getter(nb::sig("def machines(self, /) -> NDArray[numpy.void]")),
            "One record per machine: `bias`; `objective`, the dual objective; `norm2`, the squared norm of the weight\n"
            "vector in kernel space; `gap`, the KKT gap that is compared with `tol`; `seconds`; `iterations` of the\n"
            "solver; `rows_computed` and `rows_reused`, kernel rows computed, and asked for again while available;\n"
            "`status`, a `Status` as a number; `refined`, whether scores or the whole machine were computed in double\n"
            "precision; `in_double`, whether the machine was solved again in double precision; `indefinite`, whether\n"
            "a step met a negative curvature, because the kernel matrix is not positive semi-definite.")
        .def_ro("outside_begin", &M::outside_begin, shared, "Where the values of each machine begin in `outside`.")
        .def_ro("outside", &M::outside, shared, "Values on samples of cap 0, if the settings asked for them.");
}

}  // namespace

void bind_train(nb::module_& m) {
    bind_machines(m);
    bind_arguments(m);
    m.def(
        "train", &train_machines, "problem"_a, "tasks"_a, "variants"_a, "settings"_a, "soft"_a.noconvert() = nb::none(),
        "finished"_a = nb::none(),
        "Solve one box-constrained problem per task and variant, in parallel.\n\n"
        "The machines of a task, one per variant, stand next to each other. `soft` has the soft labels of each task's\n"
        "samples, one task after the other. `finished` is called now and then, and at the end, by the calling thread\n"
        "with the machines that ended since its last call (with several variants, only with their tasks). What it\n"
        "raises stops the training.");
    m.def("pool", &pool, "sample"_a.noconvert(), "order"_a.noconvert(), "class_start"_a.noconvert(),
          "The samples of `order` that lists of machines name, in that order; where each class begins among them; the\n"
          "place of each entry of the lists among them.");
    m.def("class_similarity", &similarity, "problem"_a, "weight"_a.noconvert(), "n_threads"_a, "level"_a,
          "Sums of weighted kernel values between every two classes.");
    m.def("single_error", &error_of_single, "problem"_a, "rows"_a.noconvert(), "n_threads"_a, "level"_a,
          "The largest difference between kernel values in single and in double precision, in these rows. The problem\n"
          "has one class, and `rows` are places in its order.");
    m.attr("ALLOWED_ERRORS") = kHopelessSigmas;
}

}  // namespace dagmar::bindings
