#include "decide/lanes.hpp"

#include "decide/alone.hpp"

namespace dagmar {

template <class T>
void Lanes<T>::load(const Samples& x, const std::int64_t* ids, std::size_t n, Codes codes, Tile<T>& tile) const {
    tile.ids = ids;
    tile.n = n;
    tile.lanes = padded(n);
    v_.load_tile(x, codes, tile);
    if (tile.grid) {
        Allowance allowance = rounding_.allowance_of_codes(0.0);
        tile.largest_allowance = allowance;
        for (std::size_t lane = 0; lane < n; ++lane) {
            allowance.off = tile.coded.off[lane];
            tile.allowance[lane] = allowance;
            tile.largest_allowance.off = larger_norm2(tile.largest_allowance.off, allowance.off);
        }
        return;
    }
    // The errors of distances depend only on the larger of two norms, and most samples have smaller ones than some
    // vector has.
    const bool rbf = v_.bank.kernel.type == KernelType::rbf;
    const double largest_norm2 = v_.largest_norm2();
    const Allowance usual = rounding_.allowance(T(0));
    tile.largest_allowance = rbf ? usual : Allowance{};
    for (std::size_t lane = 0; lane < n; ++lane) {
        const double norm2 = v_.bank.kernel.unscale2(static_cast<double>(tile.norms[lane]));
        if (rbf && norm2 <= largest_norm2) {
            tile.allowance[lane] = usual;
            continue;
        }
        tile.allowance[lane] = rounding_.allowance(tile.norms[lane]);
        tile.largest_allowance = larger(tile.largest_allowance, tile.allowance[lane]);
    }
}

template <class T>
bool Lanes<T>::reload_if_rough(const Samples& x, std::size_t asked, std::size_t open, Tile<T>& tile) const {
    if (tile.codes != Codes::rough || !DecideChoices::too_rough(asked, open)) return false;
    load(x, tile.ids, tile.n, Codes::exact, tile);
    return true;
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
void Lanes<T>::clear_values(const Tile<T>& tile, std::size_t m, const double* one, const double* other,
                            double* clear) const {
    constexpr double largest = std::numeric_limits<double>::max();
    const auto sure = rounding_.line(tile.largest_allowance, m, total(m, one[0], other[0]).size);
    const double bias = v_.bank.lists.bias[m];
    for (std::size_t lane = 0; lane < tile.lanes; ++lane) {
        const double a = one[lane], b = other[lane], value = a + b + bias, size = std::abs(value);
        const bool is_clear = (size >= sure.at(std::abs(a) + std::abs(b))) & (size <= largest);
        clear[lane] = is_clear ? value : 0.0;
    }
}

template <class T>
void Lanes<T>::sum_all(Tile<T>& tile) const {
    const auto& lists = v_.bank.lists;
    // Two sums for each machine, of positive and of negative coefficients: their sizes add up to the size of all
    // terms.
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
void Lanes<T>::sums_of_lane(const Samples& x, const Tile<T>& tile, std::size_t lane, bool ranked,
                            std::vector<Sum>& sums) const {
    const std::size_t i = usize(tile.ids[lane]);
    sums.resize(v_.bank.lists.n_machines());
    for (std::size_t m = 0; m < sums.size(); ++m) {
        sums[m] = sum(tile, m, lane);
        sums[m].value = rounding_.certain(x, i, tile.allowance[lane], m, sums[m]);
    }
    if (ranked) rounding_.settle(x, i, tile.allowance[lane], sums.data());
}

template <class T>
bool Lanes<T>::values(const Samples& x, bool ranked, const Threads& threads, double* out) const {
    const std::size_t n_machines = v_.bank.lists.n_machines();
    return for_each_tile(x, every_sample(x), threads, Codes::none, 2 * n_machines, [&](Tile<T>& tile) {
        sum_all(tile);
        std::vector<Sum> sums;
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            sums_of_lane(x, tile, lane, ranked, sums);
            double* row = out + usize(tile.ids[lane]) * n_machines;
            for (std::size_t m = 0; m < n_machines; ++m) row[m] = sums[m].value;
        }
    });
}

template <class T>
bool Lanes<T>::poll(const Samples& x, const Threads& threads, Codes codes, std::int32_t* out) const {
    return for_each_tile(x, every_sample(x), threads, codes, 2 * v_.bank.lists.n_machines(), [&](Tile<T>& tile) {
        sum_all(tile);
        std::vector<Sum> sums;
        for (std::size_t lane = 0; lane < tile.n; ++lane) {
            sums_of_lane(x, tile, lane, true, sums);
            const auto less = [](const Sum& s, const Sum& t) { return s.value < t.value; };
            out[tile.ids[lane]] =
                static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end(), less) - sums.begin());
        }
    });
}

template <class T>
bool Lanes<T>::walk(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                    const DecideChoices& choices, std::int32_t* out) const {
    return choices.way == DecideChoices::Way::asked_in_lanes ? walk_asked(x, ids, plan, threads, out)
                                                             : walk_all(x, ids, plan, threads, choices.codes, out);
}

template <class T>
bool Lanes<T>::walk_all(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan,
                        const Threads& threads, Codes codes, std::int32_t* out) const {
    std::vector<std::unique_ptr<Walk>> walks(usize(threads.n));
    const std::size_t n_machines = v_.bank.lists.n_machines();
    return for_each_tile(x, ids, threads, codes, 2 * n_machines, [&](Tile<T>& tile) {
        auto& walk = walks[usize(tile.worker)];
        if (!walk) walk = make_walk(plan);
        std::vector<std::size_t> unsure;  // lanes whose walk met open signs
        Asked signs;
        do {
            signs = walk_tile(tile, *walk, unsure, out);
        } while (reload_if_rough(x, signs.asked, signs.open, tile));
        for (const std::size_t lane : unsure) {
            const std::size_t i = usize(tile.ids[lane]);
            out[i] = follow(*walk, [&](std::int64_t m) {
                return rounding_.certain(x, i, tile.allowance[lane], usize(m), sum(tile, usize(m), lane));
            });
        }
    });
}

template <class T>
auto Lanes<T>::walk_tile(Tile<T>& tile, Walk& walk, std::vector<std::size_t>& unsure, std::int32_t* out) const
    -> Asked {
    const std::size_t n_machines = v_.bank.lists.n_machines();
    sum_all(tile);
    signed char* signs = tile.signs.at_least(n_machines * tile.lanes);
    for (std::size_t m = 0; m < n_machines; ++m) {
        const double* sums = tile.sums.data() + 2 * m * tile.lanes;
        double clear[kTile];
        clear_values(tile, m, sums, sums + tile.lanes, clear);
        for (std::size_t lane = 0; lane < tile.lanes; ++lane)
            signs[m * tile.lanes + lane] = static_cast<signed char>((clear[lane] > 0) - (clear[lane] < 0));
    }
    Asked count;
    unsure.clear();
    for (std::size_t lane = 0; lane < tile.n; ++lane) {
        const std::size_t open_before = count.open;
        out[tile.ids[lane]] = follow(walk, [&](std::int64_t m) {
            ++count.asked;
            if (const signed char sign = signs[usize(m) * tile.lanes + lane]) return static_cast<double>(sign);
            const Sum here = sum(tile, usize(m), lane);
            count.open += !rounding_.is_certain(tile.allowance[lane], usize(m), here);
            return here.value;
        });
        if (count.open > open_before) unsure.push_back(lane);
    }
    return count;
}

template <class T>
bool Lanes<T>::walk_asked(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan,
                          const Threads& threads, std::int32_t* out) const {
    const std::size_t n_vectors = v_.bank.lists.n_vectors();
    std::vector<std::unique_ptr<Walk>> walks(usize(threads.n));
    return for_each_tile(x, ids, threads, Codes::exact, n_vectors, [&](Tile<T>& tile) {
        const T* values = kernel_values(tile, n_vectors, [](std::size_t v) { return v; });
        auto& walk = walks[usize(tile.worker)];
        if (!walk) walk = make_walk(plan);
        T* own = tile.by_sample.at_least(kLanes * n_vectors);  // the values of a panel, sample after sample
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

template class Lanes<float>;
template class Lanes<double>;

}  // namespace dagmar
