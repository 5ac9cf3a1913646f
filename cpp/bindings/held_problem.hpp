// A problem with the arrays it reads, and the list of topics.
#pragma once

#include "arrays.hpp"
#include "samples/problem.hpp"

namespace dagmar::bindings {

class HeldProblem {
   public:
    HeldProblem(const Data& x, In1<std::int64_t> order, In1<std::int64_t> class_start, const Kernel& kernel,
                std::optional<In1<double>> centre, Precision precision, double kernel_error, double double_error,
                std::optional<In1<std::int32_t>> common, std::optional<In1<double>> codes,
                std::optional<In1<double>> norms)
        : x_(x), order_(order), centre_(centre), common_(common), codes_(codes), norms_(norms) {
        core_.x = x.view;
        core_.order = to_span(order);
        core_.class_start.assign(class_start.data(), class_start.data() + class_start.shape(0));
        core_.kernel = kernel;
        if (centre) core_.centre = to_span(*centre);
        core_.precision = precision;
        core_.kernel_error = kernel_error;
        core_.double_error = double_error;
        if (common) core_.common = to_span(*common);
        if (codes) core_.codes = to_span(*codes);
        if (norms) core_.norms = to_span(*norms);
        check(core_);
    }

    const Problem& core() const { return core_; }

   private:
    Data x_;
    In1<std::int64_t> order_;
    std::optional<In1<double>> centre_;
    std::optional<In1<std::int32_t>> common_;
    std::optional<In1<double>> codes_, norms_;
    Problem core_;
};

void bind_problem(nb::module_& m);
void bind_train(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_decide(nb::module_& m);
void bind_probabilities(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_race(nb::module_& m);  // only with DAGMAR_TSAN

}  // namespace dagmar::bindings
