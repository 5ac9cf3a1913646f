// Arrays across the border: arguments are read in place, results are handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/parallel.hpp"
#include "ending.hpp"
#include "samples/samples.hpp"

namespace dagmar::bindings {

namespace nb = nanobind;

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Arrays that are written to.
template <class T>
using Target1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> to_vector(const In1<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

// An optional array of n numbers as a vector, empty if it is not given.
template <class T>
std::vector<T> to_vector(const std::optional<In1<T>>& array, std::size_t n, const char* wrong_size) {
    if (!array) return {};
    if (array->shape(0) != n) throw std::invalid_argument(wrong_size);
    return to_vector(*array);
}

template <class T>
std::span<const T> to_span(const In1<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T>
nb::capsule owner_of(std::vector<T>* values) {
    return nb::capsule(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
}
template <class T>
Out1<T> hand_over(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    return Out1<T>(kept->data(), {kept->size()}, owner_of(kept));
}
template <class T>
Out2<T> hand_over(std::vector<T>&& values, std::size_t n_rows, std::size_t n_columns) {
    auto* kept = new std::vector<T>(std::move(values));
    return Out2<T>(kept->data(), {n_rows, n_columns}, owner_of(kept));
}

// Samples as the core sees them, with the arrays that hold them kept alive.
class Data {
   public:
    explicit Data(In2<double> x) : view(DenseView<double>{x.data(), x.shape(0), x.shape(1)}), f64_(x) {}
    explicit Data(In2<float> x) : view(DenseView<float>{x.data(), x.shape(0), x.shape(1)}), f32_(x) {}
    Data(In1<double> values, In1<std::int32_t> indices, In1<std::int32_t> indptr, std::size_t n_features)
        : view(rows(values, indices, indptr, n_features)), values_(values), indices_(indices), indptr_(indptr) {}

    const Samples view;

   private:
    static SparseView rows(const In1<double>& values, const In1<std::int32_t>& indices, const In1<std::int32_t>& indptr,
                           std::size_t n_features) {
        if (indptr.shape(0) == 0) throw std::invalid_argument("indptr of the sparse samples is empty");
        if (values.shape(0) != indices.shape(0))
            throw std::invalid_argument("data and indices of the sparse samples must have the same length");
        const SparseView view{values.data(), indices.data(), indptr.data(), indptr.shape(0) - 1, n_features};
        check(view, indices.shape(0));
        return view;
    }

    In2<double> f64_;
    In2<float> f32_;
    In1<double> values_;
    In1<std::int32_t> indices_, indptr_;
};

// More threads than this cost memory and gain nothing on any machine of today.
constexpr int kMostThreads = 1024;

inline int n_threads_of(int asked) {
    if (asked < 1) throw std::invalid_argument("n_threads must be 1 or more");
    return std::min(asked, kMostThreads);
}

// An instruction set that the processor does not have would end the process.
inline Level available(Level level) {
    if (level > best_level()) throw std::invalid_argument("this processor does not have the instruction set of level");
    return level;
}

// Runs `call` without the interpreter lock and turns an interrupt into Python's exception. This is safe because the
// core touches only the arrays it was given, which are kept alive, and nothing of Python.
template <class Call>
void without_lock(const Call& call) {
    const CheckSignals check_signals = [] {
        const nb::gil_scoped_acquire lock;
        return PyErr_CheckSignals() != 0;
    };
    bool finished = true;
    prepare_to_throw();
    {
        const nb::gil_scoped_release unlocked;
        finished = call(check_signals);
    }
    if (!finished) throw nb::python_error();
}

}  // namespace dagmar::bindings
