#include "decide_lanes.hpp"

namespace dagmar {

template <class T>
void Lanes<T>::load(const Samples& x, const std::int64_t* ids, std::size_t n, Tile<T>& tile) const {
    tile.ids = ids;
    tile.n = n;
    tile.lanes = padded(n);
    T* panels = tile.panels.at_least(kTile * v_.d);
    const auto pack = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            pack_panels(view, ids, n, v_.centre.data(), v_.bank.kernel.scale, panels);
    };
    std::visit(pack, x);
    v_.simd.norms(panels, tile.lanes / kLanes, v_.d, tile.norms);
    for (std::size_t lane = 0; lane < n; ++lane) tile.allowance[lane] = rounding_.allowance(tile.norms[lane]);
}

template <class T>
void Lanes<T>::sum_all(Tile<T>& tile) const {
    const auto& lists = v_.bank.lists;
    // Two sums for each machine: of positive coefficients and of negative ones, as their sizes add up to the size of
    // all terms.
    const std::size_t size = 2 * lists.n_machines() * tile.lanes;
    T* sums = tile.sums.at_least(size);
    std::fill(sums, sums + size, T(0));
    for (std::size_t c = 0; c < lists.n_classes(); ++c) {
        const std::size_t first = lists.class_start[c], n = lists.class_start[c + 1] - first;
        if (n == 0) continue;
        const T* values = kernel_values(tile, n, [&](std::size_t q) { return first + q; });
        for (const Segment& s : v_.bank.segments[c]) {
            const std::size_t place = 2 * usize(s.machine) + (lists.coef[usize(s.begin)] < 0);
            add_segment(tile, values, s, lists.index.data() + s.begin, first, sums + place * tile.lanes);
        }
    }
}

template class Lanes<float>;
template class Lanes<double>;

}  // namespace dagmar
