#include "decide_nodes.hpp"

#include <algorithm>

#include "decide_cost.hpp"

namespace dagmar {
namespace {

// How much cheaper it must look: machines do not send half either way, and every node loads its samples again.
constexpr double kMargin = 2.0;

}  // namespace

template <class T>
bool Nodes<T>::pays(const Plan& plan, std::size_t n_samples) const {
    const double n = static_cast<double>(n_samples);
    const auto n_lanes = [](double samples) { return std::max(samples, static_cast<double>(kLanes)); };
    std::vector<double> here(plan.machine.size(), 0.0);  // samples that come by, if every machine sends half either way
    double cost = 0;
    const auto arrive = [&](std::int64_t edge, double samples) {
        if (is_node(edge)) {
            here[usize(edge)] += samples;
        } else if (is_list(edge, plan.n_classes)) {
            const std::size_t list = usize(list_number(edge, plan.n_classes));
            const auto begin = usize(plan.list_begin[list]), last = usize(plan.list_begin[list + 1]) - 1;
            // One class leaves after the other. Those that stand at a list soon stand at different pairs of it.
            for (std::size_t t = begin; t < last; ++t) {
                const std::size_t a = usize(plan.list_classes[t]), b = usize(plan.list_classes[last]);
                const double apart = static_cast<double>(t - begin + 1);
                cost += cost_of_machine(v_, usize(plan.machine_for(a, b))) * n_lanes(samples / apart) * apart;
            }
        }
    };
    arrive(plan.root, n);
    for (const std::int64_t node : plan.parents_first) {
        const std::size_t v = usize(node);
        cost += cost_of_machine(v_, usize(plan.machine[v])) * n_lanes(here[v]);
        arrive(plan.on_negative[v], here[v] / 2);
        arrive(plan.on_positive[v], here[v] / 2);
    }
    return kMargin * cost < n * cost_of_all(v_);
}

template <class T>
bool Nodes<T>::decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const {
    struct Standing {
        std::int64_t machine, sample;
    };
    struct Piece {
        std::size_t begin, size;
    };
    std::vector<GraphWalk> walks(n_samples(x), GraphWalk(plan));
    std::vector<Standing> standing;
    for (std::size_t i = 0; i < walks.size(); ++i) {
        walks[i].begin();
        standing.push_back({0, static_cast<std::int64_t>(i)});
    }
    std::vector<Tile<T>> tiles(usize(threads.n));
    std::vector<std::int64_t> samples;
    std::vector<Piece> pieces;
    while (true) {
        for (Standing& s : standing) {
            s.machine = walks[usize(s.sample)].next();
            if (s.machine < 0) out[s.sample] = walks[usize(s.sample)].answer();
        }
        std::erase_if(standing, [](const Standing& s) { return s.machine < 0; });
        if (standing.empty()) break;
        std::stable_sort(standing.begin(), standing.end(),
                         [](const Standing& s, const Standing& t) { return s.machine < t.machine; });
        samples.clear();
        pieces.clear();
        for (const Standing& s : standing) {
            const bool joins =
                !pieces.empty() && pieces.back().size < kTile && standing[pieces.back().begin].machine == s.machine;
            if (!joins) pieces.push_back({samples.size(), 0});
            ++pieces.back().size;
            samples.push_back(s.sample);
        }
        const auto work = [&](std::size_t p, int worker) {
            const auto [begin, size] = pieces[p];
            Tile<T>& tile = tiles[usize(worker)];
            tile.use = Use::labels;
            lanes_.load(x, samples.data() + begin, size, tile);
            double values[kTile];
            ask(x, usize(standing[begin].machine), tile, values);
            for (std::size_t lane = 0; lane < size; ++lane) walks[usize(samples[begin + lane])].tell(values[lane] >= 0);
        };
        Stop stop;
        if (!parallel_for(pieces.size(), threads, stop, work)) return false;
    }
    return true;
}

template <class T>
void Nodes<T>::ask(const Samples& x, std::size_t m, Tile<T>& tile, double* values) const {
    lanes_.sum_machine(tile, m);
    for (std::size_t lane = 0; lane < tile.n; ++lane)
        values[lane] =
            rounding_.certain(x, usize(tile.ids[lane]), tile.allowance[lane], m, lanes_.sum_of_machine(tile, m, lane));
}

template class Nodes<float>;
template class Nodes<double>;

}  // namespace dagmar
