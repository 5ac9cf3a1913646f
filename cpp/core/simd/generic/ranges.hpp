// The range of every feature, and its distance from a lattice.
#pragma once

#include <cmath>

#include "simd/generic/powers.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Some rows at a time, because ranges are loaded and stored for each feature. A plain loop: rows are those of users,
// without padding, and compilers turn it into vector code.
template <std::size_t Rows, class T>
void survey_some(const T* __restrict rows, std::size_t d, const double* __restrict anchor, double step,
                 double* __restrict low, double* __restrict high, double* __restrict off) {
    constexpr double whole = PowerOfTwo<double>::to_integer;  // added and subtracted: the nearest integer
    const double per_step = step > 0 ? 1.0 / step : 0.0;
    for (std::size_t f = 0; f < d; ++f) {
        double least = low[f], most = high[f], farthest = off[f];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < Rows; ++i) {
            const double value = static_cast<double>(rows[i * d + f]), place = (value - anchor[f]) * per_step;
            const double nearest = (place + whole) - whole, here = std::abs(place - nearest);
            const double rounded = static_cast<double>(static_cast<float>(anchor[f] + nearest * step));
            const double counted = rounded == value ? 0.0 : here;
            least = value < least ? value : least;
            most = value > most ? value : most;
            farthest = counted > farthest ? counted : farthest;
        }
        low[f] = least;
        high[f] = most;
        off[f] = farthest;
    }
}

template <class T>
void survey(const T* rows, std::size_t n, std::size_t d, const double* anchor, double step, double* low, double* high,
            double* off) {
    in_batches<4>(n, [&]<std::size_t Rows>(std::size_t first) {
        survey_some<Rows>(rows + first * d, d, anchor, step, low, high, off);
    });
}

}  // namespace dagmar::DAGMAR_LEVEL
