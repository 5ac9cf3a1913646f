#include "decide/alone.hpp"

#include <algorithm>
#include <numeric>

#include "base/integers.hpp"

namespace dagmar {
namespace {

std::int32_t first_largest(const std::vector<double>& values) {
    return static_cast<std::int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

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

template <class T>
Alone<T>::Alone(const Bank& bank, const Rounding<T>* rounding, const MakeSample& make_sample, Codes codes)
    : bank_(bank), rounding_(rounding), make_sample_(make_sample), codes_(codes), sample_(make_sample(codes)),
      memo_(aligned_array<T>(padded(bank.lists.n_vectors()))),
      known_(std::max(bank.groups.size(), bank.lists.n_vectors()), 0) {}

template <class T>
void Alone<T>::load(const Samples& x, std::size_t i) {
    if (++now_ == 0) {
        std::fill(known_.begin(), known_.end(), 0u);
        now_ = 1;
    }
    samples_ = &x;
    i_ = i;
    finer_loaded_ = false;
    const auto loaded = sample_->load(x, i);
    if (rounding_)
        allowance_ = loaded.in_codes ? rounding_->allowance_of_codes(loaded.off) : rounding_->allowance(loaded.norm2);
}

template <class T>
Sum Alone<T>::sum(std::size_t m) {
    const std::size_t begin = usize(bank_.lists.begin[m]), end = usize(bank_.lists.begin[m + 1]);
    sample_->by_panels() ? evaluate_groups(begin, end) : evaluate(begin, end);
    Sum sum = sum_of_terms(bank_.lists, m, memo_.get());
    if (codes_ == Codes::rough && !rounding_->is_certain(allowance_, m, sum)) return finer().sum(m);
    if (rounding_)
        sum.value = rounding_->certain(*samples_, i_, allowance_, m, sum);
    else
        check_value(sum.value);
    return sum;
}

template <class T>
Alone<T>& Alone<T>::finer() {
    if (!finer_) finer_ = std::make_unique<Alone>(bank_, rounding_, make_sample_, Codes::exact);
    if (!finer_loaded_) finer_->load(*samples_, i_);
    finer_loaded_ = true;
    return *finer_;
}

template <class T>
void Alone<T>::values(bool ranked, double* out) {
    sums_.resize(bank_.lists.n_machines());
    for (std::size_t m = 0; m < sums_.size(); ++m) sums_[m] = sum(m);
    if (ranked && rounding_) rounding_->settle(*samples_, i_, allowance_, sums_.data());
    for (std::size_t m = 0; m < sums_.size(); ++m) out[m] = sums_[m].value;
}

template <class T>
void Alone<T>::evaluate(std::size_t begin, std::size_t end) {
    missing_.clear();
    for (std::size_t t = begin; t < end; ++t) {
        const std::int32_t v = bank_.lists.index[t];
        if (known_[usize(v)] == now_) continue;
        known_[usize(v)] = now_;
        missing_.push_back(v);
    }
    if (!missing_.empty()) sample_->evaluate(missing_, memo_.get());
}

template <class T>
void Alone<T>::evaluate_groups(std::size_t begin, std::size_t end) {
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

template <class T>
bool OneByOne<T>::values(const Samples& x, bool ranked, const Threads& threads, double* out) const {
    const auto visit = [&](std::size_t i, Alone<T>& alone, Walk*) {
        alone.values(ranked, out + i * bank_.lists.n_machines());
    };
    return for_each(x, every_sample(x), Codes::none, threads, nullptr, visit);
}

template <class T>
bool OneByOne<T>::decide(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan,
                         const Threads& threads, Codes codes, std::int32_t* out) const {
    const auto visit = [&](std::size_t i, Alone<T>& alone, Walk* walk) {
        if (walk) {
            out[i] = follow(*walk, [&](std::int64_t m) { return alone.value(usize(m)); });
            return;
        }
        std::vector<double> values(bank_.lists.n_machines());
        alone.values(true, values.data());
        out[i] = first_largest(values);
    };
    return for_each(x, ids, codes, threads, &plan, visit);
}

template <class T>
bool OneByOne<T>::trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const {
    out.assign(n_samples(x), {});
    const auto visit = [&](std::size_t i, Alone<T>& alone, Walk* walk) {
        Path& path = out[i];
        if (walk) {
            path.answer = follow(*walk, [&](std::int64_t m) {
                path.machines.push_back(m);
                path.values.push_back(alone.value(usize(m)));
                return path.values.back();
            });
            return;
        }
        path.machines.resize(bank_.lists.n_machines());
        std::iota(path.machines.begin(), path.machines.end(), std::int64_t{0});
        path.values.resize(path.machines.size());
        alone.values(true, path.values.data());
        path.answer = first_largest(path.values);
    };
    return for_each(x, every_sample(x), Codes::exact, threads, &plan, visit);
}

template <class T>
bool OneByOne<T>::for_each(const Samples& x, const std::vector<std::int64_t>& ids, Codes codes, const Threads& threads,
                           const Plan* plan, const Visit& visit) const {
    struct Worker {
        std::unique_ptr<Alone<T>> alone;
        std::unique_ptr<Walk> walk;
    };
    const auto decide_one = [&](std::int64_t id, Worker& worker) {
        if (!worker.alone) {
            worker.alone = std::make_unique<Alone<T>>(bank_, rounding_, make_sample_, codes);
            if (plan && plan->kind != PlanKind::poll) worker.walk = make_walk(*plan);
        }
        worker.alone->load(x, usize(id));
        visit(usize(id), *worker.alone, worker.walk.get());
    };
    if (ids.size() == 1) {  // offering it to other threads and checking for signals takes as long as a small model
        Worker worker;
        decide_one(ids[0], worker);
        return true;
    }
    constexpr std::size_t piece_size = 4;  // samples that a worker takes at a time
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

template Sum sum_of_terms(const BankLists&, std::size_t, const float*);
template Sum sum_of_terms(const BankLists&, std::size_t, const double*);
template class Alone<float>;
template class Alone<double>;
template class OneByOne<float>;
template class OneByOne<double>;

}  // namespace dagmar
