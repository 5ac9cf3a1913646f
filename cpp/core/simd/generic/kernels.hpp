// Kernel functions of dot products.
#pragma once

#include "simd/generic/powers.hpp"
#include "simd/generic/rows_and_panels.hpp"

namespace dagmar::DAGMAR_LEVEL {

// distance_at(k), scale_at(k): those of the lanes from k on.
template <class T, class DistanceAt, class ScaleAt>
inline void decay_of_all(T* values, std::size_t n, const DistanceAt& distance_at, const ScaleAt& scale_at) {
    for (std::size_t k = 0; k < n; k += kWidth<T>) store(values + k, power_of_two<T>(scale_at(k) * distance_at(k)));
}

// From dot products.
template <class T>
inline auto distances_of(const T* dots, const T* norms, T norm) {
    using V = Vec<T>;
    return [dots, norms, own = splat<V>(norm)](std::size_t k) {
        return Real<T>::distance(own + load<V>(norms + k), load<V>(dots + k));
    };
}

template <class T>
inline auto same_scale(T gamma) {
    return [scale = splat<Vec<T>>(scale_of<T>(static_cast<double>(gamma)))](std::size_t) { return scale; };
}

template <class T>
inline auto scale_of_each(const T* gammas) {
    return [gammas](std::size_t k) {
        T scales[kWidth<T>];
        for (std::size_t u = 0; u < kWidth<T>; ++u) scales[u] = scale_of<T>(static_cast<double>(gammas[k + u]));
        return load<Vec<T>>(scales);
    };
}

template <class T>
void rbf(T* values, const T* norms, T norm, T gamma, std::size_t n) {
    decay_of_all(values, n, distances_of(values, norms, norm), same_scale(gamma));
}

template <class T>
void rbf_each(T* values, const T* norms, T norm, const T* gammas, std::size_t n) {
    decay_of_all(values, n, distances_of(values, norms, norm), scale_of_each(gammas));
}

template <class T>
void decay(T* values, T gamma, std::size_t n) {
    decay_of_all(values, n, [values](std::size_t k) { return load<Vec<T>>(values + k); }, same_scale(gamma));
}

template <class T>
void decay_each(T* values, const T* gammas, std::size_t n) {
    decay_of_all(values, n, [values](std::size_t k) { return load<Vec<T>>(values + k); }, scale_of_each(gammas));
}

// exp(-gamma distance) of rows and panels, for samples of this kind.
template <class Kind, class T>
void decay_values(const RowsAndPanels<T, T>& of, T gamma, T* out) {
    const auto scale = splat<Vec<T>>(scale_of<T>(static_cast<double>(gamma)));
    every_row<Kind>(of, [&](std::size_t q, std::size_t lane, Vec<T> sums) {
        const Vec<T> distance = distance_of<Kind>(of, q, lane, sums);
        store(out + q * of.n_panels * kLanes + lane, power_of_two<T>(scale * distance));
    });
}

template <class T>
void poly(T* values, T gamma, T coef0, int degree, std::size_t n) {
    using V = Vec<T>;
    const V g = splat<V>(gamma), c = splat<V>(coef0);
    for (std::size_t k = 0; k < n; k += kWidth<T>) {
        const V base = g * load<V>(values + k) + c;
        V product = splat<V>(T(1));
        for (int e = 0; e < degree; ++e) product *= base;
        store(values + k, product);
    }
}

// tanh |z| = -m / (2 + m), where m = e^(-2 |z|) - 1 is computed without cancellation: 2^n (2^r - 1) + (2^n - 1).
template <class T>
void sigmoid(T* values, T gamma, T coef0, std::size_t n) {
    using V = Vec<T>;
    const V g = splat<V>(gamma), c = splat<V>(coef0), one = splat<V>(T(1));
    const V whole = splat<V>(PowerOfTwo<T>::to_integer);
    const V most = splat<V>(T(22));  // from here on tanh rounds to 1, in double precision too
    for (std::size_t k = 0; k < n; k += kWidth<T>) {
        const V z = g * load<V>(values + k) + c;
        V size = z < V{} ? -z : z;
        size = size < most ? size : most;
        const V x = size * splat<V>(static_cast<T>(-2.8853900817779268147));  // -2 / ln 2
        const V shifted = x + whole, r = x - (shifted - whole);
        const V power = times_power<T>(one, shifted);
        const V m = power * (polynomial<T>(r) * r) + (power - one);
        const V value = -m / (one + one + m);
        store(values + k, z == z ? (z < V{} ? -value : value) : z);  // NaN stays NaN
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
