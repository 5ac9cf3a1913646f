#include "samples/finite.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/costs.hpp"

namespace dagmar {
namespace {

// Infinity and NaN have all exponent bits set, so that adding 1 at the lowest exponent bit carries into the sign bit.
// Integer operations vectorise; a sum of floats would have to be added in order.
template <class S>
bool finite(const S* x, std::size_t n) {
    using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<S>::infinity()), lowest = exponent & (~exponent + 1);
    Bits all = 0;
    for (std::size_t k = 0; k < n; ++k) all |= (std::bit_cast<Bits>(x[k]) & exponent) + lowest;
    return all <= exponent;
}

}  // namespace

template <class S>
bool all_finite(const DenseView<S>& x, Spare& spare) {
    const std::size_t n = x.n * x.d, parts = parts_worth(static_cast<double>(n), n);
    if (parts == 1) return finite(x.row(0), n);  // checking one sample is faster than offering it to other threads
    std::atomic<bool> found = true;
    spare.run(parts, [&](std::size_t part) {
        const std::size_t begin = n * part / parts;
        if (!finite(x.row(0) + begin, n * (part + 1) / parts - begin)) found = false;
    });
    return found;
}

template bool all_finite(const DenseView<float>&, Spare&);
template bool all_finite(const DenseView<double>&, Spare&);

}  // namespace dagmar
