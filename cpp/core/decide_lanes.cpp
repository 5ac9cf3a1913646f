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

template <class T>
void Lanes<T>::sum_machine(Tile<T>& tile, std::size_t m) const {
    const auto& lists = v_.bank.lists;
    T* sums = tile.sums.at_least(2 * tile.lanes);
    std::fill(sums, sums + 2 * tile.lanes, T(0));
    const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    const T* values = kernel_values(tile, end - begin, [&](std::size_t q) { return usize(lists.index[begin + q]); });
    for (std::size_t t = begin; t < end;) {  // class after class, as in sum_all
        std::size_t last = t;
        const bool negative = lists.coef[t] < 0;
        const std::size_t c_end =
            *std::upper_bound(lists.class_start.begin(), lists.class_start.end(), usize(lists.index[t]));
        while (last < end && usize(lists.index[last]) < c_end) ++last;
        const Segment part{static_cast<std::int64_t>(m), static_cast<std::int64_t>(t), static_cast<std::int64_t>(last)};
        add_segment(tile, values + (t - begin) * tile.lanes, part, nullptr, 0, sums + negative * tile.lanes);
        t = last;
    }
}

template class Lanes<float>;
template class Lanes<double>;

}  // namespace dagmar
