// The range of every feature, and its distance from a lattice.
#pragma once

#include <cmath>

#include "simd/generic/powers.hpp"

namespace dagmar::DAGMAR_LEVEL {

// A plain loop: rows are those of users, without padding, and compilers turn it into vector code.
template <class T>
void survey(const T* __restrict row, std::size_t n_features, const double* __restrict anchor, double step,
            double* __restrict low, double* __restrict high, double* __restrict off) {
    constexpr double whole = PowerOfTwo<double>::to_integer;  // added and subtracted: the nearest integer
    const double per_step = step > 0 ? 1.0 / step : 0.0;
    for (std::size_t f = 0; f < n_features; ++f) {
        const double value = static_cast<double>(row[f]), place = (value - anchor[f]) * per_step;
        const double nearest = (place + whole) - whole, here = std::abs(place - nearest);
        const double rounded = static_cast<double>(static_cast<float>(anchor[f] + nearest * step));
        const double counted = rounded == value ? 0.0 : here;
        low[f] = value < low[f] ? value : low[f];
        high[f] = value > high[f] ? value : high[f];
        off[f] = counted > off[f] ? counted : off[f];
    }
}

}  // namespace dagmar::DAGMAR_LEVEL
