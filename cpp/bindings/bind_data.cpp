#include <nanobind/stl/string.h>

#include "arrays.hpp"

namespace dagmar::bindings {

using namespace nb::literals;

void bind_data(nb::module_& m) {
    nb::class_<Data>(m, "Data", "Samples, dense or sparse, read in place.")
        .def(nb::init<In2<double>>(), "x"_a.noconvert())
        .def(nb::init<In2<float>>(), "x"_a.noconvert())
        .def(nb::init<In1<double>, In1<std::int32_t>, In1<std::int32_t>, std::size_t>(), "data"_a.noconvert(),
             "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_features"_a);

    nb::enum_<KernelType>(m, "KernelType")
        .value("linear", KernelType::linear)
        .value("poly", KernelType::poly)
        .value("rbf", KernelType::rbf)
        .value("sigmoid", KernelType::sigmoid)
        .value("precomputed", KernelType::precomputed);

    nb::class_<Kernel>(m, "Kernel")
        .def(
            "__init__",
            [](Kernel* self, KernelType type, double gamma, double coef0, int degree) {
                new (self) Kernel{type, gamma, coef0, degree};
            },
            "type"_a, "gamma"_a, "coef0"_a, "degree"_a)
        .def("error", &Kernel::error, "norm2_x"_a, "norm2_z"_a, "n_features"_a, "unit"_a,
             "Standard error of a value computed in arithmetic of this unit roundoff.");

    nb::enum_<Level>(m, "Level", "Instruction sets, lowest first.")
        .value("plain", Level::plain)
        .value("avx2", Level::avx2)
        .value("avx512", Level::avx512);
    m.def("best_level", &best_level, "The best instruction set of this processor.");
}

}  // namespace dagmar::bindings
