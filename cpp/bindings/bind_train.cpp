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
std::unique_ptr<GramRows<T>> make_gram(const Data& x, const In1<std::int64_t>& index, const std::vector<std::size_t>& start,
                                       const double* centre, const Kernel& kernel, Level level) {
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
    return out;
}

// Hands machines to a Python function as they are finished. Its exception stays set, for without_lock to throw.
Finished call_with_machines(const nb::object& function) {
    if (function.is_none()) return {};
    return [&function](const std::vector<std::size_t>& tasks, const std::vector<Machine>& machines) {
        const nb::gil_scoped_acquire lock;
        try {
            std::vector<Machine> some;
            some.reserve(tasks.size());
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
                        std::optional<In1<double>> centre, bool single, double kernel_error, In1<std::int64_t> task_begin,
                        In1<std::int32_t> task_class, In1<std::int8_t> task_side, In1<double> cap,
                        std::optional<In1<double>> soft, double tol, std::int64_t max_iter, double memory, int n_threads,
                        bool small, Level level, const nb::object& finished) {
    if (index.shape(0) != cap.shape(0) || task_class.shape(0) != task_side.shape(0) || n_threads < 1)
        throw std::invalid_argument("index and cap, or task_class and task_side, differ in length, or n_threads < 1");
    std::vector<std::size_t> start(class_start.data(), class_start.data() + class_start.shape(0));
    if (start.back() != index.shape(0)) throw std::invalid_argument("class_start does not end at the number of samples");
    const Tasks tasks{to_vector(task_begin), to_vector(task_class), to_vector(task_side)};
    TrainOptions options;
    options.settings = {tol, max_iter, single ? kernel_error : 0.0};
    options.memory = static_cast<std::size_t>(memory);
    options.n_threads = n_threads;
    options.inline_ = small;
    options.finished = call_with_machines(finished);
    const double* middle = centre ? centre->data() : nullptr;
    std::vector<Machine> machines;
    without_lock([&](const Poll& poll) {
        Sources sources;
        sources.level = level;
        if (single) sources.single = make_gram<float>(x, index, start, middle, kernel, level);
        sources.fine = [&] { return make_gram<double>(x, index, start, middle, kernel, level); };
        return train(std::move(sources), tasks, {Variant{to_vector(cap), -1, 1.0}}, soft ? to_vector(*soft) : std::vector<double>{}, options, poll, machines);
    });
    return as_arrays(std::move(machines));
}

auto similarity(const Data& x, In1<std::int64_t> index, In1<std::int64_t> class_start, In1<double> weight, const Kernel& kernel,
                std::optional<In1<double>> centre, bool single, int n_threads, Level level) {
    std::vector<std::size_t> start(class_start.data(), class_start.data() + class_start.shape(0));
    if (start.back() != index.shape(0) || weight.shape(0) != index.shape(0))
        throw std::invalid_argument("class_start does not end at the number of samples, or weight has another length");
    const std::size_t n = start.size() - 1;
    std::vector<double> out(n * n);
    const double* middle = centre ? centre->data() : nullptr;
    without_lock([&](const Poll& poll) {
        return single ? class_similarity(*make_gram<float>(x, index, start, middle, kernel, level), to_vector(weight), n_threads, poll, out.data())
                      : class_similarity(*make_gram<double>(x, index, start, middle, kernel, level), to_vector(weight), n_threads, poll, out.data());
    });
    return hand_over(std::move(out), {n, n});
}

}  // namespace

void bind_train(nb::module_& m) {
    nb::enum_<Status>(m, "Status", nb::is_arithmetic())
        .value("converged", Status::converged)
        .value("max_iter", Status::max_iter)
        .value("imprecise", Status::imprecise)
        .value("interrupted", Status::interrupted);
    m.def("train", &train_machines, "x"_a, "index"_a.noconvert(), "class_start"_a.noconvert(), "kernel"_a,
          "centre"_a.noconvert().none(), "single"_a, "kernel_error"_a, "task_begin"_a.noconvert(), "task_class"_a.noconvert(),
          "task_side"_a.noconvert(), "cap"_a.noconvert(), "soft"_a.noconvert().none(), "tol"_a, "max_iter"_a, "memory"_a,
          "n_threads"_a, "small"_a, "level"_a, "finished"_a = nb::none(),
          "Solve one box-constrained problem per task, in parallel; a dict of arrays, one entry per machine. `finished` is called\n"
          "now and then with the machines that ended since its last call, as such a dict with their places as \"task\".");
    m.def("class_similarity", &similarity, "x"_a, "index"_a.noconvert(), "class_start"_a.noconvert(), "weight"_a.noconvert(), "kernel"_a,
          "centre"_a.noconvert().none(), "single"_a, "n_threads"_a, "level"_a,
          "Sums of kernel values between every two classes.");
}

}  // namespace dagmar::bindings
