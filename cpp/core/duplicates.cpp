#include "duplicates.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <variant>

#include "integers.hpp"
#include "norms.hpp"

namespace dagmar {
namespace {

// Where more than one sample in so many has the norm of a different one, other keys are made.
constexpr std::size_t kPerCollision = 8;
// Samples that are worth another thread.
constexpr std::size_t kWorthAThread = std::size_t{1} << 12;

std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ bits >> 32) * 0x9e3779b97f4a7c15u;
    return bits ^ bits >> 29;
}

// The squared distance of each sample from a point that is chosen at random, but always the same. Norms of samples of
// few values, such as counts or yes and no, are often equal; these distances are not.
template <class S>
std::vector<double> distances_from_a_point(const DenseView<S>& x, Spare& spare) {
    std::vector<double> point, distances(x.n);
    for (std::size_t f = 0; f < x.d; ++f) point.push_back(0x1p-64 * static_cast<double>(mixed(f + 1)));
    squared_norms(x, point, spare, distances.data());
    return distances;
}

// Finds the samples of one class that have the features of an earlier one.
class Finder {
   public:
    // first_of[k]: the first sample of the class that is equal to its k-th. Equal samples of x have the same key.
    // Returns false, with first_of half done, if more than `most` different samples have.
    template <class S>
    bool find(const DenseView<S>& x, std::span<const std::int64_t> samples, std::span<const double> keys,
              std::size_t most, std::span<std::int32_t> first_of) {
        const std::size_t n = samples.size(), n_places = std::bit_ceil(2 * n + 1);
        table_.assign(n_places, {0, -1});
        std::size_t collisions = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t sample = usize(samples[k]);
            const std::uint64_t own = mixed(std::bit_cast<std::uint64_t>(keys[sample]));
            std::size_t place = own & (n_places - 1);
            for (; table_[place].sample >= 0; place = (place + 1) & (n_places - 1)) {
                if (table_[place].key != own) continue;
                const std::size_t other = usize(samples[usize(table_[place].sample)]);
                if (std::memcmp(x.row(sample), x.row(other), x.d * sizeof(S)) == 0) break;
                if (++collisions > most) return false;
            }
            if (table_[place].sample < 0) table_[place] = {own, static_cast<std::int32_t>(k)};
            first_of[k] = table_[place].sample;
        }
        return true;
    }

   private:
    struct Entry {
        std::uint64_t key;
        std::int32_t sample;
    };
    std::vector<Entry> table_;
};

}  // namespace

Duplicates::Duplicates(const Problem& problem, Spare& spare) {
    if (problem.kernel.type == KernelType::precomputed) return;
    const auto find = [&](const auto& x) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(x)>, SparseView>) {
            std::once_flag made;
            std::vector<double> distances;
            std::vector<std::int32_t> first_of(problem.order.size());
            const auto find_in = [&](std::size_t c, Finder& finder) {
                const std::size_t start = problem.class_start[c], n = problem.class_size(c);
                const auto samples = problem.order.subspan(start, n);
                const std::span<std::int32_t> out(first_of.data() + start, n);
                if (!problem.norms.empty() && finder.find(x, samples, problem.norms, n / kPerCollision, out)) return;
                std::call_once(made, [&] { distances = distances_from_a_point(x, spare); });
                finder.find(x, samples, distances, n * n, out);
            };
            const std::size_t n_classes = problem.n_classes();
            const std::size_t parts = std::clamp<std::size_t>(first_of.size() / kWorthAThread, 1, n_classes);
            spare.run(parts, [&](std::size_t part) {
                Finder finder;
                for (std::size_t c = n_classes * part / parts; c < n_classes * (part + 1) / parts; ++c)
                    find_in(c, finder);
            });
            number(problem, first_of);
        }
    };
    std::visit(find, problem.x);
}

void Duplicates::number(const Problem& problem, const std::vector<std::int32_t>& first_of) {
    std::vector<std::int32_t> of(first_of.size());
    class_start_.assign(1, 0);
    for (std::size_t c = 0; c < problem.n_classes(); ++c) {
        const std::size_t start = problem.class_start[c];
        for (std::size_t k = start; k < problem.class_start[c + 1]; ++k) {
            const std::size_t first = start + usize(first_of[k]);
            of[k] = first < k ? of[first] : static_cast<std::int32_t>(order_.size());
            if (first == k) order_.push_back(problem.order[k]);
        }
        class_start_.push_back(order_.size());
    }
    if (order_.size() < of.size()) of_ = std::move(of);
}

Problem Duplicates::distinct(const Problem& whole) const {
    Problem distinct = whole;
    distinct.order = order_;
    distinct.class_start = class_start_;
    return distinct;
}

std::vector<double> Duplicates::sums(std::span<const double> caps) const {
    const std::size_t n = of_.size();
    std::vector<double> all(caps.size() / n * order_.size(), 0.0);
    for (std::size_t i = 0; i < caps.size(); ++i) all[i / n * order_.size() + usize(of_[i % n])] += caps[i];
    return all;
}

}  // namespace dagmar
