#include "samples/duplicates.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <variant>

#include "base/integers.hpp"

namespace dagmar {
namespace {

// If more than one sample in kPerCollision has the norm of a different one, keys are made of kSome features of each
// sample; if that does not help, of all features.
constexpr std::size_t kPerCollision = 2, kSome = 32;
// Samples that are worth another thread if it is awake; kAsleep times as many if it sleeps.
constexpr std::size_t kWorthAThread = std::size_t{1} << 9, kAsleep = 16;

std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ bits >> 32) * 0x9e3779b97f4a7c15u;
    return bits ^ bits >> 29;
}

// A key from the bits of `most` features of a sample, in the middle, where images and tables differ more than at their
// edges: products of their halves, each half plus a number at random that belongs to the feature. Unlike a sum of
// squares it distinguishes samples at any scale, and no term has to wait for the one before.
std::uint64_t term(std::uint64_t bits, std::size_t feature) {
    const std::uint64_t sum = bits + mixed(mixed(feature + 1));
    return (sum & 0xffffffffu) * (sum >> 32);
}

template <class S>
std::uint64_t key_of(const DenseView<S>& x, std::size_t i, std::size_t most) {
    const S* const row = x.row(i);
    const std::size_t n = std::min(most, x.d), first = (x.d - n) / 2;
    std::uint64_t sum = 0;
    for (std::size_t f = first; f < first + n; ++f) {
        if constexpr (sizeof(S) == sizeof(double)) {
            sum += term(std::bit_cast<std::uint64_t>(row[f]), f);
        } else {
            const std::uint64_t bits = std::bit_cast<std::uint32_t>(row[f]);
            sum += term(bits << 32 | bits, f);
        }
    }
    return sum;
}

std::uint64_t key_of(const SparseView& x, std::size_t i, std::size_t most) {
    const auto begin = usize(x.indptr[i]), stored = usize(x.indptr[i + 1]) - begin;
    const std::size_t n = std::min(most, stored), first = begin + (stored - n) / 2;
    std::uint64_t sum = stored;
    for (std::size_t k = first; k < first + n; ++k)
        sum += term(std::bit_cast<std::uint64_t>(x.data[k]), usize(x.indices[k]));
    return sum;
}

template <class S>
bool equal(const DenseView<S>& x, std::size_t i, std::size_t j) {
    return std::memcmp(x.row(i), x.row(j), x.d * sizeof(S)) == 0;
}

bool equal(const SparseView& x, std::size_t i, std::size_t j) {
    const auto a = usize(x.indptr[i]), b = usize(x.indptr[j]), n = usize(x.indptr[i + 1]) - a;
    return n == usize(x.indptr[j + 1]) - b && std::equal(x.indices + a, x.indices + a + n, x.indices + b) &&
           (n == 0 || std::memcmp(x.data + a, x.data + b, n * sizeof(double)) == 0);
}

// Finds the samples of one class that have the features of an earlier one.
class Finder {
   public:
    // first_of[k]: the first sample of the class that is equal to its k-th. key(sample) is the same for equal samples.
    // Returns false, with first_of half done, if more than `most` different samples have the same key.
    template <class View, class Key>
    bool find(const View& x, std::span<const std::int64_t> samples, const Key& key, std::size_t most,
              std::span<std::int32_t> first_of) {
        const std::size_t n = samples.size(), n_places = std::bit_ceil(2 * n + 1);
        table_.assign(n_places, {0, -1});
        std::size_t collisions = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t sample = usize(samples[k]);
            const std::uint64_t own = mixed(key(sample));
            std::size_t place = own & (n_places - 1);
            for (; table_[place].sample >= 0; place = (place + 1) & (n_places - 1)) {
                if (table_[place].key != own) continue;
                const std::size_t other = usize(samples[usize(table_[place].sample)]);
                if (equal(x, sample, other)) break;
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
    std::vector<std::int32_t> first_of(problem.order.size());
    const auto find = [&](const auto& x) {
        const auto norm = [&](std::size_t i) { return std::bit_cast<std::uint64_t>(problem.norms[i]); };
        const auto some = [&](std::size_t i) { return key_of(x, i, kSome); };
        const auto all = [&](std::size_t i) { return key_of(x, i, x.d); };
        const auto find_in = [&](std::size_t c, Finder& finder) {
            const std::size_t start = problem.class_start[c], n = problem.class_size(c);
            const auto samples = problem.order.subspan(start, n);
            const std::span<std::int32_t> out(first_of.data() + start, n);
            const auto found = [&](const auto& key, std::size_t most) {
                return finder.find(x, samples, key, most, out);
            };
            if (!problem.norms.empty() && found(norm, n / kPerCollision)) return;
            if (!found(some, n / kPerCollision)) found(all, n * n);
        };
        const std::size_t n_classes = problem.n_classes();
        const std::size_t worth = n_classes > 2 ? kWorthAThread : kAsleep * kWorthAThread;
        const std::size_t parts = std::clamp<std::size_t>(first_of.size() / worth, 1, n_classes);
        spare.run(parts, [&](std::size_t part) {
            Finder finder;
            for (std::size_t c = n_classes * part / parts; c < n_classes * (part + 1) / parts; ++c) find_in(c, finder);
        });
    };
    std::visit(find, problem.x);
    number(problem, first_of);
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
