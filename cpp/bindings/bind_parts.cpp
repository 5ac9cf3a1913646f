// The parts of the solver, each by itself, for tests: a kernel matrix goes in instead of a task.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "held_problem.hpp"
#include "solver/solver.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

namespace {

// The rows of a kernel matrix, all of them at hand; the matrix is padded with zeros.
class MatrixRows final : public RowSource<double> {
   public:
    MatrixRows(const In2<double>& kernel, std::size_t working, Spare& spare, const Simd<double>& simd)
        : RowSource<double>(simd, spare, padded(kernel.shape(0)), kernel.shape(0), working, nullptr, nullptr),
          rows_(zeroed_array<double>(n_ * n_)), own_diagonal_(zeroed_array<double>(n_)) {
        if (kernel.shape(0) != kernel.shape(1)) throw std::invalid_argument("kernel must be square");
        for (std::size_t i = 0; i < n_samples_; ++i) {
            std::copy_n(kernel.data() + i * n_samples_, n_samples_, rows_.get() + i * n_);
            own_diagonal_[i] = rows_[i * n_ + i];
        }
        diagonal_ = own_diagonal_.get();
    }
    const double* first_row(const Places& places) override { return rows_.get() + usize(places.front()) * n_; }
    KernelBlock<double> block(const Places& places) override { return gather(rows_.get(), places.data(), places); }
    Extremes move(const PairScores<double>& scores, const Moves& moves) override {
        return simd_.update_by_rows(scores, rows_.get(), n_, moves.places.data(), moves.by.data(), moves.by.size());
    }
    void each_row(const Places& places, const std::function<void(std::size_t, const double*)>& visit) override {
        for (const std::int32_t place : places) visit(usize(place), rows_.get() + usize(place) * n_);
    }

   private:
    Aligned<double> rows_, own_diagonal_;
};

// A problem over a kernel matrix, with its scores and a working set.
class Parts {
   public:
    Parts(In2<double> kernel, In1<double> sign, In1<double> target, In1<double> cap, In1<double> lambda,
          std::size_t working, Level level)
        : simd_(simd<double>(available(level))), rows_(kernel, working, spare_, simd_) {
        for (auto* array : {&problem_.sign, &problem_.target}) array->assign(rows_.n(), 1.0);
        problem_.cap.assign(rows_.n(), 0.0);
        Start start{std::vector<double>(rows_.n(), 0.0), {}, 0.0};
        for (const auto& [from, to] : {std::pair(&sign, &problem_.sign), std::pair(&target, &problem_.target),
                                       std::pair(&cap, &problem_.cap), std::pair(&lambda, &start.lambda)}) {
            if (from->shape(0) != rows_.n_samples()) throw std::invalid_argument("arrays need one number per sample");
            std::copy_n(from->data(), rows_.n_samples(), to->data());
        }
        scores_ = std::make_unique<Scores<double>>(problem_, rows_, simd_, std::move(start), scratch_);
        set_ = std::make_unique<WorkingSet<double>>(problem_, rows_, simd_, simd_, scores_->largest(), scratch_);
    }

    std::pair<double, double> extremes() { return as_pair(scores_->extremes()); }
    std::pair<double, double> refresh() { return as_pair(scores_->refresh()); }
    std::pair<double, double> move(const Places& places, const std::vector<double>& to) {
        return as_pair(scores_->move(places, to));
    }
    Out1<double> values() const { return hand_over(std::vector<double>(scores_->values())); }
    Out1<double> lambda() const { return hand_over(std::vector<double>(scores_->lambda())); }
    std::pair<bool, bool> may_move(std::size_t k) const { return {scores_->may_up(k), scores_->may_low(k)}; }
    double violation(std::size_t k) { return scores_->violation(k, scores_->extremes()); }
    double reach() const { return scores_->footing().reach; }

    // The members of the next working set.
    Places select(double goal) {
        const Extremes now = scores_->extremes();
        return set_->select(*scores_, now, goal) ? set_->members() : Places{};
    }
    // Steps inside it: how many were made, which multipliers moved, and to where.
    nb::typed<nb::tuple, std::int64_t, Places, std::vector<double>> solve(double goal, std::int64_t most) {
        const std::int64_t made = set_->solve(*scores_, scores_->extremes(), goal, most);
        return nb::make_tuple(made, set_->movers(), set_->to());
    }
    // A step of all free samples after a window of rounds: where multipliers go.
    std::optional<std::vector<double>> free_step(std::int64_t round) {
        FreeStep<double> step(problem_, rows_, 0.0, simd_);
        return step.step(*scores_, scores_->extremes(), round, 0.0, 0.0);
    }
    // The active samples, from this many samples on.
    Places active(std::size_t least, std::size_t most, std::int64_t round) {
        ActivePart<double> part(rows_.n(), {0, least, most});
        set_->take_newcomers();
        return part.choose(*scores_, *set_, rows_.working(), scores_->extremes(), round);
    }

   private:
    static std::pair<double, double> as_pair(const Extremes& now) { return {now.top, now.bottom}; }

    Spare spare_{0};
    const Simd<double>& simd_;
    MatrixRows rows_;
    BoxProblem problem_;
    SolverScratch<double> scratch_;
    std::unique_ptr<Scores<double>> scores_;
    std::unique_ptr<WorkingSet<double>> set_;
};

}  // namespace

void bind_parts(nb::module_& m) {
    nb::class_<Footing>(m, "Footing", "What the error of scores follows from.")
        .def(nb::init<double, double, bool, double, double>(), "reach"_a, "since"_a, "refined"_a, "drift2"_a,
             "sum"_a = 0.0);
    nb::class_<Accuracy>(m, "Accuracy", "How accurate scores are, and whether that is enough for `tol`; for tests.")
        .def(nb::init<double, double, double, double, bool>(), "tol"_a, "kernel_error"_a, "finer_error"_a, "largest"_a,
             "measurable"_a = false)
        .def("must_measure", &Accuracy::must_measure)
        .def("measured", &Accuracy::measured, "footing"_a, "difference"_a, "spread"_a)
        .def("rounding", &Accuracy::rounding)
        .def("lost", &Accuracy::lost)
        .def("hidden", &Accuracy::hidden)
        .def("stale", &Accuracy::stale)
        .def("too_coarse", &Accuracy::too_coarse)
        .def("far_too_coarse", &Accuracy::far_too_coarse);
    nb::class_<Progress>(m, "Progress", "Whether the solver still gets anywhere; for tests.")
        .def(nb::init<>())
        .def("window_ends", &Progress::window_ends)
        .def("goes_on", [](Progress& p, double gap, double value, double rounding,
                           double near) { return p.goes_on(gap, {value, rounding}, near); })
        .def("moves", &Progress::moves)
        .def("starts_anew", [](Progress& p, double gap, double value, double rounding) {
            return p.starts_anew(gap, {value, rounding});
        });
    nb::class_<Parts>(m, "SolverParts", "Scores and working set over a kernel matrix, step by step; for tests.")
        .def(nb::init<In2<double>, In1<double>, In1<double>, In1<double>, In1<double>, std::size_t, Level>(),
             "kernel"_a.noconvert(), "sign"_a.noconvert(), "target"_a.noconvert(), "cap"_a.noconvert(),
             "lam"_a.noconvert(), "working"_a, "level"_a)
        .def("extremes", &Parts::extremes)
        .def("refresh", &Parts::refresh)
        .def("move", &Parts::move, "places"_a, "to"_a)
        .def_prop_ro("values", &Parts::values, nb::rv_policy::move)
        .def_prop_ro("lam", &Parts::lambda, nb::rv_policy::move)
        .def("may_move", &Parts::may_move, "place"_a)
        .def("violation", &Parts::violation, "place"_a)
        .def_prop_ro("reach", &Parts::reach)
        .def("select", &Parts::select, "goal"_a)
        .def("solve", &Parts::solve, "goal"_a, "most"_a)
        .def("free_step", &Parts::free_step, "round"_a)
        .def("active", &Parts::active, "least"_a, "most"_a, "round"_a);
}

}  // namespace dagmar::bindings
