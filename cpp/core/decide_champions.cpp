#include "decide_champions.hpp"

#include <algorithm>
#include <limits>

#include "decide_cost.hpp"

namespace dagmar {
namespace {

// How much dearer a sample is that walks alone, as it loads every vector for itself.
constexpr double kAloneCost = 6.0;
// What share of the first, second, ... guesses is expected to be right, before some were checked.
constexpr double kExpected[] = {0.85, 0.5, 0.5};
// Pieces that are checked first, to see how many guesses are right.
constexpr std::size_t kProbe = 4;

// Sorts the open samples by their guesses, of which there are so many of each class.
template <class Piece>
std::vector<Piece> pieces_by_guess(std::vector<std::int64_t>& open, const std::vector<std::int32_t>& guess,
                                   const std::vector<std::size_t>& n_of_guess, std::size_t width) {
    std::vector<Piece> pieces;
    std::vector<std::size_t> place(n_of_guess.size());
    for (std::size_t c = 0, begin = 0; c < place.size(); begin += n_of_guess[c++]) {
        place[c] = begin;
        for (std::size_t at = 0; at < n_of_guess[c]; at += width)
            pieces.push_back({begin + at, std::min(width, n_of_guess[c] - at)});
    }
    std::vector<std::int64_t> sorted(open.size());
    for (const std::int64_t i : open) sorted[place[usize(guess[usize(i)])]++] = i;
    open = std::move(sorted);
    return pieces;
}

}  // namespace

template <class T>
Champions<T>::Champions(const DenseVectors<T>& vectors, const Rounding<T>& rounding, const Lanes<T>& lanes)
    : v_(vectors), rounding_(rounding), lanes_(lanes), parts_(vectors.bank.lists.n_machines()) {
    for (std::size_t c = 0; c < v_.bank.segments.size(); ++c)
        for (const Segment& s : v_.bank.segments[c]) {
            Parts& parts = parts_[usize(s.machine)];
            if (parts.n < 2) parts.classes[parts.n] = c;
            if (parts.n < 2) parts.split = parts.n == 0 ? s.end : s.begin;
            ++parts.n;
        }
}

template <class T>
auto Champions<T>::decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const
    -> std::optional<Rest> {
    Call call{x,
              plan,
              threads,
              out,
              std::vector<std::int32_t>(n_samples(x)),
              std::vector<double>(usize(plan.n_classes), -1.0),
              std::vector<Tile<T>>(usize(threads.n)),
              {}};
    std::fill(out, out + n_samples(x), -1);
    Rest rest{every_sample(x), true};
    if (!only_their_vectors(plan, usize(plan.n_classes) - 1)) return rest;
    std::vector<std::int64_t>& open = rest.open;
    const auto pay = [&](const std::vector<std::size_t>& n_of_class, double right, double cost_of_guess = 0.0) {
        return cost_of_guess + cost_of_checks(call, n_of_class, true) < right * cost_of_all(v_);
    };
    const auto n_of_guess = [&] {
        std::vector<std::size_t> n(usize(plan.n_classes));
        for (const std::int64_t i : open) ++n[usize(call.guess[usize(i)])];
        return n;
    };
    if (!pay(expected_classes(open.size()), kExpected[0], Prototypes<T>::cost_of_guess(v_))) return rest;
    if (!guess_all(call, open)) return std::nullopt;
    for (const double expected : kExpected) {
        if (open.empty() || !pay(n_of_guess(), expected)) break;
        std::vector<Piece> pieces =
            pieces_by_guess<Piece>(open, call.guess, n_of_guess(), tile_width(open.size(), threads.n));
        // Spread over the classes.
        const std::size_t step = std::max<std::size_t>(1, pieces.size() / kProbe);
        std::vector<Piece> probe;
        for (std::size_t p = step / 2; p < pieces.size(); p += step) {
            probe.push_back(pieces[p]);
            pieces[p].size = 0;
        }
        const auto right = check_all(call, open, probe);
        if (!right) return std::nullopt;
        const bool go_on = pay(n_of_guess(), *right);
        if (go_on && !check_all(call, open, pieces)) return std::nullopt;
        std::erase_if(open, [&](std::int64_t i) { return out[i] >= 0; });
        if (!go_on) break;
    }
    rest.in_lanes = cost_of_all(v_) * static_cast<double>(padded(open.size())) <
                    kAloneCost * cost_of_checks(call, n_of_guess(), false) * static_cast<double>(open.size());
    return rest;
}

template <class T>
std::vector<std::size_t> Champions<T>::expected_classes(std::size_t n_samples) const {
    const auto& start = v_.bank.lists.class_start;
    std::vector<std::size_t> n(start.size() - 1);
    for (std::size_t c = 0; c < n.size(); ++c)
        n[c] = (n_samples * (start[c + 1] - start[c]) + start.back() / 2) / std::max<std::size_t>(1, start.back());
    return n;
}

template <class T>
std::optional<double> Champions<T>::check_all(Call& call, const std::vector<std::int64_t>& open,
                                              const std::vector<Piece>& pieces) const {
    // Signs that are open are asked again when all tiles are done: samples of many tiles share the vectors of a
    // machine.
    std::vector<std::vector<Question>> found(usize(call.threads.n));
    const auto work = [&](std::size_t p, int worker) {
        const auto [begin, size] = pieces[p];
        if (size == 0) return;
        Tile<T>& tile = call.tiles[usize(worker)];
        tile.use = Use::rough_labels;
        lanes_.load(call.x, open.data() + begin, size, tile);
        const std::int32_t c = call.guess[usize(open[begin])];
        check(call, usize(c), tile, found[usize(worker)]);
        for (std::size_t lane = 0; lane < size; ++lane) {
            const std::size_t i = usize(open[begin + lane]);
            call.out[i] = call.guess[i] == c ? c : -1;
        }
    };
    Stop stop;
    if (!parallel_for(pieces.size(), call.threads, stop, work)) return std::nullopt;
    std::vector<Question> questions;
    for (const auto& some : found) questions.insert(questions.end(), some.begin(), some.end());
    if (!rounding_.answer(call.x, call.threads, questions)) return std::nullopt;
    for (const Question& q : questions) {
        const std::int32_t c = call.out[q.sample];
        if (c < 0 || (q.value >= 0) != (q.reason > usize(c))) continue;  // beaten by another class already, or not
        call.guess[q.sample] = static_cast<std::int32_t>(q.reason);
        call.out[q.sample] = -1;
    }
    std::size_t tried = 0, right = 0;
    for (const auto& [begin, size] : pieces) {
        tried += size;
        for (std::size_t t = begin; t < begin + size; ++t) right += call.out[usize(open[t])] >= 0;
    }
    return static_cast<double>(right) / static_cast<double>(std::max<std::size_t>(1, tried));
}

template <class T>
bool Champions<T>::guess_all(Call& call, const std::vector<std::int64_t>& ids) const {
    const Prototypes<T>& prototypes = this->prototypes(call.threads);
    if (const Grid* levels = v_.levels_to_guess()) {
        levels->know(n_samples(call.x), call.known);
        for (Tile<T>& tile : call.tiles) tile.known = &call.known;
    }
    const auto guess = [&](Tile<T>& tile) {
        std::int32_t nearest[kTile];
        prototypes.nearest(v_, tile, nearest);
        for (std::size_t lane = 0; lane < tile.n; ++lane) call.guess[usize(tile.ids[lane])] = nearest[lane];
    };
    return lanes_.for_each_tile(call.x, ids, call.threads, 0, Use::guesses, guess, call.tiles);
}

template <class T>
Segment Champions<T>::segment(std::size_t m, std::size_t c) const {
    const auto& lists = v_.bank.lists;
    const Parts& parts = parts_[m];
    const auto id = static_cast<std::int64_t>(m);
    if (parts.n > 0 && parts.classes[0] == c) return {id, lists.begin[m], parts.split};
    if (parts.n > 1 && parts.classes[1] == c) return {id, parts.split, lists.begin[m + 1]};
    return {id, lists.begin[m], lists.begin[m]};
}

template <class T>
bool Champions<T>::only_their_vectors(const Plan& plan, std::size_t c) const {
    for (std::size_t j = 0; j < usize(plan.n_classes); ++j) {
        if (j == c) continue;
        const Parts& parts = parts_[usize(plan.machine_for(c, j))];
        if (parts.n > 2) return false;
        for (std::size_t p = 0; p < parts.n; ++p)
            if (parts.classes[p] != c && parts.classes[p] != j) return false;
    }
    return true;
}

template <class T>
double Champions<T>::cost_of_check(Call& call, std::size_t c) const {
    if (call.cost[c] >= 0) return call.cost[c];
    if (!only_their_vectors(call.plan, c)) return call.cost[c] = std::numeric_limits<double>::infinity();
    const auto& lists = v_.bank.lists;
    std::int64_t others = 0, terms = 0;
    for (std::size_t j = 0; j < usize(call.plan.n_classes); ++j) {
        if (j == c) continue;
        const std::size_t m = usize(call.plan.machine_for(c, j));
        const Segment other = segment(m, j);
        others += other.end - other.begin;
        terms += lists.begin[m + 1] - lists.begin[m];
    }
    return call.cost[c] = cost_of(v_, lists.class_start[c + 1] - lists.class_start[c] + usize(others), usize(terms));
}

template <class T>
double Champions<T>::cost_of_checks(Call& call, const std::vector<std::size_t>& n_of_class, bool in_lanes) const {
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t c = 0; c < n_of_class.size(); ++c) {
        if (n_of_class[c] == 0) continue;
        n += n_of_class[c];
        sum += cost_of_check(call, c) * static_cast<double>(in_lanes ? padded(n_of_class[c]) : n_of_class[c]);
    }
    return sum / static_cast<double>(std::max<std::size_t>(1, n));
}

template <class T>
void Champions<T>::check(Call& call, std::size_t c, Tile<T>& tile, std::vector<Question>& open) const {
    const std::size_t n_others = usize(call.plan.n_classes) - 1;
    Findings found;
    while (true) {
        found = {};
        ask(call.plan, c, tile, found);
        if (!v_.too_rough(tile, n_others * tile.n, found.open.size())) break;
        tile.use = Use::labels;
        lanes_.load(call.x, tile.ids, tile.n, tile);
    }
    for (const auto& [lane, j] : found.open)
        if (found.worst[lane] < 0) open.push_back({usize(tile.ids[lane]), usize(call.plan.machine_for(c, j)), j});
    for (std::size_t lane = 0; lane < tile.n; ++lane)
        if (found.worst[lane] >= 0) call.guess[usize(tile.ids[lane])] = static_cast<std::int32_t>(found.by[lane]);
}

template <class T>
void Champions<T>::ask(const Plan& plan, std::size_t c, Tile<T>& tile, Findings& found) const {
    const std::size_t n_classes = usize(plan.n_classes);
    const auto machine = [&](std::size_t j) { return usize(plan.machine_for(c, j)); };
    // For each other class, the sums of its machine with c over the vectors of c, and over its own.
    double* own = tile.sums.at_least(2 * n_classes * tile.lanes);
    double* others = own + n_classes * tile.lanes;
    std::fill(own, own + 2 * n_classes * tile.lanes, 0.0);
    const auto name_parts = [&](bool of_c, double* sums) {
        tile.parts.clear();
        for (std::size_t j = 0; j < n_classes; ++j) {
            if (j == c) continue;
            const Segment s = segment(machine(j), of_c ? c : j);
            if (s.begin < s.end) tile.parts.push_back({s.begin, s.end, sums + j * tile.lanes});
        }
    };
    name_parts(true, own);
    lanes_.add_parts_of_class(tile, c);
    name_parts(false, others);
    lanes_.add_parts(tile);
    for (std::size_t j = 0; j < n_classes; ++j) {
        if (j == c) continue;
        const std::size_t m = machine(j);
        const double *one = own + j * tile.lanes, *other = others + j * tile.lanes;
        const auto sum = [&](std::size_t lane) { return lanes_.total(m, one[lane], other[lane]); };
        // Most values are for c, and far from zero.
        double clear[kTile];
        lanes_.clear_values(tile, m, one, other, clear);
        const double for_c = j > c ? -1.0 : 1.0;
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            if (clear[lane] * for_c > 0) continue;
            const Sum here = sum(lane);
            if (!rounding_.is_certain(tile.allowance[lane], m, here))
                found.open.push_back({lane, j});
            else if ((here.value >= 0) == (j > c))
                found.beaten_by(lane, j, here.value);
        }
    }
}

template <class T>
const Prototypes<T>& Champions<T>::prototypes(const Threads& threads) const {
    std::call_once(prototypes_made_, [&] { prototypes_ = Prototypes<T>(v_, threads); });
    return prototypes_;
}

template class Champions<float>;
template class Champions<double>;

}  // namespace dagmar
