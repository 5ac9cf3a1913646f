// Samples decided alone, one after the other: what is the same for dense, sparse and precomputed vectors.
#pragma once

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "coefficient_sizes.hpp"
#include "decide.hpp"
#include "integers.hpp"
#include "memory.hpp"

namespace dagmar {

// The value of machine m and the size of its terms, from the kernel values of one sample with all vectors.
template <class T>
Sum sum_of_terms(const BankLists& lists, std::size_t m, const T* values) {
    const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    Sum sum{0.0, 0.0};
    for (std::size_t first = begin; first < end; first += kBlock) {
        constexpr std::size_t chains = 4;  // one would wait for every addition
        double parts[chains] = {}, sizes[chains] = {};
        const auto add = [&](std::size_t t, std::size_t u) {
            const double term = lists.coef[t] * static_cast<double>(values[usize(lists.index[t])]);
            parts[u] += term;
            sizes[u] += std::abs(term);
        };
        const std::size_t last = std::min(end, first + kBlock);
        std::size_t t = first;
        for (; t + chains <= last; t += chains)
            for (std::size_t u = 0; u < chains; ++u) add(t + u, u);
        for (; t < last; ++t) add(t, 0);
        sum.value += (parts[0] + parts[1]) + (parts[2] + parts[3]);
        sum.size += (sizes[0] + sizes[1]) + (sizes[2] + sizes[3]);
    }
    sum.value += lists.bias[m];  // last: terms that are small beside it would be lost one by one
    return sum;
}

// One sample against machines; every kernel value is computed at most once. Made per thread and loaded with a sample.
template <class T>
class Alone {
   public:
    // By groups: all vectors of a group are evaluated at once, where that is faster than finding those that are
    // missing.
    explicit Alone(const Bank& bank, bool by_groups = false)
        : bank_(bank), by_groups_(by_groups), memo_(aligned_array<T>(padded(bank.lists.n_vectors()))),
          known_(by_groups ? bank.groups.size() : bank.lists.n_vectors(), 0) {}
    virtual ~Alone() = default;

    void load(const Samples& x, std::size_t i) {
        if (++now_ == 0) {
            std::fill(known_.begin(), known_.end(), 0u);
            now_ = 1;
        }
        load_sample(x, i);
    }

    // The value of machine m, with a sign that rounding cannot have changed, and the size of its terms.
    virtual Sum sum(std::size_t m) {
        const auto& lists = bank_.lists;
        const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
        know(begin, end);
        Sum sum = sum_of_terms(lists, m, memo_.get());
        sum.value = certain(m, sum);
        return sum;
    }

    double value(std::size_t m) { return sum(m).value; }

    // The values of all machines, of which the order of the largest is certain if `ranked`.
    void values(bool ranked, double* out) {
        sums_.resize(bank_.lists.n_machines());
        for (std::size_t m = 0; m < sums_.size(); ++m) sums_[m] = sum(m);
        if (ranked) settle(sums_.data());
        for (std::size_t m = 0; m < sums_.size(); ++m) out[m] = sums_[m].value;
    }

    // Computes those values again whose rounding could change which is the largest; nothing to do where a value is
    // computed in one way only.
    virtual void settle(Sum*) {}

   protected:
    virtual void load_sample(const Samples& x, std::size_t i) = 0;
    // Writes the kernel values of these vectors to their places in memo.
    virtual void evaluate(const std::vector<std::int32_t>&, T*) {}
    // The same for panels first ... first+n-1 of the pool.
    virtual void evaluate_panels(std::size_t /*first*/, std::size_t /*n*/, T*) {}
    // The value with a sign that rounding cannot have changed.
    virtual double certain(std::size_t, const Sum& sum) {
        check_value(sum.value);
        return sum.value;
    }
    const Bank& bank_;

   private:
    // Sees to it that memo_ has the vectors of list places begin ... end-1.
    void know(std::size_t begin, std::size_t end) {
        const auto& lists = bank_.lists;
        if (by_groups_) {
            const std::int32_t* list = lists.index.data();
            for (std::size_t t = begin; t < end;) {
                const auto next = std::upper_bound(bank_.groups.begin(), bank_.groups.end(), usize(list[t]));
                const std::size_t g = usize(next - bank_.groups.begin()) - 1;
                if (known_[g] != now_) {  // a panel may have vectors of the next group, too: its values are the same
                    const std::size_t first = bank_.groups[g] / kLanes;
                    evaluate_panels(first, padded(*next) / kLanes - first, memo_.get());
                }
                known_[g] = now_;
                if (usize(list[end - 1]) < *next) break;
                t = usize(std::lower_bound(list + t, list + end, static_cast<std::int32_t>(*next)) - list);
            }
            return;
        }
        missing_.clear();
        for (std::size_t t = begin; t < end; ++t) {
            const std::size_t v = usize(lists.index[t]);
            if (known_[v] == now_) continue;
            known_[v] = now_;
            missing_.push_back(lists.index[t]);
        }
        if (!missing_.empty()) evaluate(missing_, memo_.get());
    }

    const bool by_groups_;
    Aligned<T> memo_;
    std::vector<std::uint32_t> known_;  // the number of the load for which a vector, or a group, is in memo_
    std::uint32_t now_ = 0;
    std::vector<std::int32_t> missing_;
    std::vector<Sum> sums_;
};

// The gammas of some vectors side by side, padded to whole panels; null if vectors have none of their own.
template <class T>
const T* gather(std::type_identity_t<std::span<const T>> gammas, const std::vector<std::int32_t>& vectors,
                std::vector<T>& out) {
    if (gammas.empty()) return nullptr;
    out.assign(padded(vectors.size()), T(1));
    for (std::size_t q = 0; q < vectors.size(); ++q) out[q] = gammas[usize(vectors[q])];
    return out.data();
}

inline std::vector<std::int64_t> every_sample(const Samples& x) {
    std::vector<std::int64_t> ids(n_samples(x));
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
    return ids;
}

// Walks a plan, asking for the values of machines.
template <class Ask>
std::int32_t follow(Walk& walk, const Ask& ask) {
    walk.begin();
    for (std::int64_t m = walk.next(); m >= 0; m = walk.next()) walk.tell(ask(m) >= 0);
    return walk.answer();
}

inline std::int32_t first_largest(const double* values, std::size_t n) {
    return static_cast<std::int32_t>(std::max_element(values, values + n) - values);
}

// A decider whose samples all go alone. (The dense one decides many samples in lanes instead.)
template <class T>
class AloneDecider : public Decider {
   public:
    explicit AloneDecider(Bank bank) : bank_(std::move(bank)) { bank_.index_segments(); }

    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const override {
        out.assign(n_samples(x), {});
        const auto visit = [&](std::size_t i, Alone<T>& alone, Walk* walk) {
            Path& path = out[i];
            const auto ask = [&](std::int64_t m) {
                path.machines.push_back(m);
                path.values.push_back(alone.value(usize(m)));
                return path.values.back();
            };
            if (walk) {
                path.answer = follow(*walk, ask);
                return;
            }
            path.machines.resize(bank_.lists.n_machines());
            std::iota(path.machines.begin(), path.machines.end(), std::int64_t{0});
            path.values.resize(path.machines.size());
            alone.values(true, path.values.data());
            path.answer = first_largest(path.values.data(), path.values.size());
        };
        return for_each_alone(x, every_sample(x), Use::labels, threads, &plan, visit);
    }

    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        return decide_alone(x, every_sample(x), Use::rough_labels, plan, threads, out);
    }

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        const auto visit = [&](std::size_t i, Alone<T>& alone, Walk*) {
            alone.values(ranked, out + i * bank_.lists.n_machines());
        };
        return for_each_alone(x, every_sample(x), Use::values, threads, nullptr, visit);
    }

   protected:
    virtual std::unique_ptr<Alone<T>> make_alone(Use use) const = 0;

    bool decide_alone(const Samples& x, const std::vector<std::int64_t>& ids, Use use, const Plan& plan,
                      const Threads& threads, std::int32_t* out) const {
        const auto visit = [&](std::size_t i, Alone<T>& alone, Walk* walk) {
            if (walk) {
                out[i] = follow(*walk, [&](std::int64_t m) { return alone.value(usize(m)); });
                return;
            }
            std::vector<double> values(bank_.lists.n_machines());
            alone.values(true, values.data());
            out[i] = first_largest(values.data(), values.size());
        };
        return for_each_alone(x, ids, use, threads, &plan, visit);
    }

    // Calls visit(sample, the sample loaded, walk) for some samples; walk is null for polls and without a plan.
    template <class Visit>
    bool for_each_alone(const Samples& x, const std::vector<std::int64_t>& ids, Use use, const Threads& threads,
                        const Plan* plan, const Visit& visit) const {
        struct Worker {
            std::unique_ptr<Alone<T>> alone;
            std::unique_ptr<Walk> walk;
        };
        const auto decide_one = [&](std::int64_t id, Worker& worker) {
            if (!worker.alone) {
                worker.alone = make_alone(use);
                if (plan && plan->kind != PlanKind::poll) worker.walk = make_walk(*plan);
            }
            worker.alone->load(x, usize(id));
            visit(usize(id), *worker.alone, worker.walk.get());
        };
        if (ids.size() == 1) {  // to offer it to other threads and look for signals takes as long as a small model
            Worker worker;
            decide_one(ids[0], worker);
            return true;
        }
        constexpr std::size_t piece_size = 4;
        std::vector<Worker> workers(usize(threads.n));
        Stop stop;
        const auto work = [&](std::size_t piece, int worker) {
            const std::size_t end = std::min(ids.size(), (piece + 1) * piece_size);
            for (std::size_t q = piece * piece_size; q < end && !stop.requested(); ++q)
                decide_one(ids[q], workers[usize(worker)]);
        };
        const std::size_t n_pieces = (ids.size() + piece_size - 1) / piece_size;
        return parallel_for(n_pieces, threads, stop, work);
    }

    Bank bank_;
};

}  // namespace dagmar
