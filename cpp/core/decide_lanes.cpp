#include "decide_lanes.hpp"

namespace dagmar {

template <class T>
void Lanes<T>::load(const Samples& x, const std::int64_t* ids, std::size_t n, Tile<T>& tile) const {
    tile.ids = ids;
    tile.n = n;
    tile.lanes = padded(n);
    v_.load_tile(x, tile);
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

template <class T>
void Lanes<T>::certain_sums(const Samples& x, const Tile<T>& tile, std::size_t lane, bool ranked,
                            std::vector<Sum>& sums) const {
    for (std::size_t m = 0; m < sums.size(); ++m) {
        sums[m] = sum(tile, m, lane);
        sums[m].value = rounding_.certain(x, usize(tile.ids[lane]), tile.allowance[lane], m, sums[m]);
    }
    if (ranked) rounding_.settle(x, usize(tile.ids[lane]), tile.allowance[lane], sums.data());
}

template <class T>
bool Lanes<T>::values(const Samples& x, bool ranked, const Threads& threads, double* out) const {
    const std::size_t n_machines = v_.bank.lists.n_machines();
    return for_each_tile(x, every_sample(x), threads, [&](Tile<T>& tile) {
        sum_all(tile);
        std::vector<Sum> sums(n_machines);
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            certain_sums(x, tile, lane, ranked, sums);
            double* row = out + usize(tile.ids[lane]) * n_machines;
            for (std::size_t m = 0; m < n_machines; ++m) row[m] = sums[m].value;
        }
    });
}

template <class T>
bool Lanes<T>::poll(const Samples& x, const Threads& threads, std::int32_t* out) const {
    return for_each_tile(x, every_sample(x), threads, [&](Tile<T>& tile) {
        sum_all(tile);
        std::vector<Sum> sums(v_.bank.lists.n_machines());
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            certain_sums(x, tile, lane, true, sums);
            const auto less = [](const Sum& s, const Sum& t) { return s.value < t.value; };
            out[tile.ids[lane]] =
                static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end(), less) - sums.begin());
        }
    });
}

template <class T>
bool Lanes<T>::walk(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                    std::int32_t* out) const {
    std::vector<std::unique_ptr<Walk>> walks(usize(threads.n));
    return for_each_tile(x, ids, threads, [&](Tile<T>& tile) {
        sum_all(tile);
        auto& walk = walks[usize(tile.worker)];
        if (!walk) walk = make_walk(plan);
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            const auto ask = [&](std::int64_t m) { return value(tile, x, usize(m), lane); };
            out[tile.ids[lane]] = follow(*walk, ask);
        }
    });
}

template class Lanes<float>;
template class Lanes<double>;

}  // namespace dagmar
