#include "decide_lanes.hpp"

#include <iterator>

namespace dagmar {
namespace {

// Kernel values, of all lanes, that are finished after their products: a few panels of many vectors.
constexpr std::size_t kFinishedAtOnce = 96 * 128;

// Whether a walk meets so few of the machines that summing those, sample by sample, takes less time than summing all in
// lanes. Walks over pairs meet little more than one machine per class.
bool asks_few(const Plan& plan, std::size_t n_machines) {
    constexpr std::size_t faster = 16;  // a term in lanes than a term alone
    const bool asks_all = plan.kind == PlanKind::knockout && plan.rule == Rule::everyone;
    return !asks_all && n_machines > faster * usize(plan.n_classes);
}

}  // namespace

template <class T>
void Lanes<T>::load(const Samples& x, const std::int64_t* ids, std::size_t n, Tile<T>& tile) const {
    tile.ids = ids;
    tile.n = n;
    tile.lanes = padded(n);
    v_.load_tile(x, tile);
    if (tile.use == Use::guesses) return;  // which need no bounds
    if (tile.levels) {
        Allowance allowance = rounding_.allowance_of_levels(0.0);
        double farthest = 0.0;
        for (std::size_t lane = 0; lane < n; ++lane) {
            allowance.off = tile.levelled.off[lane];
            tile.allowance[lane] = allowance;
            farthest = larger_norm2(farthest, allowance.off);
        }
        tile.largest_allowance = allowance;
        tile.largest_allowance.off = farthest;
        return;
    }
    // The errors of distances depend on the larger of two norms only, and most samples have smaller ones than some
    // vector has.
    const bool rbf = v_.bank.kernel.type == KernelType::rbf;
    const Allowance usual = rounding_.allowance(T(0));
    tile.largest_allowance = rbf ? usual : Allowance{};
    for (std::size_t lane = 0; lane < n; ++lane) {
        const double norm2 = v_.bank.kernel.unscale2(static_cast<double>(tile.norms[lane]));
        if (rbf && norm2 <= v_.largest_norm2) {
            tile.allowance[lane] = usual;
            continue;
        }
        tile.allowance[lane] = rounding_.allowance(tile.norms[lane]);
        tile.largest_allowance = larger(tile.largest_allowance, tile.allowance[lane]);
    }
}

template <class T>
void Lanes<T>::add_parts_of_class(Tile<T>& tile, std::size_t c) const {
    const auto& lists = v_.bank.lists;
    const std::size_t end = lists.class_start[c + 1];
    for (std::size_t first = lists.class_start[c]; first < end; first += kPiece) {
        const std::size_t next = std::min(end, first + kPiece);
        const T* values = kernel_values(tile, next - first, [&](std::size_t q) { return first + q; });
        for (Part& part : tile.parts) {
            const std::int32_t *list = lists.index.data() + part.begin, *last = lists.index.data() + part.end;
            const auto n =
                usize((next == end ? last : std::lower_bound(list, last, static_cast<std::int32_t>(next))) - list);
            v_.simd.sum_in_blocks(values, list, first, v_.coef.data() + part.begin, n, tile.lanes, part.sums);
            part.begin += static_cast<std::int64_t>(n);
        }
    }
}

template <class T>
void Lanes<T>::add_parts(Tile<T>& tile) const {
    const auto& lists = v_.bank.lists;
    const auto added = [&](const Part& part) {
        return v_.add_terms(tile, lists.index.data() + part.begin, usize(part.end - part.begin),
                            v_.coef.data() + part.begin, part.sums);
    };
    if (std::all_of(tile.parts.begin(), tile.parts.end(), added)) return;
    for (auto part = tile.parts.begin(); part != tile.parts.end();) {
        tile.pieces.clear();
        tile.vectors.clear();
        while (part != tile.parts.end() && tile.vectors.size() < kPiece) {
            const auto room = static_cast<std::int64_t>(kPiece - tile.vectors.size());
            const Part piece{part->begin, std::min(part->end, part->begin + room), part->sums};
            tile.vectors.insert(tile.vectors.end(), lists.index.begin() + piece.begin, lists.index.begin() + piece.end);
            tile.pieces.push_back(piece);
            part->begin = piece.end;
            if (part->begin == part->end) ++part;
        }
        const T* values =
            kernel_values(tile, tile.vectors.size(), [&](std::size_t q) { return usize(tile.vectors[q]); });
        for (const Part& piece : tile.pieces) {
            const auto n = usize(piece.end - piece.begin);
            v_.simd.sum_in_blocks(values, nullptr, 0, v_.coef.data() + piece.begin, n, tile.lanes, piece.sums);
            values += n * tile.lanes;
        }
    }
}

template <class T>
void Lanes<T>::sum_all(Tile<T>& tile) const {
    const auto& lists = v_.bank.lists;
    // Two sums for each machine: of positive coefficients and of negative ones, as their sizes add up to the size of
    // all terms.
    const std::size_t size = 2 * lists.n_machines() * tile.lanes;
    double* sums = tile.sums.at_least(size);
    std::fill(sums, sums + size, 0.0);
    for (std::size_t c = 0; c < lists.n_classes(); ++c) {
        tile.parts.clear();
        for (const Segment& s : v_.bank.segments[c]) {
            const std::size_t place = 2 * usize(s.machine) + (lists.coef[usize(s.begin)] < 0);
            tile.parts.push_back({s.begin, s.end, sums + place * tile.lanes});
        }
        add_parts_of_class(tile, c);
    }
}

template <class T>
void Lanes<T>::sum_machine(Tile<T>& tile, std::size_t m) const {
    const auto& lists = v_.bank.lists;
    double* sums = tile.sums.at_least(2 * tile.lanes);
    std::fill(sums, sums + 2 * tile.lanes, 0.0);
    const std::size_t end = usize(lists.begin[m + 1]);
    tile.parts.clear();
    for (std::size_t t = usize(lists.begin[m]); t < end;) {  // class after class, as in sum_all
        std::size_t last = t;
        const bool negative = lists.coef[t] < 0;
        const std::size_t c_end =
            *std::upper_bound(lists.class_start.begin(), lists.class_start.end(), usize(lists.index[t]));
        while (last < end && usize(lists.index[last]) < c_end) ++last;
        tile.parts.push_back(
            {static_cast<std::int64_t>(t), static_cast<std::int64_t>(last), sums + negative * tile.lanes});
        t = last;
    }
    add_parts(tile);
}

template <class T>
void Lanes<T>::ranked_sums(const Samples& x, const Tile<T>& tile, std::size_t lane, std::vector<Sum>& sums) const {
    for (std::size_t m = 0; m < sums.size(); ++m) {
        sums[m] = sum(tile, m, lane);
        sums[m].value = rounding_.certain(x, usize(tile.ids[lane]), tile.allowance[lane], m, sums[m]);
    }
    rounding_.settle(x, usize(tile.ids[lane]), tile.allowance[lane], sums.data());
}

template <class T>
bool Lanes<T>::values(const Samples& x, bool ranked, const Threads& threads, double* out) const {
    const std::size_t n_machines = v_.bank.lists.n_machines();
    return for_each_tile(x, every_sample(x), threads, 2 * v_.bank.lists.n_machines(), Use::values, [&](Tile<T>& tile) {
        sum_all(tile);
        if (!ranked) {
            for (std::size_t m = 0; m < n_machines; ++m)
                for (std::size_t lane = 0; lane < tile.n; ++lane)
                    out[usize(tile.ids[lane]) * n_machines + m] = value(tile, x, m, lane);
            return;
        }
        std::vector<Sum> sums(n_machines);
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            ranked_sums(x, tile, lane, sums);
            double* row = out + usize(tile.ids[lane]) * n_machines;
            for (std::size_t m = 0; m < n_machines; ++m) row[m] = sums[m].value;
        }
    });
}

template <class T>
bool Lanes<T>::poll(const Samples& x, const Threads& threads, std::int32_t* out) const {
    return for_each_tile(x, every_sample(x), threads, 2 * v_.bank.lists.n_machines(), Use::labels, [&](Tile<T>& tile) {
        sum_all(tile);
        std::vector<Sum> sums(v_.bank.lists.n_machines());
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            ranked_sums(x, tile, lane, sums);
            const auto less = [](const Sum& s, const Sum& t) { return s.value < t.value; };
            out[tile.ids[lane]] =
                static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end(), less) - sums.begin());
        }
    });
}

template <class T>
bool Lanes<T>::walk(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                    std::int32_t* out) const {
    if (asks_few(plan, v_.bank.lists.n_machines())) return walk_few(x, ids, plan, threads, out);
    const std::size_t n_machines = v_.bank.lists.n_machines();
    std::vector<std::unique_ptr<Walk>> walks(usize(threads.n));
    std::vector<std::vector<OpenWalk>> found(usize(threads.n));
    const auto decide_tile = [&](Tile<T>& tile) {
        auto& walk = walks[usize(tile.worker)];
        if (!walk) walk = make_walk(plan);
        std::vector<OpenWalk>& left = found[usize(tile.worker)];
        const std::size_t n_before = left.size();
        while (true) {
            std::size_t asked = 0, open = 0;
            sum_all(tile);
            signed char* signs = tile.signs.at_least(n_machines * tile.lanes);
            for (std::size_t m = 0; m < n_machines; ++m) {
                const double* sums = tile.sums.data() + 2 * m * tile.lanes;
                double clear[kTile];
                clear_values(tile, m, sums, sums + tile.lanes, clear);
                for (std::size_t lane = 0; lane < tile.lanes; ++lane)
                    signs[m * tile.lanes + lane] = static_cast<signed char>((clear[lane] > 0) - (clear[lane] < 0));
            }
            left.resize(n_before);
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                OpenWalk own{usize(tile.ids[lane]), {}, {}};
                const std::int32_t answer = follow(*walk, [&](std::int64_t m) {
                    ++asked;
                    if (const signed char sign = signs[usize(m) * tile.lanes + lane]) return static_cast<double>(sign);
                    const Sum here = sum(tile, usize(m), lane);
                    if (!rounding_.is_certain(tile.allowance[lane], usize(m), here)) own.open.push_back(usize(m));
                    return here.value;
                });
                out[tile.ids[lane]] = answer;
                if (own.open.empty()) continue;
                open += own.open.size();
                own.signs.resize(n_machines);
                for (std::size_t m = 0; m < n_machines; ++m) {
                    const Sum here = sum(tile, m, lane);
                    if (rounding_.is_certain(tile.allowance[lane], m, here)) own.signs[m] = here.value >= 0 ? 1 : -1;
                }
                left.push_back(std::move(own));
            }
            if (!v_.too_rough(tile, asked, open)) break;
            tile.use = Use::labels;
            load(x, tile.ids, tile.n, tile);
        }
    };
    if (!for_each_tile(x, ids, threads, 2 * n_machines, Use::rough_labels, decide_tile)) return false;
    std::vector<OpenWalk> open;
    for (auto& some : found) std::move(some.begin(), some.end(), std::back_inserter(open));
    return settle_walks(x, plan, threads, open, out);
}

template <class T>
bool Lanes<T>::settle_walks(const Samples& x, const Plan& plan, const Threads& threads, std::vector<OpenWalk>& open,
                            std::int32_t* out) const {
    if (open.empty()) return true;
    const auto walk = make_walk(plan);
    std::vector<Question> questions;
    while (!open.empty()) {
        questions.clear();
        for (std::size_t w = 0; w < open.size(); ++w)
            for (const std::size_t m : open[w].open) questions.push_back({open[w].sample, m, w});
        if (!rounding_.answer(x, threads, questions)) return false;
        for (const Question& q : questions) open[q.reason].signs[q.machine] = q.value >= 0 ? 1 : -1;
        // A sign that is known now may lead to machines that were not asked before.
        for (OpenWalk& own : open) {
            own.open.clear();
            out[own.sample] = follow(*walk, [&](std::int64_t m) {
                const signed char sign = own.signs[usize(m)];
                if (sign == 0) own.open.push_back(usize(m));
                return static_cast<double>(sign);
            });
        }
        std::erase_if(open, [](const OpenWalk& own) { return own.open.empty(); });
    }
    return true;
}

template <class T>
bool Lanes<T>::walk_few(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan,
                        const Threads& threads, std::int32_t* out) const {
    const std::size_t n_vectors = v_.bank.lists.n_vectors();
    std::vector<std::unique_ptr<Walk>> walks(usize(threads.n));
    return for_each_tile(x, ids, threads, n_vectors, Use::labels, [&](Tile<T>& tile) {
        const T* values = kernel_values(tile, n_vectors, [](std::size_t v) { return v; });
        auto& walk = walks[usize(tile.worker)];
        if (!walk) walk = make_walk(plan);
        T* own = tile.one.at_least(kLanes * n_vectors);  // the values of a panel, sample after sample
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            if (lane % kLanes == 0)
                for (std::size_t v = 0; v < n_vectors; ++v)
                    for (std::size_t u = 0; u < kLanes; ++u) own[u * n_vectors + v] = values[v * tile.lanes + lane + u];
            const std::size_t i = usize(tile.ids[lane]);
            out[i] = follow(*walk, [&](std::int64_t m) {
                const Sum sum = sum_of_terms(v_.bank.lists, usize(m), own + lane % kLanes * n_vectors);
                return rounding_.certain(x, i, tile.allowance[lane], usize(m), sum);
            });
        }
    });
}

template <class T>
void Vectors<T>::kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
    // Few at a time: what the products leave in the first-level cache is still there when it is finished.
    const std::size_t at_once = std::max<std::size_t>(kLanes, kFinishedAtOnce / tile.lanes);
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t last = std::min(n, first + at_once);
        dots(tile, vectors + first, last - first, out + first * tile.lanes);
        for (std::size_t q = first; q < last; ++q) {
            const std::size_t v = usize(vectors[q]);
            bank.kernel_of(v).finish(simd, out + q * tile.lanes, tile.norms, norms[v], tile.lanes);
        }
    }
}

template void Vectors<float>::kernel_values(Tile<float>&, const std::int32_t*, std::size_t, float*) const;
template void Vectors<double>::kernel_values(Tile<double>&, const std::int32_t*, std::size_t, double*) const;

template class Lanes<float>;
template class Lanes<double>;

}  // namespace dagmar
