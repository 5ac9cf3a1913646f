// Distances other than |x-z|^2: sums of a term of the differences of each feature. Sums are one chain over the
// features, as those of products are. Nothing cancels, so that their error is in proportion to themselves.
#pragma once

#include "simd/generic/kernels.hpp"
#include "simd/generic/nonzero_products.hpp"
#include "simd/generic/products.hpp"
#include "simd/generic/row_distances.hpp"

namespace dagmar::DAGMAR_LEVEL {

// |v|, by clearing signs: a comparison would take two instructions more.
template <class T>
inline Vec<T> magnitude(Vec<T> v) {
    const auto all_but_sign = splat<Vec<BitsOf<T>>>(static_cast<BitsOf<T>>(std::numeric_limits<SignedOf<T>>::max()));
    return reinterpret_cast<Vec<T>>(reinterpret_cast<Vec<BitsOf<T>>>(v) & all_but_sign);
}
inline float magnitude(float v) { return v < 0 ? -v : v; }
inline double magnitude(double v) { return v < 0 ? -v : v; }
inline Vec<float> magnitude(Vec<float> v) { return magnitude<float>(v); }
inline Vec<double> magnitude(Vec<double> v) { return magnitude<double>(v); }

// |x - z|.
struct Absolute {
    template <class V>
    static V term(V x, V z) {
        return magnitude(x - z);
    }
};

// (x - z)^2 / (x + z) of numbers that are not negative, 0 where both are 0. As a product of two factors, it is x to the
// bit if z is 0, and the square of no number leaves the range.
struct ChiSquared {
    template <class V>
    static V term(V x, V z) {
        const V difference = x - z, sum = x + z;
        return difference * (difference / (sum > V{} ? sum : V{} + 1));
    }
};

template <class T, class Term>
struct Differences {
    using Word = T;
    using V = Vec<T>;
    static V add_products(V sums, V lanes, V row) { return sums + Term::term(row, lanes); }
    static T add_product(T sum, T lane, T row) { return sum + Term::term(row, lane); }
    // What a feature takes off the sum of two sizes; nothing if it is 0 in one of the samples.
    static V add_shared(V sums, V lanes, V row) {
        return sums + (magnitude(row) + magnitude(lanes) - Term::term(row, lanes));
    }
    static V distance(V, V sums) { return sums; }
};

template <class T, class Term>
constexpr DistancePasses<T> distance_passes() {
    using Kind = Differences<T, Term>;
    return {.rows = sums_of_rows<Kind, T>,
            .shared_of_nonzeros = sums_of_nonzeros<Kind, T>,
            .alone = sums_alone<Kind, T>,
            .values = decay_values<Kind, T>,
            .least = least_distances<Kind, RowsAndPanels<T, T>, T>,
            .exact = row_distances<Term>};
}

}  // namespace dagmar::DAGMAR_LEVEL
