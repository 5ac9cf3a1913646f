// Samples decided one by one, in parallel.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "decide/decider.hpp"
#include "decide/rounding.hpp"

namespace dagmar {

// One sample against machines: it reads only the vectors of the machines that are asked, and each at most once. Each
// worker has its own and loads one sample after the other.
template <class T>
class Alone {
   public:
    // With rough codes, only the signs of values are right: where they leave a sign open, the value is computed in
    // exact codes. (The time of a sample alone goes into reading vectors from memory, and rough codes are their
    // smallest copy. On images, single rows take 1.3 to 2.9 times as long without them.)
    Alone(const Vectors<T>& vectors, const Rounding<T>& rounding, Codes codes)
        : v_(vectors), bank_(vectors.bank), rounding_(rounding), codes_(codes), sample_(vectors.make_sample(codes)),
          memo_(aligned_array<T>(padded(bank_.lists.n_vectors()))),
          known_(std::max(bank_.groups.size(), bank_.lists.n_vectors()), 0) {}

    void load(const Samples& x, std::size_t i) {
        ++now_;
        samples_ = &x;
        i_ = i;
        const auto at = sample_->load(x, i);
        allowance_ = at.in_codes ? rounding_.allowance_of_codes(at.off) : rounding_.allowance(at.norm2);
    }

    // The value of machine m, with a sign that rounding cannot have changed.
    double value(std::size_t m) { return sum(m).value; }

    // The values of all machines; it is certain which is the largest.
    const std::vector<Sum>& values() {
        sums_.resize(bank_.lists.n_machines());
        for (std::size_t m = 0; m < sums_.size(); ++m) sums_[m] = sum(m);
        rounding_.settle(*samples_, i_, allowance_, sums_);
        return sums_;
    }

   private:
    Sum sum(std::size_t m) {
        const std::size_t begin = usize(bank_.lists.begin[m]), end = usize(bank_.lists.begin[m + 1]);
        sample_->by_panels() ? evaluate_groups(begin, end) : evaluate(begin, end);
        Sum sum = sum_of_terms(bank_.lists, m, memo_.get());
        if (codes_ == Codes::rough && !rounding_.is_certain(allowance_, m, sum)) return finer().sum(m);
        sum.value = rounding_.certain(*samples_, i_, allowance_, m, sum);
        return sum;
    }

    Alone& finer() {
        if (!finer_) finer_ = std::make_unique<Alone>(v_, rounding_, Codes::exact);
        if (finer_->samples_ != samples_ || finer_->i_ != i_) finer_->load(*samples_, i_);
        return *finer_;
    }

    // Make memo_ hold the kernel values of list places begin ... end-1.
    void evaluate(std::size_t begin, std::size_t end) {
        missing_.clear();
        for (std::size_t t = begin; t < end; ++t) {
            const std::int32_t v = bank_.lists.index[t];
            if (known_[usize(v)] == now_) continue;
            known_[usize(v)] = now_;
            missing_.push_back(v);
        }
        if (!missing_.empty()) sample_->evaluate(missing_, memo_.get());
    }
    void evaluate_groups(std::size_t begin, std::size_t end) {
        const std::int32_t* list = bank_.lists.index.data();
        for (std::size_t t = begin; t < end;) {
            const auto next = std::upper_bound(bank_.groups.begin(), bank_.groups.end(), usize(list[t]));
            const std::size_t g = usize(next - bank_.groups.begin()) - 1;
            if (known_[g] != now_) {  // a panel may have vectors of the next group, too: their values are the same
                const std::size_t first = bank_.groups[g] / kLanes;
                sample_->evaluate_panels(first, padded(*next) / kLanes - first, memo_.get());
            }
            known_[g] = now_;
            if (usize(list[end - 1]) < *next) break;
            t = usize(std::lower_bound(list + t, list + end, static_cast<std::int32_t>(*next)) - list);
        }
    }

    const Vectors<T>& v_;
    const Bank& bank_;
    const Rounding<T>& rounding_;
    const Codes codes_;
    std::unique_ptr<LoneSample<T>> sample_;
    std::unique_ptr<Alone> finer_;  // in exact codes
    const Samples* samples_ = nullptr;
    std::size_t i_ = 0;
    Allowance allowance_{};
    Aligned<T> memo_;
    std::vector<std::uint64_t> known_;  // the number of the load for which a vector, or a group, is in memo_
    std::uint64_t now_ = 0;
    std::vector<std::int32_t> missing_;
    std::vector<Sum> sums_;
};

// The calls are those of a Decider, but decide() is for the samples `ids` and for plans with walks.
template <class T>
class OneByOne {
   public:
    OneByOne(const Vectors<T>& vectors, const Rounding<T>& rounding) : v_(vectors), rounding_(rounding) {}

    bool decide(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                Codes codes, std::int32_t* out) const {
        return for_each(x, ids, codes, threads, plan, [&](std::size_t i, Worker& worker) {
            out[i] = follow(*worker.walk, [&](std::int64_t m) { return worker.alone.value(usize(m)); });
        });
    }

    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const {
        out.assign(n_samples(x), {});
        return for_each(x, every_sample(x), Codes::exact, threads, plan, [&](std::size_t i, Worker& worker) {
            Path& path = out[i];
            if (worker.walk) {
                path.answer = follow(*worker.walk,
                                     [&](std::int64_t m) { return path.add(usize(m), worker.alone.value(usize(m))); });
                return;
            }
            const std::vector<Sum>& sums = worker.alone.values();
            for (std::size_t m = 0; m < sums.size(); ++m) path.add(m, sums[m].value);
            path.answer = first_largest(sums);
        });
    }

   private:
    struct Worker {
        Alone<T> alone;
        std::unique_ptr<Walk> walk;  // null for polls
    };

    // Calls visit(sample, worker) for these samples, each loaded.
    template <class Visit>
    bool for_each(const Samples& x, const std::vector<std::int64_t>& ids, Codes codes, const Threads& threads,
                  const Plan& plan, const Visit& visit) const {
        const auto decide_one = [&](std::int64_t id, std::unique_ptr<Worker>& worker) {
            if (!worker) worker.reset(new Worker{{v_, rounding_, codes}, make_walk(plan)});
            worker->alone.load(x, usize(id));
            visit(usize(id), *worker);
        };
        std::vector<std::unique_ptr<Worker>> workers(usize(threads.n));
        if (ids.size() == 1) {  // offering it to other threads and checking for signals takes as long as a small model
            decide_one(ids[0], workers[0]);
            return true;
        }
        Stop stop;
        return parallel_for(ids.size(), threads, stop,
                            [&](std::size_t q, int worker) { decide_one(ids[q], workers[usize(worker)]); });
    }

    const Vectors<T>& v_;
    const Rounding<T>& rounding_;
};

}  // namespace dagmar
