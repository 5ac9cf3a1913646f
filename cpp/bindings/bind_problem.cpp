// Samples, kernels, precisions, instruction sets, and the problem they make.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <stdexcept>

#include "../core/classes.hpp"
#include "../core/gram.hpp"
#include "../core/integers.hpp"
#include "../core/levels.hpp"
#include "../core/norms.hpp"
#include "../core/sparse_lanes.hpp"
#include "../core/usual_values.hpp"
#include "problem.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

namespace {

// Calls a function with the view of dense samples, without the interpreter lock.
template <class Call>
void with_dense(const Data& x, const Call& call) {
    if (std::holds_alternative<SparseView>(x.view)) throw std::invalid_argument("this needs dense samples");
    const nb::gil_scoped_release unlocked;
    if (const auto* single = std::get_if<DenseView<float>>(&x.view))
        call(*single);
    else
        call(std::get<DenseView<double>>(x.view));
}

// The same with every `every`-th of the samples.
template <class Call>
void with_some(const Data& x, std::size_t every, const Call& call) {
    if (every == 0) throw std::invalid_argument("every must be 1 or more");
    if (n_samples(x.view) == 0 || n_features(x.view) == 0) throw std::invalid_argument("there are no samples");
    with_dense(x, [&](const auto& view) { call(SomeRows{view, every}); });
}

std::span<const double> of_features(const Data& x, const std::optional<In1<double>>& centre) {
    if (!centre) return {};
    if (centre->shape(0) != n_features(x.view)) throw std::invalid_argument("centre must have one number per feature");
    return to_span(*centre);
}

}  // namespace

void bind_problem(nb::module_& m) {
    nb::class_<Data>(m, "Data", "Samples, dense or sparse, read in place.")
        .def(nb::init<In2<double>>(), "x"_a.noconvert())
        .def(nb::init<In2<float>>(), "x"_a.noconvert())
        .def(nb::init<In1<double>, In1<std::int32_t>, In1<std::int32_t>, std::size_t>(), "data"_a.noconvert(),
             "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_features"_a);

    nb::enum_<KernelType>(m, "KernelType", "Kernel functions.")
        .value("linear", KernelType::linear)
        .value("poly", KernelType::poly)
        .value("rbf", KernelType::rbf)
        .value("sigmoid", KernelType::sigmoid)
        .value("precomputed", KernelType::precomputed);

    const auto make_kernel = [](Kernel* self, KernelType type, double gamma, double coef0, int degree, double scale,
                                bool by_differences) {
        if (degree < 0) throw std::invalid_argument("degree of a kernel must be 0 or more");
        if (type == KernelType::rbf && gamma < 0)
            throw std::invalid_argument("gamma of an rbf kernel must not be negative");  // no value may be above 1
        int exponent = 0;
        if (!(std::isfinite(scale) && std::frexp(scale, &exponent) == 0.5))
            throw std::invalid_argument("the scale of a kernel must be a power of two");
        new (self) Kernel{type, gamma, coef0, degree, scale, by_differences};
    };
    nb::class_<Kernel>(
        m, "Kernel",
        "A kernel with every number filled in.\n\n"
        "Where machines have gammas of their own, `gamma` is the largest of them. `scale` is a power of\n"
        "two by which samples are multiplied where they are loaded; it changes no value. With\n"
        "`by_differences`, training computes distances (rbf) from differences of samples.")
        .def("__init__", make_kernel, "type"_a, "gamma"_a, "coef0"_a, "degree"_a, "scale"_a = 1.0,
             "by_differences"_a = false)
        .def(
            "error",
            [](const Kernel& kernel, double norm2_x, double norm2_z, std::size_t n_features, double unit) {
                return kernel.error(norm2_x, norm2_z, n_features, {unit});
            },
            "norm2_x"_a, "norm2_z"_a, "n_features"_a, "unit"_a,
            "Standard error of a value computed in arithmetic of this unit roundoff.")
        .def("largest", &Kernel::largest, "norm2_x"_a, "norm2_z"_a, "The largest size of a value.");

    nb::enum_<Precision>(m, "Precision", "What kernel values are computed in.")
        .value("single", Precision::single_)
        .value("double", Precision::double_);

    nb::enum_<Level>(m, "Level", "Instruction sets, lowest first.")
        .value("plain", Level::plain)
        .value("avx2", Level::avx2)
        .value("avx512", Level::avx512);
    m.def("best_level", &best_level, "The best instruction set of this processor.");

    nb::class_<HeldProblem>(
        m, "Problem",
        "Training samples in class order, and the kernel between them.\n\n"
        "`order` lists samples of `x`; `class_start` says where each class begins in it, and ends with\n"
        "its length. `centre` is subtracted from dense samples before the kernel sees them.\n"
        "`kernel_error` and `double_error` are the standard errors of a kernel value in single and double\n"
        "precision. `common` are the common features of sparse samples, if it is part of a larger problem.\n"
        "`levels` says which features of dense samples are multiples of one step, if any: of each, where\n"
        "its level is 0, the levels per unit (0 if it has none), and the highest level (-1 if it has none).\n"
        "`norms` are those of all samples of `x`: equal samples of a class are found by them, and trained as one.")
        .def(nb::init<const Data&, In1<std::int64_t>, In1<std::int64_t>, const Kernel&, std::optional<In1<double>>,
                      Precision, double, double, std::optional<In1<std::int32_t>>, std::optional<In1<double>>,
                      std::optional<In1<double>>>(),
             nb::kw_only(), "x"_a, "order"_a.noconvert(), "class_start"_a.noconvert(), "kernel"_a,
             "centre"_a.noconvert() = nb::none(), "precision"_a = Precision::double_, "kernel_error"_a = 0.0,
             "double_error"_a = 0.0, "common"_a.noconvert() = nb::none(), "levels"_a.noconvert() = nb::none(),
             "norms"_a.noconvert() = nb::none());

    m.def(
        "range_of",
        [](In1<std::int64_t> y) {
            if (y.shape(0) == 0) throw std::invalid_argument("y is empty");
            return range_of(to_span(y));
        },
        "y"_a.noconvert(), "The lowest and the highest label.");
    m.def(
        "number_classes",
        [](In1<std::int64_t> y) -> std::optional<nb::typed<nb::tuple, Out1<std::int64_t>, Out1<std::int64_t>>> {
            auto found = number_classes(to_span(y));
            if (!found) return std::nullopt;
            return nb::make_tuple(hand_over(std::move(found->labels)), hand_over(std::move(found->class_index)));
        },
        "y"_a.noconvert(),
        "The distinct labels, ascending, and the place of each sample's label among them. None if the labels have a\n"
        "wider range than there are samples.");
    m.def(
        "sort_by_class",
        [](In1<std::int64_t> class_index,
           std::size_t n_classes) -> nb::typed<nb::tuple, Out1<std::int64_t>, Out1<std::int64_t>> {
            auto sorted = sort_by_class(to_span(class_index), n_classes);
            return nb::make_tuple(hand_over(std::move(sorted.order)), hand_over(std::move(sorted.class_start)));
        },
        "class_index"_a.noconvert(), "n_classes"_a,
        "The samples, class after class and within a class in their given order; where each class begins among them.");

    m.def(
        "common_features",
        [](In1<std::int32_t> features, In1<std::int64_t> counts, In1<std::int64_t> class_start) {
            if (features.shape(0) != counts.shape(0))
                throw std::invalid_argument("features and counts must have the same length");
            std::vector<Occurrence> found;
            for (std::size_t f = 0; f < features.shape(0); ++f)
                found.push_back({features.data()[f], usize(counts.data()[f])});
            std::size_t n_lanes = 0;
            for (std::size_t c = 1; c < class_start.shape(0); ++c)
                n_lanes += padded(usize(class_start.data()[c] - class_start.data()[c - 1]));
            return hand_over(common_features(found, n_lanes));
        },
        "features"_a.noconvert(), "counts"_a.noconvert(), "class_start"_a.noconvert(),
        "Which of the features that occur in sparse samples are common, as `Problem` takes them.\n\n"
        "`counts` has the number of samples of each feature; the features ascend.");

    m.def(
        "usual_centre",
        [](const Data& x, std::size_t every, In1<double> mean, bool zeros_only) -> std::optional<Out1<double>> {
            if (mean.shape(0) != n_features(x.view))
                throw std::invalid_argument("mean must have one number per feature");
            std::optional<std::vector<double>> usual;
            with_some(x, every, [&](const auto& some) { usual = usual_centre(some, to_span(mean), zeros_only); });
            if (!usual) return std::nullopt;
            return hand_over(std::move(*usual));
        },
        "x"_a, "every"_a, "mean"_a.noconvert(), "zeros_only"_a,
        "The value that each feature has in many of the samples, or else its mean; every `every`-th sample is asked.\n"
        "None if too few features would be zero after centring for zeros to be skipped, or if the samples would be "
        "far\n"
        "from the origin then. With `zeros_only` the value is 0.");

    m.def(
        "common_step",
        [](const Data& x, std::size_t every) {
            double step = 0.0;
            with_some(x, every, [&](const auto& some) { step = common_step(some); });
            return step;
        },
        "x"_a, "every"_a, "The step that most features of every `every`-th sample have in common; 0 if there is none.");

    m.def(
        "survey_levels",
        [](const Data& x, In1<double> origin, double step, int n_threads) {
            if (origin.shape(0) != n_features(x.view))
                throw std::invalid_argument("origin must have one number per feature");
            if (!(step > 0)) throw std::invalid_argument("step must be positive");
            std::vector<double> all;
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { all = survey_levels(view, origin.data(), 1.0 / step, spare); });
            return hand_over(std::move(all));
        },
        "x"_a, "origin"_a.noconvert(), "step"_a, "n_threads"_a,
        "Of each feature of dense samples: the lowest and the highest value, and how far a value is from a whole\n"
        "number of steps from `origin` at most, in steps. Three arrays, one after the other.");

    m.def(
        "choose_levels",
        [](const Data& x, std::size_t every, In1<double> survey, double step, double gamma,
           const std::optional<In1<double>>& centre) -> std::optional<Out1<double>> {
            if (survey.shape(0) != 3 * n_features(x.view))
                throw std::invalid_argument("survey must have three numbers per feature");
            if (!(step > 0)) throw std::invalid_argument("step must be positive");
            const std::span<const double> from = of_features(x, centre);
            std::optional<std::vector<double>> levels;
            with_some(x, every,
                      [&](const auto& some) { levels = choose_levels(some, to_span(survey), step, gamma, from); });
            if (!levels) return std::nullopt;
            return hand_over(std::move(*levels));
        },
        "x"_a, "every"_a, "survey"_a.noconvert(), "step"_a, "gamma"_a, "centre"_a.noconvert(),
        "The `levels` of a problem from what `survey_levels` told of all samples; every `every`-th of `x` tells how "
        "many\n"
        "zeros there are. None where this is of no use.");

    m.def(
        "finite_samples",
        [](nb::handle x, int n_threads) {
            Spare spare(n_threads_of(n_threads) - 1);
            const auto finite = [&]<class S>(In2<S> as) {
                if (!nb::try_cast(x, as, false) || as.size() == 0) return false;
                std::optional<nb::gil_scoped_release> unlocked;
                if (as.size() > 10000) unlocked.emplace();  // others would wait; of one sample, they do not notice
                return all_finite(DenseView<S>{as.data(), as.shape(0), as.shape(1)}, spare);
            };
            return finite(In2<double>()) || finite(In2<float>());
        },
        "x"_a, "n_threads"_a, "Whether `Data` takes x as dense samples, there are any, and all numbers are finite.");

    m.def(
        "squared_norms",
        [](const Data& x, std::optional<In1<double>> centre, int n_threads) {
            const std::span<const double> from = of_features(x, centre);
            std::vector<double> norms(n_samples(x.view));
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { squared_norms(view, from, spare, norms.data()); });
            return hand_over(std::move(norms));
        },
        "x"_a, "centre"_a.noconvert(), "n_threads"_a,
        "Squared norms of dense samples after `centre`, if there is one, is subtracted; in double precision.");

    m.def(
        "column_sums",
        [](const Data& x, int n_threads) {
            std::vector<double> sums(n_features(x.view));
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { column_sums(view, spare, sums.data()); });
            return hand_over(std::move(sums));
        },
        "x"_a, "n_threads"_a,
        "Sums of the features of dense samples in double precision, the same bits for any number of threads.");

    m.def(
        "more_nonzeros",
        [](const Data& x, std::size_t most) {
            bool more = false;
            with_dense(x, [&](const auto& view) { more = more_nonzeros(view, most); });
            return more;
        },
        "x"_a, "most"_a, "Whether more than `most` numbers of dense samples are not zero.");

    m.def(
        "samples_to_measure",
        [](In1<double> norms, std::size_t n_rows,
           std::size_t n_spread) -> nb::typed<nb::tuple, Out1<std::int64_t>, Out1<std::int32_t>> {
            if (n_rows == 0) throw std::invalid_argument("n_rows must be 1 or more");
            Measured measured = samples_to_measure(to_span(norms), n_rows, n_spread);
            return nb::make_tuple(hand_over(std::move(measured.samples)), hand_over(std::move(measured.rows)));
        },
        "norms"_a.noconvert(), "n_rows"_a, "n_spread"_a,
        "Samples whose kernel values tell the error of single precision: those with the largest norms, then "
        "`n_spread`\n"
        "or fewer others, spread evenly over the data; and about `n_rows` places among them, the rows to compute.");

    const auto copy = []<class S>(const Data& x, In1<std::int64_t> index, Target2<S> out, int n_threads) {
        const auto* view = std::get_if<DenseView<S>>(&x.view);
        if (!view) throw std::invalid_argument("out must have the type of the samples");
        if (out.shape(0) != index.shape(0) || out.shape(1) != view->d)
            throw std::invalid_argument("out must have a row for each of index");
        for (const std::int64_t i : to_span(index))
            if (i < 0 || usize(i) >= view->n) throw std::invalid_argument("index is outside the samples");
        Spare spare(n_threads_of(n_threads) - 1);
        const nb::gil_scoped_release unlocked;
        copy_rows(*view, to_span(index), spare, out.data());
    };
    constexpr const char* about_copy = "Copies rows of dense samples to `out`, a row-major array of their type.";
    m.def(
        "copy_rows",
        [copy](const Data& x, In1<std::int64_t> index, Target2<double> out, int n_threads) {
            copy(x, index, out, n_threads);
        },
        "x"_a, "index"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a, about_copy);
    m.def(
        "copy_rows",
        [copy](const Data& x, In1<std::int64_t> index, Target2<float> out, int n_threads) {
            copy(x, index, out, n_threads);
        },
        "x"_a, "index"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a, about_copy);

    // Rows with at most this share of nonzeros are multiplied by their nonzeros alone.
    m.attr("FEW_NONZEROS") = kFewNonzeros;
}

}  // namespace dagmar::bindings
