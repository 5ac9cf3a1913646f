#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "../core/similarity.hpp"
#include "../core/train.hpp"
#include "arrays.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

namespace {

template <class T>
std::unique_ptr<GramRows<T>> make_gram(const Data& x, const In1<std::int64_t>& index,
                                       const std::vector<std::size_t>& start, const double* centre,
                                       const Kernel& kernel, Level level) {
    return std::visit(
        [&](const auto& view) -> std::unique_ptr<GramRows<T>> {
            if constexpr (std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
                return sparse_gram<T>(view, index.data(), start, kernel, simd<T>(level));
            else if (kernel.type == KernelType::precomputed)
                return precomputed_gram<T>(view, index.data(), start, kernel);
            else
                return dense_gram<T>(view, index.data(), start, centre, kernel, simd<T>(level));
        },
        x.view);
}

// One array per property of the machines, and their lists one after the other.
nb::dict as_arrays(std::vector<Machine>&& machines) {
    const std::size_t n = machines.size();
    std::vector<std::int64_t> begin{0}, iterations, computed, reused;
    std::vector<std::int32_t> sample, status;
    std::vector<double> coef, bias, objective, norm2, gap, seconds;
    std::vector<std::uint8_t> refined;
    std::vector<double> outside;
    std::vector<std::int64_t> outside_begin{0};
    std::size_t total = 0;
    for (const Machine& m : machines) total += m.sample.size();
    sample.reserve(total);
    coef.reserve(total);
    begin.reserve(n + 1);
    for (Machine& m : machines) {
        sample.insert(sample.end(), m.sample.begin(), m.sample.end());
        coef.insert(coef.end(), m.coef.begin(), m.coef.end());
        begin.push_back(static_cast<std::int64_t>(sample.size()));
        bias.push_back(m.bias);
        objective.push_back(m.objective);
        norm2.push_back(m.norm2);
        gap.push_back(m.gap);
        seconds.push_back(m.seconds);
        iterations.push_back(m.iterations);
        computed.push_back(m.rows_computed);
        reused.push_back(m.rows_reused);
        status.push_back(static_cast<std::int32_t>(m.status));
        refined.push_back(m.refined);
        outside.insert(outside.end(), m.outside.begin(), m.outside.end());
        outside_begin.push_back(static_cast<std::int64_t>(outside.size()));
        m = Machine{};
    }
    nb::dict out;
    out["begin"] = hand_over(std::move(begin));
    out["sample"] = hand_over(std::move(sample));
    out["coef"] = hand_over(std::move(coef));
    out["bias"] = hand_over(std::move(bias));
    out["objective"] = hand_over(std::move(objective));
    out["norm2"] = hand_over(std::move(norm2));
    out["gap"] = hand_over(std::move(gap));
    out["seconds"] = hand_over(std::move(seconds));
    out["iterations"] = hand_over(std::move(iterations));
    out["rows_computed"] = hand_over(std::move(computed));
    out["rows_reused"] = hand_over(std::move(reused));
    out["status"] = hand_over(std::move(status));
    out["refined"] = hand_over(std::move(refined));
    out["outside"] = hand_over(std::move(outside));
    out["outside_begin"] = hand_over(std::move(outside_begin));
    return out;
}

// Hands machines to a Python function as they are finished. Its exception stays set, for without_lock to throw.
Finished call_with_machines(const nb::object& function, std::size_t n_variants) {
    if (function.is_none()) return {};
    return [&function, n_variants](const std::vector<std::size_t>& tasks, const std::vector<Machine>& machines) {
        const nb::gil_scoped_acquire lock;
        try {
            std::vector<Machine> some;
            // Of several variants there is nothing to keep: only which tasks ended is told.
            if (n_variants == 1)
                for (const std::size_t task : tasks) some.push_back(machines[task]);
            nb::dict out = as_arrays(std::move(some));
            out["task"] = hand_over(std::vector<std::int64_t>(tasks.begin(), tasks.end()));
            function(out);
            return false;
        } catch (nb::python_error& error) {
            error.restore();
            return true;
        }
    };
}

nb::dict train_machines(const Data& x, In1<std::int64_t> index, In1<std::int64_t> class_start, const Kernel& kernel,
                        std::optional<In1<double>> centre, bool single, double kernel_error,
                        In1<std::int64_t> task_begin, In1<std::int32_t> task_class, In1<std::int8_t> task_side,
                        In2<double> cap, std::optional<In1<double>> soft, double tol, std::int64_t max_iter,
                        double memory, int n_threads, bool small, Level level, std::optional<In1<double>> task_gamma,
                        std::optional<In1<double>> task_scale, std::optional<In1<std::int32_t>> begin_from,
                        std::optional<In1<double>> ratio, bool outside, const nb::object& finished) {
    const std::size_t n_variants = cap.shape(0);
    if (index.shape(0) != cap.shape(1) || task_class.shape(0) != task_side.shape(0) || n_threads < 1)
        throw std::invalid_argument("index and cap, or task_class and task_side, differ in length, or n_threads < 1");
    std::vector<std::size_t> start(class_start.data(), class_start.data() + class_start.shape(0));
    if (start.back() != index.shape(0))
        throw std::invalid_argument("class_start does not end at the number of samples");
    const Tasks tasks{to_vector(task_begin), to_vector(task_class), to_vector(task_side),
                      task_gamma ? to_vector(*task_gamma) : std::vector<double>{},
                      task_scale ? to_vector(*task_scale) : std::vector<double>{}};
    if ((task_gamma && task_gamma->shape(0) != tasks.size()) || (task_scale && task_scale->shape(0) != tasks.size()))
        throw std::invalid_argument("task_gamma and task_scale need one number per task");
    std::vector<Variant> variants(n_variants);
    for (std::size_t v = 0; v < n_variants; ++v) {
        variants[v].cap.assign(cap.data() + v * cap.shape(1), cap.data() + (v + 1) * cap.shape(1));
        if (!begin_from || !ratio) continue;
        if (begin_from->shape(0) != n_variants || ratio->shape(0) != n_variants ||
            (*begin_from)(v) >= static_cast<std::int32_t>(v))
            throw std::invalid_argument(
                "start and ratio need one number per variant, and a variant starts from an earlier one");
        variants[v].from = (*begin_from)(v);
        variants[v].ratio = (*ratio)(v);
    }
    TrainOptions options;
    options.settings.tol = tol;
    options.settings.max_iter = max_iter;
    options.settings.kernel_error = single ? kernel_error : 0.0;
    options.outside = outside;
    options.memory = static_cast<std::size_t>(memory);
    options.n_threads = n_threads;
    options.inline_ = small;
    options.finished = call_with_machines(finished, n_variants);
    const double* middle = centre ? centre->data() : nullptr;
    std::vector<Machine> machines;
    without_lock([&](const Poll& poll) {
        Sources sources;
        sources.level = level;
        if (single) sources.single = make_gram<float>(x, index, start, middle, kernel, level);
        sources.fine = [&] { return make_gram<double>(x, index, start, middle, kernel, level); };
        return train(std::move(sources), tasks, variants, soft ? to_vector(*soft) : std::vector<double>{}, options,
                     poll, machines);
    });
    return as_arrays(std::move(machines));
}

auto similarity(const Data& x, In1<std::int64_t> index, In1<std::int64_t> class_start, In1<double> weight,
                const Kernel& kernel, std::optional<In1<double>> centre, bool single, int n_threads, Level level) {
    std::vector<std::size_t> start(class_start.data(), class_start.data() + class_start.shape(0));
    if (start.back() != index.shape(0) || weight.shape(0) != index.shape(0))
        throw std::invalid_argument("class_start does not end at the number of samples, or weight has another length");
    const std::size_t n = start.size() - 1;
    std::vector<double> out(n * n);
    const double* middle = centre ? centre->data() : nullptr;
    without_lock([&](const Poll& poll) {
        return single ? class_similarity(*make_gram<float>(x, index, start, middle, kernel, level), to_vector(weight),
                                         n_threads, poll, out.data())
                      : class_similarity(*make_gram<double>(x, index, start, middle, kernel, level), to_vector(weight),
                                         n_threads, poll, out.data());
    });
    return hand_over(std::move(out), {n, n});
}

double single_error(const Data& x, In1<std::int64_t> index, In1<std::int32_t> asked, const Kernel& kernel,
                    std::optional<In1<double>> centre, Level level) {
    const double* middle = centre ? centre->data() : nullptr;
    const std::vector<std::size_t> start{0, index.shape(0)};
    for (std::size_t q = 0; q < asked.shape(0); ++q)
        if (asked(q) < 0 || static_cast<std::size_t>(asked(q)) >= index.shape(0))
            throw std::invalid_argument("asked is not a place of index");
    const nb::gil_scoped_release unlocked;
    return rounding_of_rows(*make_gram<float>(x, index, start, middle, kernel, level),
                            *make_gram<double>(x, index, start, middle, kernel, level), to_vector(asked));
}

}  // namespace

void bind_train(nb::module_& m) {
    nb::enum_<Status>(m, "Status", nb::is_arithmetic())
        .value("converged", Status::converged)
        .value("max_iter", Status::max_iter)
        .value("imprecise", Status::imprecise)
        .value("interrupted", Status::interrupted);
    m.def(
        "train", &train_machines, "x"_a, "index"_a.noconvert(), "class_start"_a.noconvert(), "kernel"_a,
        "centre"_a.noconvert().none(), "single"_a, "kernel_error"_a, "task_begin"_a.noconvert(),
        "task_class"_a.noconvert(), "task_side"_a.noconvert(), "cap"_a.noconvert(), "soft"_a.noconvert().none(),
        "tol"_a, "max_iter"_a, "memory"_a, "n_threads"_a, "small"_a, "level"_a, "task_gamma"_a.noconvert() = nb::none(),
        "task_scale"_a.noconvert() = nb::none(), "start"_a.noconvert() = nb::none(), "ratio"_a.noconvert() = nb::none(),
        "outside"_a = false, "finished"_a = nb::none(),
        "Solve one box-constrained problem per task, in parallel; a dict of arrays, one entry per machine. `finished` "
        "is called\n"
        "now and then with the machines that ended since its last call, as such a dict with their places as \"task\".");
    m.def("single_error", &single_error, "x"_a, "index"_a.noconvert(), "asked"_a.noconvert(), "kernel"_a,
          "centre"_a.noconvert().none(), "level"_a,
          "Root mean square difference of kernel values in single and double precision, in the worst of the rows asked "
          "for.");
    m.def("class_similarity", &similarity, "x"_a, "index"_a.noconvert(), "class_start"_a.noconvert(),
          "weight"_a.noconvert(), "kernel"_a, "centre"_a.noconvert().none(), "single"_a, "n_threads"_a, "level"_a,
          "Sums of kernel values between every two classes.");
}

}  // namespace dagmar::bindings
