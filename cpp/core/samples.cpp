#include "samples.hpp"

#include <algorithm>

#include "integers.hpp"

namespace dagmar {

template <class T, class S>
void pack_panels(const DenseView<S>& x, const std::int64_t* index, std::size_t n, const double* centre, double scale,
                 T* panels) {
    for (std::size_t first = 0; first < n; first += kLanes) {
        T* panel = panels + first * x.d;
        const std::size_t count = std::min(kLanes, n - first);
        if (count < kLanes) std::fill(panel, panel + kLanes * x.d, T(0));
        for (std::size_t lane = 0; lane < count; ++lane) {
            const S* row = x.row(usize(index[first + lane]));
            for (std::size_t f = 0; f < x.d; ++f) {
                const double value = static_cast<double>(row[f]);
                panel[f * kLanes + lane] = static_cast<T>((centre ? value - centre[f] : value) * scale);
            }
        }
    }
}

template void pack_panels(const DenseView<float>&, const std::int64_t*, std::size_t, const double*, double, float*);
template void pack_panels(const DenseView<double>&, const std::int64_t*, std::size_t, const double*, double, float*);
template void pack_panels(const DenseView<float>&, const std::int64_t*, std::size_t, const double*, double, double*);
template void pack_panels(const DenseView<double>&, const std::int64_t*, std::size_t, const double*, double, double*);

}  // namespace dagmar
