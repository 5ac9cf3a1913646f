// One sample against machines: it reads only the vectors of the machines that are asked, and each vector at most once.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/integers.hpp"
#include "base/memory.hpp"
#include "decide/rounding.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

// The value of machine m and the size of its terms, from the kernel values of one sample with all vectors.
template <class T>
Sum sum_of_terms(const BankLists& lists, std::size_t m, const T* values) {
    const std::size_t begin = usize(lists.begin[m]), end = usize(lists.begin[m + 1]);
    Sum sum{0.0, 0.0};
    for (std::size_t first = begin; first < end; first += kBlock) {
        constexpr std::size_t chains = 4;  // one chain would wait for every addition
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
    sum.value += lists.bias[m];  // last: terms that are much smaller would be lost one by one
    return sum;
}

// Each worker has its own and loads one sample after the other.
template <class T>
class Alone {
   public:
    // With rough codes, only the signs of values are right: where they leave a sign open, the value is computed in
    // exact codes. (The time of a sample alone goes into reading vectors from memory, and rough codes are their
    // smallest copy. On images, single rows take 1.3 to 2.9 times as long without them.)
    Alone(const Vectors<T>& vectors, const Rounding<T>& rounding, Codes codes)
        : v_(vectors), bank_(vectors.bank), rounding_(rounding), codes_(codes), sample_(vectors.make_sample(codes)),
          memo_(aligned_array<T>(padded(bank_.lists.n_vectors()))), known_(bank_.lists.n_vectors(), 0) {}

    void load(const Samples& x, std::size_t i) {
        if (++now_ == 0) {
            std::fill(known_.begin(), known_.end(), 0u);
            now_ = 1;
        }
        samples_ = &x;
        i_ = i;
        finer_loaded_ = false;
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
        if (!finer_loaded_) finer_->load(*samples_, i_);
        finer_loaded_ = true;
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
        const std::int32_t *at = bank_.lists.index.data() + begin, *last = bank_.lists.index.data() + end;
        while (at < last) {
            const std::size_t g = usize(*at) / kGroup, first = g * kGroup;
            const std::size_t next = std::min(first + kGroup, padded(bank_.lists.n_vectors()));
            if (known_[g] != now_) sample_->evaluate_panels(first / kLanes, (next - first) / kLanes, memo_.get());
            known_[g] = now_;
            at = std::lower_bound(at, last, static_cast<std::int32_t>(next));
        }
    }

    // Vectors that are compared with the sample at once: fewer take as long, because every sum waits for its additions.
    static constexpr std::size_t kGroup = 8 * kLanes;

    const Vectors<T>& v_;
    const Bank& bank_;
    const Rounding<T>& rounding_;
    const Codes codes_;
    std::unique_ptr<LoneSample<T>> sample_;
    std::unique_ptr<Alone> finer_;  // in exact codes
    bool finer_loaded_ = false;
    const Samples* samples_ = nullptr;
    std::size_t i_ = 0;
    Allowance allowance_{};
    Aligned<T> memo_;
    std::vector<std::uint32_t> known_;  // the number of the load for which a vector, or a group, is in memo_
    std::uint32_t now_ = 0;
    std::vector<std::int32_t> missing_;
    std::vector<Sum> sums_;
};

}  // namespace dagmar
