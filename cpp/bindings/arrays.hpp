// Arrays across the border: what comes in is read in place, what goes out is handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "../core/decide.hpp"

namespace dagmar::bindings {

namespace nb = nanobind;

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> to_vector(const In1<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

template <class T>
nb::ndarray<nb::numpy, T> hand_over(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* owner = new std::vector<T>(std::move(values));
    nb::capsule capsule(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(owner->data(), shape, capsule);
}
template <class T>
nb::ndarray<nb::numpy, T> hand_over(std::vector<T>&& values) {
    const std::size_t n = values.size();
    return hand_over(std::move(values), {n});
}

// Samples as the core sees them, with the arrays that hold them kept alive.
class Data {
   public:
    explicit Data(In2<double> x) : view(DenseView<double>{x.data(), x.shape(0), x.shape(1)}), f64_(x) {}
    explicit Data(In2<float> x) : view(DenseView<float>{x.data(), x.shape(0), x.shape(1)}), f32_(x) {}
    Data(In1<double> values, In1<std::int32_t> indices, In1<std::int32_t> indptr, std::size_t n_features)
        : view(SparseView{values.data(), indices.data(), indptr.data(), indptr.shape(0) - 1, n_features}),
          values_(values), indices_(indices), indptr_(indptr) {}

    const Samples view;

   private:
    In2<double> f64_;
    In2<float> f32_;
    In1<double> values_;
    In1<std::int32_t> indices_, indptr_;
};

// Runs `call` without the interpreter lock and turns an interrupt into Python's exception. Safe because the core touches
// only the arrays it was given, which their owners hold, and nothing of Python.
template <class Call>
void without_lock(const Call& call) {
    const Poll poll = [] {
        const nb::gil_scoped_acquire lock;
        return PyErr_CheckSignals() != 0;
    };
    bool finished = true;
    {
        const nb::gil_scoped_release unlocked;
        finished = call(poll);
    }
    if (!finished) throw nb::python_error();
}

void bind_data(nb::module_& m);
void bind_train(nb::module_& m);
void bind_decide(nb::module_& m);

}  // namespace dagmar::bindings
