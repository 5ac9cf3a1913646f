// The search for a step that features have in common: pixels, counts, indicators and decimals are multiples of one.
#pragma once

#include "samples/samples.hpp"

namespace dagmar {

// The step that most features of some rows have in common; 0 if there is none.
template <class S>
double common_step(const SomeRows<S>& x);

// The largest step of which all steps of features are multiples, such as 1/6 of features that are multiples of 1/2 or
// of 1/3; 0 if there is none.
template <class S>
double step_of_all(const SomeRows<S>& x);

// The integer nearest to a number of less than 2^51.
inline double nearest_integer(double x) {
    constexpr double whole = 0x1.8p52;  // added and taken away, it leaves no digits behind the point
    return (x + whole) - whole;
}

}  // namespace dagmar
