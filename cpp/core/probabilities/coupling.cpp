#include "probabilities/coupling.hpp"

#include <algorithm>

#include "base/memory.hpp"
#include "decide/choices.hpp"

namespace dagmar {
namespace {

// Added to the diagonal of 1: the matrix is singular but for rounding if two classes are certain to beat all others.
constexpr double kRidge = 1e-13;

std::size_t n_pairs(std::size_t k) { return k * (k - 1) / 2; }

// Coupling of kLanes samples after the others, in memory that is used again.
class Coupling {
   public:
    void begin(std::size_t k, Level level) {
        k_ = k;
        functions_ = &probability_functions(level);
        simd_ = &simd<double>(level);
    }

    // rows[i * stride + column] of n samples, where the column of a pair is its place, or, with sigmoids, its machine.
    // Rows are read up to padded(stride) columns.
    void run(const double* rows, std::size_t stride, std::size_t n, const Sigmoids* sigmoids,
             std::span<const std::int64_t> machine, double* p) {
        double* own = p_.at_least(k_ * kLanes);
        for (std::size_t first = 0; first < n; first += kLanes) {
            const std::size_t count = std::min(kLanes, n - first);
            double* later = later_.at_least(padded(stride) * kLanes);
            simd_->transpose(rows + first * stride, stride, count, stride, later, kLanes);
            if (sigmoids) {
                double* of_pairs = sigmoids_.at_least(n_pairs(k_) * kLanes);
                functions_->sigmoids(later, machine.data(), sigmoids->slope.data(), sigmoids->offset.data(),
                                     kLargestExponent, n_pairs(k_), of_pairs);
                later = of_pairs;
            }
            solve(later, own);
            for (std::size_t lane = 0; lane < count; ++lane)
                for (std::size_t c = 0; c < k_; ++c) p[(first + lane) * k_ + c] = own[c * kLanes + lane];
        }
    }

   private:
    void solve(const double* later, double* p) {
        if (k_ > 2) return functions_->couple(later, k_, kRidge, scratch_.at_least(coupling_scratch(k_)), p);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            p[lane] = 1.0 - later[lane];
            p[kLanes + lane] = later[lane];
        }
    }

    std::size_t k_ = 0;
    const ProbabilityFunctions* functions_ = nullptr;
    const Simd<double>* simd_ = nullptr;
    Buffer<double> later_, sigmoids_, scratch_, p_;
};

// Calls work(coupling, first, n) for all of n samples, `width` at a time.
template <class Work>
bool each_block(std::size_t n, std::size_t width, std::size_t k, Level level, const Threads& threads,
                const Work& work) {
    std::vector<Coupling> couplings(usize(threads.n));  // one per worker
    for (Coupling& coupling : couplings) coupling.begin(k, level);
    Stop stop;
    return parallel_for((n + width - 1) / width, threads, stop, [&](std::size_t piece, int worker) {
        work(couplings[usize(worker)], piece * width, std::min(width, n - piece * width), worker);
    });
}

Samples rows_of(const Samples& x, std::size_t first, std::size_t n) {
    return std::visit(
        [&](auto view) -> Samples {
            if constexpr (std::is_same_v<decltype(view), SparseView>)
                view.indptr += first;
            else
                view.data += first * view.d;
            view.n = n;
            return view;
        },
        x);
}

}  // namespace

void couple(const double* later, std::size_t n, std::size_t k, Level level, const Threads& threads, double* p) {
    const std::size_t pairs = n_pairs(k);
    each_block(n, kLanes, k, level, {threads.n, {}},
               [&](Coupling& coupling, std::size_t first, std::size_t count, int) {
                   std::vector<double> rows(later + first * pairs, later + (first + count) * pairs);
                   rows.resize(rows.size() + kLanes);  // the last row is read further
                   coupling.run(rows.data(), pairs, count, nullptr, {}, p + first * k);
               });
}

bool couple_values(const Decider& decider, const Samples& x, const Sigmoids& sigmoids,
                   std::span<const std::int64_t> machine, std::size_t k, Level level, const Threads& threads,
                   double* p) {
    const std::size_t n = n_samples(x), n_machines = sigmoids.slope.size();
    // As many samples as a tile has, so that values are still in the second-level cache when they are coupled.
    const std::size_t width = tile_width(n, threads.n, 2 * n_machines);
    std::vector<Buffer<double>> values(usize(threads.n));
    const auto work = [&](Coupling& coupling, std::size_t first, std::size_t count, int worker) {
        double* of_block = values[usize(worker)].at_least(count * n_machines + kLanes);
        decider.values(rows_of(x, first, count), false, {1, {}}, of_block);
        coupling.run(of_block, n_machines, count, &sigmoids, machine, p + first * k);
    };
    return each_block(n, width, k, level, threads, work);
}

}  // namespace dagmar
