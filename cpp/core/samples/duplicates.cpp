#include "samples/duplicates.hpp"

#include <string_view>
#include <unordered_map>

#include "base/costs.hpp"
#include "base/integers.hpp"

namespace dagmar {
namespace {

// Finding a sample's equals takes about as long as this many products.
constexpr double kProductsPerSample = 256.0;

// The bits of a sample: its numbers and, if it is sparse, their features.
using Bits = std::pair<std::string_view, std::string_view>;

template <class S>
std::string_view bits(const S* first, std::size_t n) {
    return {reinterpret_cast<const char*>(first), n * sizeof(S)};
}
template <class S>
Bits bits_of(const DenseView<S>& x, std::size_t i) {
    return {bits(x.row(i), x.d), {}};
}
Bits bits_of(const SparseView& x, std::size_t i) {
    const auto begin = usize(x.indptr[i]), n = usize(x.indptr[i + 1]) - begin;
    return {bits(x.data + begin, n), bits(x.indices + begin, n)};
}

struct Hash {
    std::size_t operator()(const Bits& of) const {
        constexpr std::hash<std::string_view> hash;
        return hash(of.first) ^ (of.second.empty() ? 0 : 3 * hash(of.second));
    }
};

}  // namespace

Duplicates::Duplicates(const Problem& problem, Spare& spare) {
    if (problem.kernel.type == KernelType::precomputed) return;
    const std::size_t n = problem.order.size(), n_classes = problem.n_classes();
    std::vector<std::size_t> first(n);  // the first sample of the class that is equal to each
    const auto find = [&](const auto& x) {
        const double worth = n_classes > 2 ? kWorthSharing : kWorthWaking;
        const std::size_t parts = parts_worth(kProductsPerSample * static_cast<double>(n), n_classes, worth);
        spare.run(parts, [&](std::size_t part) {
            for (std::size_t c = n_classes * part / parts; c < n_classes * (part + 1) / parts; ++c) {
                std::unordered_map<Bits, std::size_t, Hash> found(problem.class_size(c));
                for (std::size_t k = problem.class_start[c]; k < problem.class_start[c + 1]; ++k)
                    first[k] = found.try_emplace(bits_of(x, usize(problem.order[k])), k).first->second;
            }
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
