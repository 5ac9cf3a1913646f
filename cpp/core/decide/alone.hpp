// Samples decided one by one: each reads only the vectors of the machines on its path, and each vector at most once.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/memory.hpp"
#include "decide/decider.hpp"
#include "decide/rounding.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

// The value of machine m and the size of its terms, from the kernel values of one sample with all vectors.
template <class T>
Sum sum_of_terms(const BankLists& lists, std::size_t m, const T* values);

// One sample against machines. Each worker has its own and loads one sample after the other.
template <class T>
class Alone {
   public:
    // Without `rounding`, values are final as they are: those of a precomputed kernel. With rough codes, only the signs
    // of values are right: where they leave a sign open, the value is computed in exact codes. (The time of a sample
    // alone goes into reading vectors from memory, and rough codes are their smallest copy. On images, single rows take
    // 1.3 to 2.9 times as long without them.)
    using MakeSample = std::function<std::unique_ptr<LoneSample<T>>(Codes)>;
    Alone(const Bank& bank, const Rounding<T>* rounding, const MakeSample& make_sample, Codes codes);

    void load(const Samples& x, std::size_t i);

    // The value of machine m, with a sign that rounding cannot have changed.
    double value(std::size_t m) { return sum(m).value; }

    // The values of all machines; if `ranked`, it is certain which is the largest.
    void values(bool ranked, double* out);

   private:
    Sum sum(std::size_t m);
    Alone& finer();
    // Make memo_ hold the kernel values of list places begin ... end-1.
    void evaluate(std::size_t begin, std::size_t end);
    void evaluate_groups(std::size_t begin, std::size_t end);

    const Bank& bank_;
    const Rounding<T>* rounding_;
    const MakeSample& make_sample_;
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

// Decides samples one by one, in parallel. The calls are those of a Decider, but decide() is for the samples `ids`.
template <class T>
class OneByOne {
   public:
    using MakeSample = typename Alone<T>::MakeSample;

    OneByOne(const Bank& bank, const Rounding<T>* rounding, MakeSample make_sample)
        : bank_(bank), rounding_(rounding), make_sample_(std::move(make_sample)) {}

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const;
    bool decide(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                Codes codes, std::int32_t* out) const;
    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const;

   private:
    // Calls visit(sample, the sample loaded, walk) for these samples; walk is null for polls and without a plan.
    using Visit = std::function<void(std::size_t, Alone<T>&, Walk*)>;
    bool for_each(const Samples& x, const std::vector<std::int64_t>& ids, Codes codes, const Threads& threads,
                  const Plan* plan, const Visit& visit) const;

    const Bank& bank_;
    const Rounding<T>* rounding_;
    MakeSample make_sample_;
};

}  // namespace dagmar
