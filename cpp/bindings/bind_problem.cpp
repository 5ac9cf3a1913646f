// Samples, kernels, precisions, instruction sets, and the problem they make.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/integers.hpp"
#include "gram/gram.hpp"
#include "held_problem.hpp"
#include "integers/code_choice.hpp"
#include "integers/step_search.hpp"
#include "samples/classes.hpp"
#include "samples/passes.hpp"
#include "samples/sparse_copy.hpp"
#include "samples/sparse_lanes.hpp"
#include "samples/usual_values.hpp"

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

// Calls a function with every `every`-th of the samples, without the interpreter lock.
template <class Call>
void with_some(const Data& x, std::size_t every, const Call& call) {
    if (every == 0) throw std::invalid_argument("every must be 1 or more");
    if (n_samples(x.view) == 0 || n_features(x.view) == 0) throw std::invalid_argument("there are no samples");
    with_dense(x, [&]<class S>(const DenseView<S>& view) { call(SomeRows<S>{view, every}); });
}

struct SortedByLabel {
    Out1<std::int64_t> labels, class_index, order, class_start;
};

struct NonzerosOfSamples {
    Out1<double> data;
    Out1<std::int32_t> indices, indptr;
};

constexpr auto shared = nb::rv_policy::reference;  // the arrays own their memory

std::span<const double> of_features(const Data& x, const std::optional<In1<double>>& centre) {
    if (!centre) return {};
    if (centre->shape(0) != n_features(x.view)) throw std::invalid_argument("centre must have one number per feature");
    return to_span(*centre);
}

Lattice lattice_of(const Data& x, const In1<double>& anchor, double step) {
    if (anchor.shape(0) != n_features(x.view)) throw std::invalid_argument("anchor must have one number per feature");
    if (!(step > 0)) throw std::invalid_argument("step must be positive");
    return {anchor.data(), step};
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
        .value("precomputed", KernelType::precomputed)
        .value("laplacian", KernelType::laplacian)
        .value("chi2", KernelType::chi2)
        .value("tanimoto", KernelType::tanimoto);

    const auto make_kernel = [](Kernel* self, KernelType type, double gamma, double coef0, int degree, double scale,
                                bool by_differences) {
        if (degree < 0) throw std::invalid_argument("degree of a kernel must be 0 or more");
        int exponent = 0;
        if (!(std::isfinite(scale) && std::frexp(scale, &exponent) == 0.5))
            throw std::invalid_argument("the scale of a kernel must be a power of two");
        const Kernel kernel{type, gamma, coef0, degree, scale, by_differences};
        if (kernel.of_distance() && gamma < 0)
            throw std::invalid_argument(
                "gamma of a kernel of a distance must not be negative");  // values are at most 1
        new (self) Kernel(kernel);
    };
    nb::class_<Kernel>(
        m, "Kernel",
        "A kernel with every number filled in.\n\n"
        "Where machines have gammas of their own, `gamma` is the largest of them. `scale` is a power of\n"
        "two by which samples are multiplied where they are loaded; it changes no value. With\n"
        "`by_differences`, training computes distances from differences of samples.")
        .def("__init__", make_kernel, "type"_a, "gamma"_a, "coef0"_a, "degree"_a, "scale"_a = 1.0,
             "by_differences"_a = false)
        .def(
            "errors",
            [](const Kernel& kernel, double norm2, std::size_t n_features) {
                const auto error = [&](double unit) { return kernel.error(norm2, norm2, n_features, {unit}); };
                return std::pair(error(kArithmetic<float>.unit), error(kArithmetic<double>.unit));
            },
            "norm2"_a, "n_features"_a,
            "Estimated standard errors of a value in single and in double precision, for samples of squared norms up\n"
            "to `norm2`.")
        .def(
            "largest", [](const Kernel& kernel, double norm2) { return kernel.largest(norm2, norm2); }, "norm2"_a,
            "The largest absolute value, for samples of squared norms up to `norm2`.");

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
        "`codes` says which features of dense samples are multiples of one step, if any: of each, where\n"
        "its code is 0, the codes per unit (0 if it has none), and the highest code (-1 if it has none).\n"
        "`norms` are those of all samples of `x`: equal samples of a class are found by them, and trained as one.")
        .def(nb::init<const Data&, In1<std::int64_t>, In1<std::int64_t>, const Kernel&, std::optional<In1<double>>,
                      Precision, double, double, std::optional<In1<std::int32_t>>, std::optional<In1<double>>,
                      std::optional<In1<double>>>(),
             nb::kw_only(), "x"_a, "order"_a.noconvert(), "class_start"_a.noconvert(), "kernel"_a,
             "centre"_a.noconvert() = nb::none(), "precision"_a = Precision::double_, "kernel_error"_a = 0.0,
             "double_error"_a = 0.0, "common"_a.noconvert() = nb::none(), "codes"_a.noconvert() = nb::none(),
             "norms"_a.noconvert() = nb::none());

    nb::class_<SortedByLabel>(m, "SortedLabels", "Samples sorted by class.")
        .def_ro("labels", &SortedByLabel::labels, shared, "The distinct labels, ascending.")
        .def_ro("class_index", &SortedByLabel::class_index, shared, "The place of each sample's label in `labels`.")
        .def_ro("order", &SortedByLabel::order, shared,
                "The samples, class by class; within a class in their given order.")
        .def_ro("class_start", &SortedByLabel::class_start, shared,
                "Where each class begins in `order`; ends with the number of samples.");
    m.def(
        "sort_labels",
        [](In1<std::int64_t> y) -> std::optional<SortedByLabel> {
            auto sorted = sort_labels(to_span(y));
            if (!sorted) return std::nullopt;
            return SortedByLabel{hand_over(std::move(sorted->labels)), hand_over(std::move(sorted->class_index)),
                                 hand_over(std::move(sorted->order)), hand_over(std::move(sorted->class_start))};
        },
        "y"_a.noconvert(),
        "Sort samples by their labels; None if the labels have a wider range than there are samples.");

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
        [](const Data& x, std::size_t every, In1<double> mean) -> std::optional<Out1<double>> {
            if (mean.shape(0) != n_features(x.view))
                throw std::invalid_argument("mean must have one number per feature");
            std::optional<std::vector<double>> centre;
            with_some(x, every, [&](const auto& some) { centre = usual_centre(some, to_span(mean)); });
            if (!centre) return std::nullopt;
            return hand_over(std::move(*centre));
        },
        "x"_a, "every"_a, "mean"_a.noconvert(),
        "The value that each feature has in many samples, or else its mean; every `every`-th sample is read. None if\n"
        "centring on it would give too few zeros to skip, or samples far from the origin.");

    m.def(
        "common_step",
        [](const Data& x, std::size_t every) -> std::pair<double, Out1<double>> {
            double step = 0.0;
            std::vector<double> anchor;
            with_some(x, every, [&](const auto& some) {
                step = common_step(some);
                anchor = anchors(some, step);
            });
            return {step, hand_over(std::move(anchor))};
        },
        "x"_a, "every"_a,
        "The step that most features of every `every`-th sample have in common, 0 if there is none; and for each\n"
        "feature a value, the anchor, that others should be a whole number of steps from.");

    m.def(
        "survey",
        [](const Data& x, In1<double> anchor, double step, int n_threads, Level level) {
            const Lattice lattice = lattice_of(x, anchor, step);
            FeatureRanges ranges;
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { ranges = survey(view, lattice, available(level), spare); });
            std::vector<double> all = std::move(ranges.low);
            all.insert(all.end(), ranges.high.begin(), ranges.high.end());
            all.insert(all.end(), ranges.off.begin(), ranges.off.end());
            return hand_over(std::move(all));
        },
        "x"_a, "anchor"_a.noconvert(), "step"_a, "n_threads"_a, "level"_a,
        "For each feature of dense samples: the lowest and the highest value, and how far a value is from a whole\n"
        "number of steps from `anchor` at most, in steps; 0 for values that were rounded to single precision. Three\n"
        "arrays, one after the other.");

    m.def(
        "choose_codes",
        [](const Data& x, std::size_t every, In1<double> survey, In1<double> anchor, double step,
           const std::optional<In1<double>>& centre, bool differences) -> std::optional<Out1<double>> {
            const std::size_t d = n_features(x.view);
            if (survey.shape(0) != 3 * d) throw std::invalid_argument("survey must have three numbers per feature");
            const Lattice lattice = lattice_of(x, anchor, step);
            const double* all = survey.data();
            const FeatureRanges ranges{{all, all + d}, {all + d, all + 2 * d}, {all + 2 * d, all + 3 * d}};
            const std::span<const double> from = of_features(x, centre);
            std::optional<std::vector<double>> codes;
            with_some(x, every,
                      [&](const auto& some) { codes = choose_codes(some, ranges, lattice, from, differences); });
            if (!codes) return std::nullopt;
            return hand_over(std::move(*codes));
        },
        "x"_a, "every"_a, "survey"_a.noconvert(), "anchor"_a.noconvert(), "step"_a, "centre"_a.noconvert(),
        "differences"_a = false,
        "The `codes` of a problem from the `survey` of all samples; every `every`-th of `x` shows how many zeros\n"
        "there are. None if codes would not save time. `differences`: for sums of |x - z|, not of products.");

    m.def(
        "finite_samples",
        [](nb::handle x, int n_threads) {
            Spare spare(n_threads_of(n_threads) - 1);
            const auto finite = [&]<class S>(In2<S> as) {
                if (!nb::try_cast(x, as, false) || as.size() == 0) return false;
                std::optional<nb::gil_scoped_release> unlocked;
                if (as.size() > 10000) unlocked.emplace();  // for a single sample, unlocking would take longer
                return all_finite(DenseView<S>{as.data(), as.shape(0), as.shape(1)}, spare);
            };
            return finite(In2<double>()) || finite(In2<float>());
        },
        "x"_a, "n_threads"_a,
        "Whether x is an array that `Data` accepts as dense samples, is not empty, and has only finite numbers.");

    m.def(
        "squared_norms",
        [](const Data& x, const std::optional<In1<double>>& centre, int n_threads) {
            const std::span<const double> from = of_features(x, centre);
            std::vector<double> norms;
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { norms = squared_norms(view, from, spare); });
            return hand_over(std::move(norms));
        },
        "x"_a, "centre"_a.noconvert(), "n_threads"_a,
        "Squared norms of dense samples after `centre`, if there is one, is subtracted; in double precision.");

    m.def(
        "column_sums",
        [](const Data& x, int n_threads) {
            std::vector<double> sums;
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { sums = column_sums(view, spare); });
            return hand_over(std::move(sums));
        },
        "x"_a, "n_threads"_a,
        "Sums of the features of dense samples in double precision: sums of blocks of `BLOCK_ROWS` rows, added in\n"
        "order. They have the same bits for any number of threads.");

    m.def(
        "sum_of_values",
        [](const Data& x) {
            double sum = 0;
            with_dense(x, [&](const auto& view) { sum = sum_of_values(view); });
            return sum;
        },
        "x"_a, "Sum of all numbers of dense samples in double precision.");
    m.def(
        "sum_of_squares",
        [](const Data& x, double mean) {
            double sum = 0;
            with_dense(x, [&](const auto& view) { sum = sum_of_squares(view, mean); });
            return sum;
        },
        "x"_a, "mean"_a,
        "Sum of the squares of what the numbers of dense samples differ from `mean`, in double precision.");

    m.def(
        "mostly_zeros",
        [](const Data& x, std::size_t every, KernelType kernel) {
            bool mostly = false;
            with_some(x, every, [&](const auto& some) { mostly = mostly_zeros(some, sparse_share(kernel)); });
            return mostly;
        },
        "x"_a, "every"_a, "kernel"_a,
        "Whether so many values of every `every`-th of dense samples are zero that samples of a kernel that skips\n"
        "zeros, if they have more than `DENSE_NUMBERS` values, are handled as sparse ones.");

    nb::class_<NonzerosOfSamples>(m, "Nonzeros", "The nonzeros of dense samples, in the form of sparse ones.")
        .def_ro("data", &NonzerosOfSamples::data, shared)
        .def_ro("indices", &NonzerosOfSamples::indices, shared)
        .def_ro("indptr", &NonzerosOfSamples::indptr, shared);
    m.def(
        "nonzeros",
        [](const Data& x, int n_threads) {
            std::vector<std::int64_t> every(n_samples(x.view));
            std::iota(every.begin(), every.end(), std::int64_t{0});
            SparseCopy copy;
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { copy = copy_nonzeros(view, every, spare); });
            return NonzerosOfSamples{hand_over(std::move(copy.data)), hand_over(std::move(copy.indices)),
                                     hand_over(std::move(copy.indptr))};
        },
        "x"_a, "n_threads"_a, "The nonzeros of dense samples.");

    m.def(
        "largest_of_rows",
        [](const Data& x, int n_threads) {
            std::vector<double> found;
            Spare spare(n_threads_of(n_threads) - 1);
            with_dense(x, [&](const auto& view) { found = largest_of_rows(view, spare); });
            return hand_over(std::move(found));
        },
        "x"_a, "n_threads"_a,
        "The largest absolute number of each dense sample; infinity if one of its numbers is infinite or NaN.");

    m.attr("DENSE_NUMBERS") = kDenseNumbers;
    m.attr("BLOCK_ROWS") = kBlockRows;
    // For rows with at most this share of nonzeros, only the nonzeros are multiplied.
    m.attr("FEW_NONZEROS") = kFewNonzeros;
}

}  // namespace dagmar::bindings
