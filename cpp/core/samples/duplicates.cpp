#include "samples/duplicates.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/costs.hpp"
#include "base/integers.hpp"

namespace dagmar {
namespace {

// Finding a sample's equals takes about as long as this many products.
constexpr double kProductsPerSample = 256.0;

std::uint64_t mixed(std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15u;
    return bits ^ (bits >> 32);
}

// A hash of some bytes, in four chains that do not wait for each other. (Rotation brings the bits that a product moves
// up down again: numbers often differ in their highest bits only.)
std::uint64_t hash_of(const void* data, std::size_t n_bytes) {
    std::uint64_t chains[4] = {1, 2, 3, 4}, words[4];
    const auto* bytes = static_cast<const char*>(data);
    for (std::size_t at = 0; at < n_bytes; at += sizeof(words)) {
        const std::size_t n = std::min(sizeof(words), n_bytes - at);
        if (n < sizeof(words)) std::fill(words, words + 4, 0);
        std::memcpy(words, bytes + at, n);
        for (std::size_t u = 0; u < 4; ++u) chains[u] = std::rotl((chains[u] ^ words[u]) * 0x9E3779B97F4A7C15u, 32);
    }
    return mixed(mixed(mixed(mixed(chains[0]) + chains[1]) + chains[2]) + chains[3]);
}

// The numbers of a sample and, if it is sparse, their features.
template <class S>
struct Row {
    const S* numbers;
    const std::int32_t* features;
    std::size_t n;

    // The same bits.
    bool operator==(const Row& other) const {
        const auto same = [&](const auto* a, const auto* b) { return std::memcmp(a, b, n * sizeof(*a)) == 0; };
        return n == other.n && same(numbers, other.numbers) && (!features || same(features, other.features));
    }

    std::uint64_t hash() const {
        const std::uint64_t sum = hash_of(numbers, n * sizeof(S));
        return features ? mixed(sum + hash_of(features, n * sizeof(*features))) : sum;
    }
};

template <class S>
Row<S> row_of(const DenseView<S>& x, std::int64_t i) {
    return {x.row(usize(i)), nullptr, x.d};
}
Row<double> row_of(const SparseView& x, std::int64_t i) {
    const auto begin = usize(x.indptr[i]), end = usize(x.indptr[i + 1]);
    return {x.data + begin, x.indices + begin, end - begin};
}

// Finds the first sample of a class that is equal to each of them, by a table of hashes with room for twice as many.
// Hashes of norms do not read the features. Returns false if too many different samples have the same norm.
template <class View>
bool find_first(const View& x, const Problem& problem, std::size_t c, bool by_norms, std::size_t* first) {
    constexpr std::size_t none = ~std::size_t{0};
    const std::size_t begin = problem.class_start[c], size = problem.class_size(c);
    std::vector<std::size_t> table(std::bit_ceil(2 * size + 1), none);
    std::vector<std::uint64_t> hashes(size);
    std::size_t collisions = 0;
    for (std::size_t k = 0; k < size; ++k) {
        const std::int64_t sample = problem.order[begin + k];
        const auto row = row_of(x, sample);
        hashes[k] = by_norms ? mixed(std::bit_cast<std::uint64_t>(problem.norms[usize(sample)])) : row.hash();
        std::size_t at = hashes[k] & (table.size() - 1);
        for (; table[at] != none; at = (at + 1) & (table.size() - 1)) {
            if (hashes[table[at]] != hashes[k]) continue;
            if (row_of(x, problem.order[begin + table[at]]) == row) break;
            if (++collisions > size / 2 && by_norms) return false;
        }
        if (table[at] == none) table[at] = k;
        first[begin + k] = begin + table[at];
    }
    return true;
}

}  // namespace

Duplicates::Duplicates(const Problem& problem, Spare& spare) {
    if (problem.kernel.type == KernelType::precomputed) return;
    const std::size_t n = problem.order.size(), n_classes = problem.n_classes();
    std::vector<std::size_t> first(n);  // the first sample of the class that is equal to each
    const auto find = [&](const auto& x) {
        const double worth = n_classes > 2 ? kWorthSharing : kWorthWaking;
        const std::size_t parts = parts_worth(kProductsPerSample * static_cast<double>(n), n_classes, worth);
        spare.run(parts, [&](std::size_t part) {
            for (std::size_t c = n_classes * part / parts; c < n_classes * (part + 1) / parts; ++c)
                if (problem.norms.empty() || !find_first(x, problem, c, true, first.data()))
                    find_first(x, problem, c, false, first.data());
        });
    };
    std::visit(find, problem.x);
    of_.resize(n);
    for (std::size_t c = 0; c < n_classes; ++c) {
        class_start_.push_back(order_.size());
        for (std::size_t k = problem.class_start[c]; k < problem.class_start[c + 1]; ++k) {
            of_[k] = first[k] < k ? of_[first[k]] : static_cast<std::int32_t>(order_.size());
            if (first[k] == k) order_.push_back(problem.order[k]);
        }
    }
    class_start_.push_back(order_.size());
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
