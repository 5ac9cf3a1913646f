#include "decide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "prototypes.hpp"

namespace dagmar {
namespace {

constexpr std::size_t kTile = 128;  // samples side by side: eight panels
constexpr std::size_t kFew = 24;    // up to here each sample goes alone
constexpr int kTries = 3;           // champion checks before a sample walks alone
constexpr std::size_t kPiece = 4;   // samples that go alone are handed to workers in pieces

// The gammas of some vectors side by side, padded to whole panels; null if vectors have none of their own.
template <class T>
const T* gather(const std::vector<T>& gammas, const std::vector<std::int32_t>& vectors, std::vector<T>& out) {
    if (gammas.empty()) return nullptr;
    out.assign(padded(vectors.size()), T(1));
    for (std::size_t q = 0; q < vectors.size(); ++q) out[q] = gammas[static_cast<std::size_t>(vectors[q])];
    return out.data();
}

std::size_t count(const Samples& x) {
    return std::visit([](const auto& view) { return view.n; }, x);
}

// One sample against machines; every kernel value is computed at most once.
template <class T>
class Alone {
   public:
    explicit Alone(const Bank& bank) : bank_(bank), memo_(bank.lists.n_vectors()), known_(bank.lists.n_vectors(), 0) {}
    virtual ~Alone() = default;

    void load(const Samples& x, std::size_t i) {
        if (++now_ == 0) {
            std::fill(known_.begin(), known_.end(), 0u);
            now_ = 1;
        }
        load_sample(x, i);
    }

    double value(std::size_t m) {
        const auto& lists = bank_.lists;
        const std::size_t begin = static_cast<std::size_t>(lists.begin[m]),
                          end = static_cast<std::size_t>(lists.begin[m + 1]);
        missing_.clear();
        for (std::size_t t = begin; t < end; ++t) {
            const std::size_t v = static_cast<std::size_t>(lists.index[t]);
            if (known_[v] == now_) continue;
            known_[v] = now_;
            missing_.push_back(lists.index[t]);
        }
        if (!missing_.empty()) evaluate(missing_, memo_.data());
        double sum = lists.bias[m];
        for (std::size_t t = begin; t < end; ++t)
            sum += lists.coef[t] * static_cast<double>(memo_[static_cast<std::size_t>(lists.index[t])]);
        return certain(m, sum);
    }

   protected:
    virtual void load_sample(const Samples& x, std::size_t i) = 0;
    virtual void evaluate(const std::vector<std::int32_t>& vectors, T* memo) = 0;
    virtual double certain(std::size_t, double value) { return value; }

    const Bank& bank_;

   private:
    std::vector<T> memo_;
    std::vector<std::uint32_t> known_;
    std::uint32_t now_ = 0;
    std::vector<std::int32_t> missing_;
};

// What is the same for every kind of data: samples that go alone.
template <class T>
class BaseDecider : public Decider {
   public:
    explicit BaseDecider(Bank bank) : bank_(std::move(bank)) { bank_.index_segments(); }

    bool trace(const Samples& x, const Plan& plan, const Threads& threads, std::vector<Path>& out) const override {
        out.assign(count(x), {});
        return for_each_alone(
            x, every(x), threads,
            [&](std::size_t i, Alone<T>& alone, Walk* walk) {
                Path& path = out[i];
                const auto ask = [&](std::int64_t m) {
                    path.machines.push_back(m);
                    path.values.push_back(alone.value(static_cast<std::size_t>(m)));
                    return path.values.back();
                };
                if (walk) {
                    path.answer = follow(*walk, ask);
                    return;
                }
                for (std::size_t m = 0; m < bank_.lists.n_machines(); ++m) ask(static_cast<std::int64_t>(m));
                settle(x, i, path.values.data());
                path.answer = first_largest(path.values.data());
            },
            &plan);
    }

    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        return decide_alone(x, every(x), plan, threads, out);
    }

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        const std::size_t n_machines = bank_.lists.n_machines();
        (void)ranked;  // samples go one way only here: there is nothing to make certain
        return for_each_alone(
            x, every(x), threads,
            [&](std::size_t i, Alone<T>& alone, Walk*) {
                for (std::size_t m = 0; m < n_machines; ++m) out[i * n_machines + m] = alone.value(m);
            },
            nullptr);
    }

   protected:
    virtual std::unique_ptr<Alone<T>> make_alone() const = 0;

    bool decide_alone(const Samples& x, const std::vector<std::int64_t>& ids, const Plan& plan, const Threads& threads,
                      std::int32_t* out) const {
        return for_each_alone(
            x, ids, threads,
            [&](std::size_t i, Alone<T>& alone, Walk* walk) {
                const auto ask = [&](std::int64_t m) { return alone.value(static_cast<std::size_t>(m)); };
                if (walk) {
                    out[i] = follow(*walk, ask);
                    return;
                }
                std::vector<double> values(bank_.lists.n_machines());
                for (std::size_t m = 0; m < values.size(); ++m) values[m] = alone.value(m);
                out[i] = first_largest(values.data());
            },
            &plan);
    }

    // Makes the order of the largest values of a sample certain, where rounding could change it.
    virtual void settle(const Samples&, std::size_t, double*) const {}

    static std::vector<std::int64_t> every(const Samples& x) {
        std::vector<std::int64_t> ids(count(x));
        std::iota(ids.begin(), ids.end(), std::int64_t{0});
        return ids;
    }

    template <class Ask>
    static std::int32_t follow(Walk& walk, const Ask& ask) {
        walk.begin();
        for (std::int64_t m = walk.next(); m >= 0; m = walk.next()) walk.tell(ask(m) >= 0);
        return walk.answer();
    }

    std::int32_t first_largest(const double* values) const {
        return static_cast<std::int32_t>(std::max_element(values, values + bank_.lists.n_machines()) - values);
    }

    template <class Visit>
    bool for_each_alone(const Samples& x, const std::vector<std::int64_t>& ids, const Threads& threads,
                        const Visit& visit, const Plan* plan) const {
        std::vector<std::unique_ptr<Alone<T>>> alone(static_cast<std::size_t>(threads.n));
        std::vector<std::unique_ptr<Walk>> walk(alone.size());
        Stop stop;
        const std::size_t n_pieces = (ids.size() + kPiece - 1) / kPiece;
        return parallel_for(n_pieces, threads.n, ids.size() <= kPiece, stop, threads.poll,
                            [&](std::size_t piece, int worker) {
                                const std::size_t w = static_cast<std::size_t>(worker);
                                if (!alone[w]) {
                                    alone[w] = make_alone();
                                    if (plan && plan->kind != PlanKind::poll) walk[w] = make_walk(*plan);
                                }
                                for (std::size_t q = piece * kPiece;
                                     q < std::min(ids.size(), (piece + 1) * kPiece) && !stop.requested(); ++q) {
                                    alone[w]->load(x, static_cast<std::size_t>(ids[q]));
                                    visit(static_cast<std::size_t>(ids[q]), *alone[w], walk[w].get());
                                }
                            });
    }

    Bank bank_;
};

// Sparse vectors: a sample is spread out over all features once, then each vector is a short sum.
class SparseDecider final : public BaseDecider<double> {
   public:
    SparseDecider(Bank bank, Level level)
        : BaseDecider(std::move(bank)), simd_(simd<double>(level)), pool_(std::get<SparseView>(bank_.pool)),
          norms_(pool_.n) {
        for (std::size_t v = 0; v < pool_.n; ++v)
            for (std::int32_t t = pool_.indptr[v]; t < pool_.indptr[v + 1]; ++t)
                norms_[v] += pool_.data[t] * pool_.data[t];
    }

   private:
    class One final : public Alone<double> {
       public:
        explicit One(const SparseDecider& owner) : Alone(owner.bank_), owner_(owner), dense_(owner.pool_.d, 0.0) {}

       protected:
        void load_sample(const Samples& samples, std::size_t i) override {
            const SparseView& x = std::get<SparseView>(samples);
            for (const std::int32_t f : touched_) dense_[static_cast<std::size_t>(f)] = 0;
            touched_.clear();
            norm_ = 0;
            for (std::int32_t t = x.indptr[i]; t < x.indptr[i + 1]; ++t) {
                touched_.push_back(x.indices[t]);
                dense_[static_cast<std::size_t>(x.indices[t])] = x.data[t];
                norm_ += x.data[t] * x.data[t];
            }
        }
        void evaluate(const std::vector<std::int32_t>& vectors, double* memo) override {
            const SparseView& pool = owner_.pool_;
            const std::size_t n = padded(vectors.size());
            dots_.assign(n, 0.0);
            norms_.assign(n, 0.0);
            for (std::size_t q = 0; q < vectors.size(); ++q) {
                const std::size_t v = static_cast<std::size_t>(vectors[q]);
                for (std::int32_t t = pool.indptr[v]; t < pool.indptr[v + 1]; ++t)
                    dots_[q] += pool.data[t] * dense_[static_cast<std::size_t>(pool.indices[t])];
                norms_[q] = owner_.norms_[v];
            }
            bank_.kernel.finish(owner_.simd_, dots_.data(), norms_.data(), norm_, n,
                                gather(bank_.gammas, vectors, gammas_));
            for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
        }

       private:
        const SparseDecider& owner_;
        std::vector<double> dense_, dots_, norms_, gammas_;
        std::vector<std::int32_t> touched_;
        double norm_ = 0;
    };

    std::unique_ptr<Alone<double>> make_alone() const override { return std::make_unique<One>(*this); }

    const Simd<double>& simd_;
    const SparseView& pool_;
    std::vector<double> norms_;
};

// Precomputed kernels: the values are in the sample's row.
class PrecomputedDecider final : public BaseDecider<double> {
   public:
    explicit PrecomputedDecider(Bank bank) : BaseDecider(std::move(bank)) {}

   private:
    class One final : public Alone<double> {
       public:
        using Alone::Alone;

       protected:
        void load_sample(const Samples& x, std::size_t i) override {
            x_ = &x;
            i_ = i;
        }
        void evaluate(const std::vector<std::int32_t>& vectors, double* memo) override {
            std::visit(
                [&](const auto& view) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
                        for (const std::int32_t v : vectors)
                            memo[v] = static_cast<double>(view.row(i_)[bank_.columns[static_cast<std::size_t>(v)]]);
                },
                *x_);
        }

       private:
        const Samples* x_ = nullptr;
        std::size_t i_ = 0;
    };

    std::unique_ptr<Alone<double>> make_alone() const override { return std::make_unique<One>(bank_); }
};

// Dense vectors, alone or in lanes.
template <class T>
class DenseDecider final : public BaseDecider<T> {
   public:
    DenseDecider(Bank bank, std::vector<double> centre, Level level)
        : BaseDecider<T>(std::move(bank)), centre_(std::move(centre)), simd_(simd<T>(level)) {
        const auto& lists = this->bank_.lists;
        std::visit([&](const auto& pool) { d_ = pool.d; }, this->bank_.pool);
        centre_.resize(d_, 0.0);  // none given: the origin
        rows_ = aligned_array<T>(lists.n_vectors() * d_);
        norms_.resize(lists.n_vectors());
        for (std::size_t v = 0; v < lists.n_vectors(); ++v) {
            std::visit([&](const auto& pool) { centred(pool, v, rows_.get() + v * d_); }, this->bank_.pool);
        }
        simd_.norms_of_rows(rows_.get(), lists.n_vectors(), d_, norms_.data());
        if (!norms_.empty()) largest_norm2_ = static_cast<double>(*std::max_element(norms_.begin(), norms_.end()));
        coef_.assign(lists.coef.begin(), lists.coef.end());
        gammas_.assign(this->bank_.gammas.begin(), this->bank_.gammas.end());
        measure_coefficients();
    }

    bool values(const Samples& x, bool ranked, const Threads& threads, double* out) const override {
        const std::size_t n_machines = this->bank_.lists.n_machines();
        return for_each_tile(x, threads, [&](Tile& tile) {
            poll_tile(tile);
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                const std::size_t i = static_cast<std::size_t>(tile.ids[lane]);
                for (std::size_t m = 0; m < n_machines; ++m) out[i * n_machines + m] = value_in(tile, x, m, lane);
                if (ranked) settle(x, i, out + i * n_machines);
            }
        });
    }

    bool decide(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const override {
        const bool poll = plan.kind == PlanKind::poll;
        if (count(x) <= kFew && !poll) return this->decide_alone(x, this->every(x), plan, threads, out);
        if (plan.unanimous) return champions(x, plan, threads, out);
        std::vector<std::unique_ptr<Walk>> walks(static_cast<std::size_t>(threads.n));
        return for_each_tile(x, threads, [&](Tile& tile) {
            poll_tile(tile);
            auto& walk = walks[static_cast<std::size_t>(tile.worker)];
            if (!walk && !poll) walk = make_walk(plan);
            std::vector<double> values(poll ? this->bank_.lists.n_machines() : 0);
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                const auto ask = [&](std::int64_t m) { return value_in(tile, x, static_cast<std::size_t>(m), lane); };
                if (walk) {
                    out[tile.ids[lane]] = this->follow(*walk, ask);
                    continue;
                }
                for (std::size_t m = 0; m < values.size(); ++m) values[m] = ask(static_cast<std::int64_t>(m));
                settle(x, static_cast<std::size_t>(tile.ids[lane]), values.data());
                out[tile.ids[lane]] = this->first_largest(values.data());
            }
        });
    }

   private:
    struct Rounding {
        double kernel, slope, term;  // per root of squared coefficients, the same times gamma, and per size of a sum
    };

    // Samples side by side, and room for what is computed with them.
    struct Tile {
        int worker = 0;
        std::size_t n = 0, lanes = 0;
        const std::int64_t* ids = nullptr;
        Buffer<T> panels, kernel, sums;
        T norms[kTile] = {};
        Rounding rounding[kTile] = {};
        std::vector<const T*> row;
        std::vector<T*> out;
        std::vector<std::int32_t> vectors;
    };

    class One final : public Alone<T> {
       public:
        explicit One(const DenseDecider& owner)
            : Alone<T>(owner.bank_), owner_(owner), x_(aligned_array<T>(owner.d_)) {}

       protected:
        void load_sample(const Samples& x, std::size_t i) override {
            samples_ = &x;
            i_ = i;
            owner_.load_row(x, i, x_.get());
            owner_.simd_.norms_of_rows(x_.get(), 1, owner_.d_, &norm_);
            rounding_ = owner_.rounding(norm_);
        }
        void evaluate(const std::vector<std::int32_t>& vectors, T* memo) override {
            const std::size_t n = padded(vectors.size());
            row_.resize(n);
            dots_.assign(n, T(0));
            norms_.assign(n, T(0));
            for (std::size_t q = 0; q < vectors.size(); ++q) {
                row_[q] = owner_.row(static_cast<std::size_t>(vectors[q]));
                norms_[q] = owner_.norms_[static_cast<std::size_t>(vectors[q])];
            }
            owner_.simd_.dots_alone(x_.get(), row_.data(), vectors.size(), owner_.d_, dots_.data());
            this->bank_.kernel.finish(owner_.simd_, dots_.data(), norms_.data(), norm_, n,
                                      gather(owner_.gammas_, vectors, own_gammas_));
            for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
        }
        double certain(std::size_t m, double value) override {
            return owner_.certain(*samples_, i_, rounding_, m, value);
        }

       private:
        const DenseDecider& owner_;
        Aligned<T> x_;
        const Samples* samples_ = nullptr;
        std::size_t i_ = 0;
        T norm_ = 0;
        Rounding rounding_{};
        std::vector<const T*> row_;
        std::vector<T> dots_, norms_, own_gammas_;
    };

    std::unique_ptr<Alone<T>> make_alone() const override { return std::make_unique<One>(*this); }

    const T* row(std::size_t v) const { return rows_.get() + v * d_; }

    template <class S>
    void centred(const DenseView<S>& x, std::size_t i, T* out) const {
        const S* from = x.row(i);
        for (std::size_t f = 0; f < d_; ++f) out[f] = static_cast<T>(static_cast<double>(from[f]) - centre_[f]);
    }
    void centred(const SparseView&, std::size_t, T*) const {}

    void load_row(const Samples& x, std::size_t i, T* out) const {
        std::visit([&](const auto& view) { centred(view, i, out); }, x);
    }

    void measure_coefficients() {
        const auto& lists = this->bank_.lists;
        const auto& gammas = this->bank_.gammas;
        root_squares_.resize(lists.n_machines());
        times_gamma_.resize(lists.n_machines());
        sizes_.resize(lists.n_machines());
        for (std::size_t m = 0; m < lists.n_machines(); ++m) {
            for (auto t = lists.begin[m]; t < lists.begin[m + 1]; ++t) {
                const double c = lists.coef[static_cast<std::size_t>(t)];
                const double g =
                    gammas.empty() ? 0.0 : gammas[static_cast<std::size_t>(lists.index[static_cast<std::size_t>(t)])];
                root_squares_[m] += c * c;
                times_gamma_[m] += c * g * c * g;
                sizes_[m] += std::abs(c);
            }
            root_squares_[m] = std::sqrt(root_squares_[m]);
            times_gamma_[m] = std::sqrt(times_gamma_[m]);
            // Each term's addition rounds a partial sum, which one side of the machine alone can bring to half the sizes.
            sizes_[m] *= std::max(1.0, std::sqrt(static_cast<double>(lists.begin[m + 1] - lists.begin[m])) / 2.0);
        }
        if (!gammas.empty())
            this->bank_.kernel.gamma = *std::min_element(gammas.begin(), gammas.end());  // for `rounding` alone
    }

    // What rounding may do to the values of a sample of this squared norm: the kernel's errors add up like a random walk
    // (eight standard errors are allowed for), those of the sum of terms too.
    Rounding rounding(T norm2) const {
        constexpr double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
        const double n = static_cast<double>(norm2), term = 2.0 * unit * this->bank_.kernel.largest(n, largest_norm2_);
        if (gammas_.empty()) return {8.0 * this->bank_.kernel.error(n, largest_norm2_, d_, unit), 0.0, term};
        const Kernel::ByGamma error = this->bank_.kernel.error_by_gamma(n, largest_norm2_, d_, unit);
        return {8.0 * error.flat, 8.0 * error.slope, term};
    }
    double bound(const Rounding& r, std::size_t m) const {
        return r.kernel * root_squares_[m] + r.slope * times_gamma_[m] +
               r.term * (sizes_[m] + std::abs(this->bank_.lists.bias[m]));
    }

    double certain(const Samples& x, std::size_t i, const Rounding& r, std::size_t m, double value) const {
        return std::abs(value) < bound(r, m) ? exact(x, i, m) : value;
    }

    void settle(const Samples& x, std::size_t i, double* values) const override {
        const std::size_t n = this->bank_.lists.n_machines();
        Aligned<T> row = aligned_array<T>(d_);
        load_row(x, i, row.get());
        T norm2 = 0;
        simd_.norms_of_rows(row.get(), 1, d_, &norm2);
        const Rounding r = rounding(norm2);
        const std::size_t best = static_cast<std::size_t>(this->first_largest(values));
        const double reach = values[best] - bound(r, best);
        std::vector<std::size_t> close;
        for (std::size_t m = 0; m < n; ++m)
            if (values[m] + bound(r, m) >= reach) close.push_back(m);
        if (close.size() > 1)
            for (const std::size_t m : close) values[m] = exact(x, i, m);
    }

    // The value in double precision, from the vectors as given.
    double exact(const Samples& x, std::size_t i, std::size_t m) const {
        const auto& lists = this->bank_.lists;
        double sum = lists.bias[m];
        std::visit(
            [&](const auto& samples, const auto& pool) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(samples)>, SparseView> &&
                              !std::is_same_v<std::decay_t<decltype(pool)>, SparseView>)
                    for (auto t = lists.begin[m]; t < lists.begin[m + 1]; ++t) {
                        const std::size_t v = static_cast<std::size_t>(lists.index[static_cast<std::size_t>(t)]);
                        const auto* a = samples.row(i);
                        const auto* b = pool.row(v);
                        double dot = 0, distance = 0;
                        for (std::size_t f = 0; f < d_; ++f) {
                            const double xa = static_cast<double>(a[f]), xb = static_cast<double>(b[f]);
                            dot += xa * xb;
                            distance += (xa - xb) * (xa - xb);
                        }
                        sum += lists.coef[static_cast<std::size_t>(t)] * this->bank_.kernel_of(v).value(dot, distance);
                    }
            },
            x, this->bank_.pool);
        return sum;
    }

    void load_tile(const Samples& x, const std::int64_t* ids, std::size_t n, Tile& tile) const {
        tile.ids = ids;
        tile.n = n;
        tile.lanes = padded(n);
        T* panels = tile.panels.at_least(kTile * d_);
        std::visit(
            [&](const auto& view) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
                    pack_panels(view, ids, n, centre_.data(), panels);
            },
            x);
        simd_.norms(panels, tile.lanes / kLanes, d_, tile.norms);
        for (std::size_t lane = 0; lane < n; ++lane) tile.rounding[lane] = rounding(tile.norms[lane]);
    }

    // Kernel values of n vectors against the tile, n x lanes.
    template <class VectorAt>
    const T* kernel_tile(Tile& tile, std::size_t n, const VectorAt& vector_at) const {
        T* values = tile.kernel.at_least(n * tile.lanes);
        tile.row.resize(n);
        tile.out.resize(n);
        for (std::size_t q = 0; q < n; ++q) {
            tile.row[q] = row(vector_at(q));
            tile.out[q] = values + q * tile.lanes;
        }
        simd_.dots(tile.row.data(), n, tile.panels.data(), tile.lanes / kLanes, d_, tile.out.data());
        for (std::size_t q = 0; q < n; ++q)
            this->bank_.kernel_of(vector_at(q))
                .finish(simd_, tile.out[q], tile.norms, norms_[vector_at(q)], tile.lanes);
        return values;
    }

    // Adds a machine's part in one class; `values` are those of the vectors from `first` on, or just the segment's own.
    void add_segment(const Tile& tile, const T* values, const Segment& s, const std::int32_t* index, std::size_t first,
                     T* sums) const {
        simd_.weighted_sum(values, index, first, coef_.data() + s.begin, static_cast<std::size_t>(s.end - s.begin),
                           tile.lanes, sums);
    }

    // Every machine on the tile: sums[m * lanes + lane], without bias.
    void poll_tile(Tile& tile) const {
        const auto& lists = this->bank_.lists;
        T* sums = tile.sums.at_least(lists.n_machines() * tile.lanes);
        std::fill(sums, sums + lists.n_machines() * tile.lanes, T(0));
        for (std::size_t c = 0; c < lists.n_classes(); ++c) {
            const std::size_t first = lists.class_start[c], n = lists.class_start[c + 1] - first;
            if (n == 0) continue;
            const T* values = kernel_tile(tile, n, [&](std::size_t q) { return first + q; });
            for (const Segment& s : this->bank_.segments[c])
                add_segment(tile, values, s, lists.index.data() + s.begin, first,
                            sums + static_cast<std::size_t>(s.machine) * tile.lanes);
        }
    }

    double value_in(Tile& tile, const Samples& x, std::size_t m, std::size_t lane) const {
        const double value = static_cast<double>(tile.sums.data()[m * tile.lanes + lane]) + this->bank_.lists.bias[m];
        return certain(x, static_cast<std::size_t>(tile.ids[lane]), tile.rounding[lane], m, value);
    }

    template <class Visit>
    bool for_each_tile(const Samples& x, const Threads& threads, const Visit& visit) const {
        const auto ids = this->every(x);
        std::vector<Tile> tiles(static_cast<std::size_t>(threads.n));
        // Few machines: wide tiles. With very many, their sums must still fit a cache.
        const std::size_t width = this->bank_.lists.n_machines() > 65536 ? kLanes : kTile;
        const std::size_t n_pieces = (ids.size() + width - 1) / width;
        Stop stop;
        return parallel_for(n_pieces, threads.n, n_pieces <= 1, stop, threads.poll, [&](std::size_t piece, int worker) {
            Tile& tile = tiles[static_cast<std::size_t>(worker)];
            tile.worker = worker;
            load_tile(x, ids.data() + piece * width, std::min(width, ids.size() - piece * width), tile);
            visit(tile);
        });
    }

    // Rounds of guessing a class per sample and asking only its machines.
    bool champions(const Samples& x, const Plan& plan, const Threads& threads, std::int32_t* out) const {
        const std::size_t n = count(x), n_classes = static_cast<std::size_t>(plan.n_classes);
        std::vector<std::int32_t> guess(n);
        const Prototypes<T>& prototypes = this->prototypes();
        if (!for_each_tile(x, threads, [&](Tile& tile) {
                std::int32_t nearest[kTile];
                prototypes.nearest(simd_, tile.panels.data(), tile.lanes, nearest);
                for (std::size_t lane = 0; lane < tile.n; ++lane)
                    guess[static_cast<std::size_t>(tile.ids[lane])] = nearest[lane];
            }))
            return false;

        std::vector<std::int64_t> open = this->every(x);
        std::vector<Tile> tiles(static_cast<std::size_t>(threads.n));
        for (int round = 0; round < kTries && open.size() > kFew; ++round) {
            std::stable_sort(open.begin(), open.end(), [&](auto a, auto b) {
                return guess[static_cast<std::size_t>(a)] < guess[static_cast<std::size_t>(b)];
            });
            std::vector<std::pair<std::size_t, std::size_t>> pieces;  // begin, size: samples of one guess
            for (std::size_t at = 0; at < open.size();) {
                std::size_t end = at;
                while (end < open.size() && end - at < kTile &&
                       guess[static_cast<std::size_t>(open[end])] == guess[static_cast<std::size_t>(open[at])])
                    ++end;
                pieces.emplace_back(at, end - at);
                at = end;
            }
            Stop stop;
            if (!parallel_for(pieces.size(), threads.n, false, stop, threads.poll, [&](std::size_t p, int worker) {
                    Tile& tile = tiles[static_cast<std::size_t>(worker)];
                    const auto [at, size] = pieces[p];
                    const std::int32_t c = guess[static_cast<std::size_t>(open[at])];
                    load_tile(x, open.data() + at, size, tile);
                    check_champion(x, plan, n_classes, static_cast<std::size_t>(c), tile, guess.data());
                    for (std::size_t lane = 0; lane < size; ++lane) {
                        const std::size_t i = static_cast<std::size_t>(open[at + lane]);
                        out[i] = guess[i] == c ? c : -1;
                    }
                }))
                return false;
            std::erase_if(open, [&](std::int64_t i) { return out[i] >= 0; });
        }
        return open.empty() || this->decide_alone(x, open, plan, threads, out);
    }

    // Asks the machines of class c on the tile. Where c loses one, `guess` becomes the class that beat it hardest.
    void check_champion(const Samples& x, const Plan& plan, std::size_t n_classes, std::size_t c, Tile& tile,
                        std::int32_t* guess) const {
        const auto& lists = this->bank_.lists;
        T* sums = tile.sums.at_least(n_classes * tile.lanes);
        std::fill(sums, sums + n_classes * tile.lanes, T(0));
        const std::size_t first = lists.class_start[c], own = lists.class_start[c + 1] - first;
        const auto machine = [&](std::size_t j) {
            return static_cast<std::size_t>(plan.machine_of[std::min(c, j) * n_classes + std::max(c, j)]);
        };
        // A machine's list has the vectors of the lower class first.
        const auto sides = [&](std::size_t j) {
            const std::size_t m = machine(j);
            const auto* begin = lists.index.data() + lists.begin[m];
            const auto* end = lists.index.data() + lists.begin[m + 1];
            const auto split =
                std::lower_bound(begin, end, static_cast<std::int32_t>(lists.class_start[std::max(c, j)])) -
                lists.index.data();
            const auto id = static_cast<std::int64_t>(m);
            const Segment lower{id, lists.begin[m], split}, later{id, split, lists.begin[m + 1]};
            return c < j ? std::pair{lower, later} : std::pair{later, lower};
        };
        const T* values = kernel_tile(tile, own, [&](std::size_t q) { return first + q; });
        for (std::size_t j = 0; j < n_classes; ++j) {
            if (j == c) continue;
            const Segment s = sides(j).first;
            add_segment(tile, values, s, lists.index.data() + s.begin, first, sums + j * tile.lanes);
        }
        // The other side of every machine, as one list: long products are fast products.
        tile.vectors.clear();
        std::vector<Segment> other(n_classes);
        for (std::size_t j = 0; j < n_classes; ++j) {
            if (j == c) continue;
            other[j] = sides(j).second;
            tile.vectors.insert(tile.vectors.end(), lists.index.begin() + other[j].begin,
                                lists.index.begin() + other[j].end);
        }
        values = kernel_tile(tile, tile.vectors.size(),
                             [&](std::size_t q) { return static_cast<std::size_t>(tile.vectors[q]); });
        double worst[kTile] = {};
        for (std::size_t j = 0; j < n_classes; ++j) {
            if (j == c) continue;
            T* sum = sums + j * tile.lanes;
            add_segment(tile, values, other[j], nullptr, 0, sum);
            values += static_cast<std::size_t>(other[j].end - other[j].begin) * tile.lanes;
            const std::size_t m = machine(j);
            for (std::size_t lane = 0; lane < tile.n; ++lane) {
                const std::size_t i = static_cast<std::size_t>(tile.ids[lane]);
                const double value =
                    certain(x, i, tile.rounding[lane], m, static_cast<double>(sum[lane]) + lists.bias[m]);
                const bool beaten = (value >= 0) == (j > c);
                if (beaten && std::abs(value) >= worst[lane]) {
                    worst[lane] = std::abs(value);
                    guess[i] = static_cast<std::int32_t>(j);
                }
            }
        }
    }

    const Prototypes<T>& prototypes() const {
        std::call_once(prototypes_made_,
                       [&] { prototypes_ = Prototypes<T>(simd_, rows_.get(), this->bank_.lists.class_start, d_); });
        return prototypes_;
    }

    std::vector<double> centre_;
    const Simd<T>& simd_;
    std::size_t d_ = 0;
    Aligned<T> rows_;
    std::vector<T> norms_, coef_, gammas_;
    double largest_norm2_ = 0;
    std::vector<double> root_squares_, times_gamma_, sizes_;  // of the coefficients of each machine: see `bound`
    mutable std::once_flag prototypes_made_;
    mutable Prototypes<T> prototypes_;
};

}  // namespace

std::unique_ptr<Decider> make_decider(Bank bank, bool single, std::vector<double> centre, Level level) {
    if (bank.kernel.type == KernelType::precomputed) return std::make_unique<PrecomputedDecider>(std::move(bank));
    if (std::holds_alternative<SparseView>(bank.pool)) return std::make_unique<SparseDecider>(std::move(bank), level);
    if (single) return std::make_unique<DenseDecider<float>>(std::move(bank), std::move(centre), level);
    return std::make_unique<DenseDecider<double>>(std::move(bank), std::move(centre), level);
}

}  // namespace dagmar
