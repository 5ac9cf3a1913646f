#include "decide_champions.hpp"

#include <algorithm>

namespace dagmar {
namespace {

constexpr int kTries = 3;  // champion checks before a sample is left over

// Samples of one guess: open[begin ... begin+size-1].
struct Piece {
    std::size_t begin, size;
};

std::vector<Piece> pieces_by_guess(std::vector<std::int64_t>& open, const std::vector<std::int32_t>& guess) {
    const auto guess_of = [&](std::int64_t i) { return guess[usize(i)]; };
    std::stable_sort(open.begin(), open.end(), [&](auto a, auto b) { return guess_of(a) < guess_of(b); });
    std::vector<Piece> pieces;
    for (std::size_t at = 0; at < open.size();) {
        std::size_t end = at;
        while (end < open.size() && end - at < kTile && guess_of(open[end]) == guess_of(open[at])) ++end;
        pieces.push_back({at, end - at});
        at = end;
    }
    return pieces;
}

}  // namespace

template <class T>
std::optional<std::vector<std::int64_t>> Champions<T>::decide(const Samples& x, const Plan& plan,
                                                              const Threads& threads, std::size_t few,
                                                              std::int32_t* out) const {
    std::vector<std::int32_t> guess(n_samples(x));
    if (!guess_all(x, threads, guess.data())) return std::nullopt;
    std::vector<std::int64_t> open = every_sample(x);
    std::vector<Tile<T>> tiles(usize(threads.n));
    for (int round = 0; round < kTries && open.size() > few; ++round) {
        const std::vector<Piece> pieces = pieces_by_guess(open, guess);
        const auto work = [&](std::size_t p, int worker) {
            const auto [begin, size] = pieces[p];
            const std::int32_t c = guess[usize(open[begin])];
            Tile<T>& tile = tiles[usize(worker)];
            lanes_.load(x, open.data() + begin, size, tile);
            check(x, plan, usize(c), tile, guess.data());
            for (std::size_t lane = 0; lane < size; ++lane) {
                const std::size_t i = usize(open[begin + lane]);
                out[i] = guess[i] == c ? c : -1;
            }
        };
        Stop stop;
        if (!parallel_for(pieces.size(), threads, false, stop, work)) return std::nullopt;
        std::erase_if(open, [&](std::int64_t i) { return out[i] >= 0; });
    }
    return open;
}

template <class T>
bool Champions<T>::guess_all(const Samples& x, const Threads& threads, std::int32_t* guess) const {
    const Prototypes<T>& prototypes = this->prototypes();
    return lanes_.for_each_tile(x, threads, [&](Tile<T>& tile) {
        std::int32_t nearest[kTile];
        prototypes.nearest(v_.simd, tile.panels.data(), tile.lanes, nearest);
        for (std::size_t lane = 0; lane < tile.n; ++lane) guess[tile.ids[lane]] = nearest[lane];
    });
}

template <class T>
bool Champions<T>::only_their_vectors(const Plan& plan, std::size_t c) const {
    const auto& lists = v_.bank.lists;
    const auto& start = lists.class_start;
    for (std::size_t j = 0; j < usize(plan.n_classes); ++j) {
        if (j == c) continue;
        const auto [lower, later] = std::minmax(c, j);
        const std::size_t m = usize(plan.machine_for(c, j));
        const std::int32_t* first = lists.index.data() + lists.begin[m];
        const std::int32_t* last = lists.index.data() + lists.begin[m + 1];
        if (first == last) continue;
        if (usize(*first) < start[lower] || usize(last[-1]) >= start[later + 1]) return false;
        const std::int32_t* split = std::lower_bound(first, last, static_cast<std::int32_t>(start[lower + 1]));
        if (split != last && usize(*split) < start[later]) return false;
    }
    return true;
}

template <class T>
void Champions<T>::check(const Samples& x, const Plan& plan, std::size_t c, Tile<T>& tile, std::int32_t* guess) const {
    const auto& lists = v_.bank.lists;
    const std::size_t n_classes = usize(plan.n_classes);
    if (!only_their_vectors(plan, c)) {
        for (std::size_t lane = 0; lane < tile.n; ++lane)
            guess[tile.ids[lane]] = static_cast<std::int32_t>((c + 1) % n_classes);
        return;
    }
    T* sums = tile.sums.at_least(n_classes * tile.lanes);
    std::fill(sums, sums + n_classes * tile.lanes, T(0));
    const std::size_t first = lists.class_start[c], own = lists.class_start[c + 1] - first;
    const auto machine = [&](std::size_t j) { return usize(plan.machine_for(c, j)); };
    // The machine's vectors in class c and in class j. Its list has those of the lower class first.
    const auto sides = [&](std::size_t j) {
        const std::size_t m = machine(j);
        const std::int32_t* list = lists.index.data();
        const auto later_start = static_cast<std::int32_t>(lists.class_start[std::max(c, j)]);
        const auto split = std::lower_bound(list + lists.begin[m], list + lists.begin[m + 1], later_start) - list;
        const auto id = static_cast<std::int64_t>(m);
        const Segment lower{id, lists.begin[m], split}, later{id, split, lists.begin[m + 1]};
        return c < j ? std::pair{lower, later} : std::pair{later, lower};
    };
    const T* values = lanes_.kernel_values(tile, own, [&](std::size_t q) { return first + q; });
    for (std::size_t j = 0; j < n_classes; ++j) {
        if (j == c) continue;
        const Segment s = sides(j).first;
        lanes_.add_segment(tile, values, s, lists.index.data() + s.begin, first, sums + j * tile.lanes);
    }
    // The other side of every machine, as one list: long products are fast products.
    tile.vectors.clear();
    std::vector<Segment> other(n_classes);
    for (std::size_t j = 0; j < n_classes; ++j) {
        if (j == c) continue;
        other[j] = sides(j).second;
        tile.vectors.insert(tile.vectors.end(), lists.index.begin() + other[j].begin,
                            lists.index.begin() + other[j].end);
    }
    values = lanes_.kernel_values(tile, tile.vectors.size(), [&](std::size_t q) { return usize(tile.vectors[q]); });
    double worst[kTile] = {};
    for (std::size_t j = 0; j < n_classes; ++j) {
        if (j == c) continue;
        T* sum = sums + j * tile.lanes;
        lanes_.add_segment(tile, values, other[j], nullptr, 0, sum);
        values += usize(other[j].end - other[j].begin) * tile.lanes;
        const std::size_t m = machine(j);
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            const std::size_t i = usize(tile.ids[lane]);
            const double value =
                rounding_.certain(x, i, tile.allowance[lane], m, static_cast<double>(sum[lane]) + lists.bias[m]);
            const bool beaten = (value >= 0) == (j > c);
            if (beaten && std::abs(value) >= worst[lane]) {
                worst[lane] = std::abs(value);
                guess[i] = static_cast<std::int32_t>(j);
            }
        }
    }
}

template <class T>
const Prototypes<T>& Champions<T>::prototypes() const {
    std::call_once(prototypes_made_,
                   [&] { prototypes_ = Prototypes<T>(v_.simd, v_.rows(), v_.bank.lists.class_start, v_.d); });
    return prototypes_;
}

template class Champions<float>;
template class Champions<double>;

}  // namespace dagmar
