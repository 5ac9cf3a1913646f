#include "train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

namespace dagmar {
namespace {

std::vector<std::int32_t> tasks_with(const Tasks& tasks, std::size_t n_classes) {
    std::vector<std::int32_t> count(n_classes * n_classes, 0);
    for (std::size_t t = 0; t < tasks.size(); ++t)
        for (auto i = tasks.begin[t]; i < tasks.begin[t + 1]; ++i)
            for (auto j = tasks.begin[t]; j < tasks.begin[t + 1]; ++j)
                ++count[static_cast<std::size_t>(tasks.class_[static_cast<std::size_t>(i)]) * n_classes +
                        static_cast<std::size_t>(tasks.class_[static_cast<std::size_t>(j)])];
    return count;
}

// The rows of one precision, for all workers.
template <class T>
class Engine {
   public:
    Engine(std::unique_ptr<GramRows<T>> gram, const Tasks& tasks, std::size_t memory, int n_threads, Level level)
        : gram_(std::move(gram)), simd_(simd<T>(level)), scratch_(static_cast<std::size_t>(n_threads)) {
        std::size_t largest = 0;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            std::size_t n = 0;
            for (auto i = tasks.begin[t]; i < tasks.begin[t + 1]; ++i)
                n += padded(gram_->class_size(static_cast<std::size_t>(tasks.class_[static_cast<std::size_t>(i)])));
            largest = std::max(largest, n);
        }
        // Workers first, as every row must pass through them; what they cannot use is shared.
        const std::size_t workers = static_cast<std::size_t>(n_threads);
        per_task_ = std::min(largest * largest * sizeof(T), memory / 2 / workers);
        shared_ = std::make_unique<SharedRows<T>>(*gram_, tasks_with(tasks, gram_->n_classes()), memory - per_task_ * workers);
    }

    const GramRows<T>& gram() const { return *gram_; }

    Solution solve(const Problem& problem, const std::int32_t* classes, std::size_t n_classes, const Settings& settings,
                   const std::vector<double>& start, int worker, Stop& stop, Machine& machine) {
        TaskRows<T> rows(*gram_, *shared_, classes, n_classes, per_task_, scratch_[static_cast<std::size_t>(worker)]);
        Solution solution = dagmar::solve<T>(problem, rows, settings, start, simd_, stop);
        machine.rows_computed += rows.computed();
        machine.rows_reused += rows.reused();
        machine.iterations += solution.iterations;
        return solution;
    }

    void release(const std::int32_t* classes, std::size_t n_classes) { shared_->release(classes, n_classes); }

   private:
    std::unique_ptr<GramRows<T>> gram_;
    const Simd<T>& simd_;
    std::vector<RowScratch<T>> scratch_;
    std::size_t per_task_ = 0;
    std::unique_ptr<SharedRows<T>> shared_;
};

class Training {
   public:
    Training(const Sources& sources, const Tasks& tasks, const std::vector<double>& cap, const std::vector<double>& soft,
             const TrainOptions& options, std::unique_ptr<GramRows<float>> single)
        : sources_(sources), tasks_(tasks), cap_(cap), soft_(soft), options_(options) {
        if (single) {
            single_ = std::make_unique<Engine<float>>(std::move(single), tasks, options.memory / 4 * 3, options.n_threads, sources.level);
            take_classes(single_->gram());
        } else {
            take_classes(fine(options.memory).gram());
        }
        soft_begin_.push_back(0);
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            std::size_t n = 0;
            for (auto i = tasks.begin[t]; i < tasks.begin[t + 1]; ++i) n += class_size(tasks.class_[static_cast<std::size_t>(i)]);
            soft_begin_.push_back(soft_begin_.back() + n);
        }
    }

    Machine train(std::size_t task, int worker, Stop& stop) {
        const auto begun = std::chrono::steady_clock::now();
        const std::int32_t* classes = tasks_.class_.data() + tasks_.begin[task];
        const std::size_t n_classes = static_cast<std::size_t>(tasks_.begin[task + 1] - tasks_.begin[task]);
        const Problem problem = pose(task);
        Machine machine;
        Solution solution;
        if (single_) solution = single_->solve(problem, classes, n_classes, options_.settings, {}, worker, stop, machine);
        if (!single_ || solution.status == Status::imprecise) {
            Settings settings = options_.settings;
            settings.kernel_error = 0;
            if (settings.max_iter >= 0) settings.max_iter -= std::min(settings.max_iter, machine.iterations);
            machine.refined = single_ != nullptr;
            solution = fine(options_.memory / 4).solve(problem, classes, n_classes, settings, solution.lambda, worker, stop, machine);
        }
        if (single_) single_->release(classes, n_classes);
        // The finer engine is released only where it serves every task; as a fallback it keeps few rows.
        else fine_->release(classes, n_classes);
        keep(problem, solution, classes, n_classes, machine);
        machine.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        return machine;
    }

   private:
    template <class T>
    void take_classes(const GramRows<T>& gram) { start_ = gram.class_start(); }

    std::size_t class_size(std::int32_t c) const {
        return start_[static_cast<std::size_t>(c) + 1] - start_[static_cast<std::size_t>(c)];
    }

    Engine<double>& fine(std::size_t memory) {
        std::call_once(made_, [&] { fine_ = std::make_unique<Engine<double>>(sources_.fine(), tasks_, memory, options_.n_threads, sources_.level); });
        return *fine_;
    }

    // The task as a box-constrained problem.
    Problem pose(std::size_t task) const {
        Problem p;
        std::size_t at = soft_begin_[task];
        for (auto i = tasks_.begin[task]; i < tasks_.begin[task + 1]; ++i) {
            const std::int32_t c = tasks_.class_[static_cast<std::size_t>(i)];
            for (std::size_t k = 0; k < class_size(c); ++k) {
                const double y = soft_.empty() ? static_cast<double>(tasks_.side[static_cast<std::size_t>(i)]) : soft_[at++];
                p.sign.push_back(y < 0 ? -1.0 : 1.0);
                p.target.push_back(std::abs(y));
                p.cap.push_back(y == 0.0 ? 0.0 : cap_[start_[static_cast<std::size_t>(c)] + k] / std::abs(y));
            }
            const std::size_t n = padded(p.sign.size());
            p.sign.resize(n, 1.0);
            p.target.resize(n, 1.0);
            p.cap.resize(n, 0.0);
        }
        return p;
    }

    void keep(const Problem& problem, const Solution& solution, const std::int32_t* classes, std::size_t n_classes, Machine& machine) const {
        std::vector<std::pair<std::int32_t, double>> support;
        std::size_t at = 0;
        for (std::size_t i = 0; i < n_classes; ++i) {
            const std::size_t first = start_[static_cast<std::size_t>(classes[i])], n = class_size(classes[i]);
            for (std::size_t k = 0; k < n; ++k)
                if (solution.lambda[at + k] > 0)
                    support.emplace_back(static_cast<std::int32_t>(first + k), problem.sign[at + k] * solution.lambda[at + k]);
            at += padded(n);
        }
        std::sort(support.begin(), support.end());
        for (const auto& [sample, coef] : support) {
            machine.sample.push_back(sample);
            machine.coef.push_back(coef);
        }
        machine.bias = solution.bias;
        machine.objective = solution.objective;
        machine.norm2 = solution.norm2;
        machine.gap = solution.gap;
        machine.status = solution.status;
    }

    const Sources& sources_;
    const Tasks& tasks_;
    const std::vector<double>&cap_, &soft_;
    const TrainOptions& options_;
    std::unique_ptr<Engine<float>> single_;
    std::unique_ptr<Engine<double>> fine_;
    std::once_flag made_;
    std::vector<std::size_t> start_, soft_begin_;
};

}  // namespace

bool train(Sources sources, const Tasks& tasks, const std::vector<double>& cap, const std::vector<double>& soft,
           const TrainOptions& options, const Poll& poll, std::vector<Machine>& machines) {
    Training training(sources, tasks, cap, soft, options, std::move(sources.single));
    machines.assign(tasks.size(), Machine{});
    Stop stop;
    // Workers list the tasks they end under the mutex, which is also what makes a machine visible to the calling thread.
    std::mutex mutex;
    std::vector<std::size_t> ended;
    const auto work = [&](std::size_t task, int worker) {
        machines[task] = training.train(task, worker, stop);
        if (!options.finished || machines[task].status == Status::interrupted) return;
        const std::lock_guard lock(mutex);
        ended.push_back(task);
    };
    const auto report = [&] {
        std::vector<std::size_t> now;
        {
            const std::lock_guard lock(mutex);
            now.swap(ended);
        }
        return !now.empty() && options.finished(now, machines);
    };
    // First the report: a signal that ends it all should cost nobody a finished machine.
    const Poll report_and_poll = [&] { return report() || (poll && poll()); };
    if (!options.finished) return parallel_for(tasks.size(), options.n_threads, options.inline_, stop, poll, work);
    return parallel_for(tasks.size(), options.n_threads, options.inline_, stop, report_and_poll, work) && !report();
}

}  // namespace dagmar
