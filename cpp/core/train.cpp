#include "train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>

namespace dagmar {
namespace {

// How many tasks could share K(class, class), for every two classes: none where each task has its own gamma.
std::vector<std::int32_t> tasks_with(const Tasks& tasks, std::size_t n_classes) {
    std::vector<std::int32_t> count(n_classes * n_classes, 0);
    if (!tasks.gamma.empty()) return count;
    for (std::size_t t = 0; t < tasks.size(); ++t)
        for (auto i = tasks.begin[t]; i < tasks.begin[t + 1]; ++i)
            for (auto j = tasks.begin[t]; j < tasks.begin[t + 1]; ++j)
                ++count[static_cast<std::size_t>(tasks.class_[static_cast<std::size_t>(i)]) * n_classes +
                        static_cast<std::size_t>(tasks.class_[static_cast<std::size_t>(j)])];
    return count;
}

// Memory for kernel rows. A worker's own share holds the rows of a usual task (some three in ten of its samples). What tasks
// need beyond it, and parts of rows for other tasks, come out of what is left, first come, first served.
struct Memory {
    Memory(std::size_t bytes, std::size_t usual, std::size_t n_workers)
        : reserve(std::min(usual, bytes / n_workers)), most(bytes - reserve * (n_workers - 1)), all(bytes),
          budget(bytes - reserve * n_workers) {}

    std::size_t reserve, most, all;
    Budget budget;
};

// A thread is at a task of its own as long as this lives.
class Working {
   public:
    explicit Working(Spare& spare) : spare_(spare) { spare_.take_up(); }
    ~Working() { spare_.lay_down(); }
    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;

   private:
    Spare& spare_;
};

// The rows of one precision, for all workers.
template <class T>
class Engine {
   public:
    // shares: whether parts of rows are kept for other tasks.
    Engine(std::unique_ptr<GramRows<T>> gram, const Tasks& tasks, Memory& memory, Spare& spare, bool shares,
           int n_threads, Level level)
        : gram_(std::move(gram)), simd_(simd<T>(level)), memory_(memory), spare_(spare),
          scratch_(static_cast<std::size_t>(n_threads)),
          shared_(*gram_,
                  shares && gram_->worth_keeping()
                      ? tasks_with(tasks, gram_->n_classes())
                      : std::vector<std::int32_t>(gram_->n_classes() * gram_->n_classes(), 0),
                  memory.budget, memory.all / 4) {}

    std::unique_ptr<TaskRows<T>> rows_of(const Tasks& tasks, std::size_t task, std::size_t reserve, int worker) {
        const std::size_t begin = static_cast<std::size_t>(tasks.begin[task]),
                          end = static_cast<std::size_t>(tasks.begin[task + 1]);
        return std::make_unique<TaskRows<T>>(*gram_, shared_, tasks.class_.data() + begin, end - begin,
                                             tasks.gamma.empty() ? gram_->gamma() : tasks.gamma[task], memory_.budget,
                                             reserve, memory_.most, scratch_[static_cast<std::size_t>(worker)], spare_);
    }

    // Gives back what a worker holds.
    void leave(int worker) {
        RowScratch<T>& scratch = scratch_[static_cast<std::size_t>(worker)];
        memory_.budget.give(scratch.paid);
        scratch = RowScratch<T>{};
    }

    Solution solve(const Problem& problem, TaskRows<T>& rows, const Settings& settings, Start start, Stop& stop,
                   Machine& machine) const {
        const std::int64_t computed = rows.computed(), reused = rows.reused();
        Solution solution = dagmar::solve<T>(problem, rows, settings, std::move(start), simd_, stop);
        machine.rows_computed += rows.computed() - computed;
        machine.rows_reused += rows.reused() - reused;
        machine.iterations += solution.iterations;
        return solution;
    }

    void release(const std::int32_t* classes, std::size_t n_classes) { shared_.release(classes, n_classes); }

   private:
    std::unique_ptr<GramRows<T>> gram_;
    const Simd<T>& simd_;
    Memory& memory_;
    Spare& spare_;
    std::vector<RowScratch<T>> scratch_;
    SharedRows<T> shared_;
};

class Training {
   public:
    Training(const Sources& sources, const Tasks& tasks, const std::vector<Variant>& variants,
             const std::vector<double>& soft, const TrainOptions& options, std::unique_ptr<GramRows<float>> single)
        : sources_(sources), tasks_(tasks), variants_(variants), soft_(soft), options_(options),
          spare_(options.inline_ ? 1 : options.n_threads) {
        std::unique_ptr<GramRows<double>> fine = single ? nullptr : sources.fine();
        start_ = single ? single->class_start() : fine->class_start();
        std::size_t largest = 0;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            std::size_t n = 0;
            for (auto i = tasks.begin[t]; i < tasks.begin[t + 1]; ++i)
                n += class_size(tasks.class_[static_cast<std::size_t>(i)]);
            first_.push_back(first_.back() + n);
            largest = std::max(largest, n);
        }
        const std::size_t usual = largest * largest / 10 * 3 * (single ? sizeof(float) : sizeof(double));
        const std::size_t n_workers =
            std::max<std::size_t>(1, std::min<std::size_t>(tasks.size(), static_cast<std::size_t>(options.n_threads)));
        // Some of it is for all that stands around the rows.
        memory_ = std::make_unique<Memory>(options.memory / 8 * 7, usual, n_workers);
        if (single)
            single_ = std::make_unique<Engine<float>>(std::move(single), tasks, *memory_, spare_, true,
                                                      options.n_threads, sources.level);
        else
            fine_ = std::make_unique<Engine<double>>(std::move(fine), tasks, *memory_, spare_, true, options.n_threads,
                                                     sources.level);
    }

    // The machines of a task, one per variant.
    void train(std::size_t task, int worker, Stop& stop, Machine* machines) {
        const Working working(spare_);
        Problem problem = pose(task);
        std::unique_ptr<TaskRows<float>> rows =
            single_ ? single_->rows_of(tasks_, task, memory_->reserve, worker) : nullptr;
        std::unique_ptr<TaskRows<double>> fine_rows;
        std::vector<Solution> solved;
        for (std::size_t v = 0; v < variants_.size() && !stop.requested(); ++v) {
            const auto begun = std::chrono::steady_clock::now();
            Machine& machine = machines[v];
            put_caps(task, variants_[v].cap, problem);
            Start start;
            if (variants_[v].from >= 0)
                start = grown(problem, solved[static_cast<std::size_t>(variants_[v].from)], variants_[v].ratio);
            Solution solution;
            if (single_) solution = single_->solve(problem, *rows, options_.settings, std::move(start), stop, machine);
            if (!single_ || solution.status == Status::imprecise) {
                Settings settings = options_.settings;
                settings.kernel_error = 0;
                if (settings.max_iter >= 0) settings.max_iter -= std::min(settings.max_iter, machine.iterations);
                machine.refined = single_ != nullptr;
                if (single_) start = {std::move(solution.lambda), {}, 0.0};
                Engine<double>& engine = fine();
                if (!fine_rows) {
                    // The worker's share goes over to the finer rows, unless other variants will want the coarse ones again.
                    const bool alone = single_ && variants_.size() == 1;
                    if (alone) {
                        rows.reset();
                        single_->leave(worker);
                    }
                    fine_rows = engine.rows_of(tasks_, task, alone || !single_ ? memory_->reserve : 0, worker);
                }
                solution = engine.solve(problem, *fine_rows, settings, std::move(start), stop, machine);
            }
            keep(task, problem, solution, machine);
            machine.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
            if (variants_.size() > 1) solved.push_back(std::move(solution));
        }
        const std::int32_t* classes = tasks_.class_.data() + tasks_.begin[task];
        const std::size_t n_classes = static_cast<std::size_t>(tasks_.begin[task + 1] - tasks_.begin[task]);
        if (single_) {
            single_->release(classes, n_classes);
            if (fine_rows) {
                fine_rows.reset();
                fine_->leave(worker);
            }
        } else {
            fine_->release(classes, n_classes);
        }
    }

    // What a task costs, next to others.
    double cost(std::size_t task) const {
        const double n = static_cast<double>(first_[task + 1] - first_[task]);
        return n * n;
    }

   private:
    std::size_t class_size(std::int32_t c) const {
        return start_[static_cast<std::size_t>(c) + 1] - start_[static_cast<std::size_t>(c)];
    }

    // The finer engine beside the single one: made when the first task needs it.
    Engine<double>& fine() {
        if (single_)
            std::call_once(made_, [&] {
                fine_ = std::make_unique<Engine<double>>(sources_.fine(), tasks_, *memory_, spare_, false,
                                                         options_.n_threads, sources_.level);
            });
        return *fine_;
    }

    // Calls visit(place in the padded problem, training sample, side) for the samples of a task.
    template <class Visit>
    void for_each(std::size_t task, const Visit& visit) const {
        std::size_t at = 0;
        for (auto i = tasks_.begin[task]; i < tasks_.begin[task + 1]; ++i) {
            const std::int32_t c = tasks_.class_[static_cast<std::size_t>(i)];
            const std::size_t n = class_size(c);
            for (std::size_t k = 0; k < n; ++k)
                visit(at + k, start_[static_cast<std::size_t>(c)] + k, tasks_.side[static_cast<std::size_t>(i)]);
            at += padded(n);
        }
    }

    // The task as a box-constrained problem, but for its caps.
    Problem pose(std::size_t task) const {
        std::size_t n = 0;
        for (auto i = tasks_.begin[task]; i < tasks_.begin[task + 1]; ++i)
            n += padded(class_size(tasks_.class_[static_cast<std::size_t>(i)]));
        Problem p{std::vector<double>(n, 1.0), std::vector<double>(n, 1.0), std::vector<double>(n, 0.0)};
        const double* soft = soft_.empty() ? nullptr : soft_.data() + first_[task];
        for_each(task, [&](std::size_t place, std::size_t, std::int8_t side) {
            const double y = soft ? *soft++ : static_cast<double>(side);
            p.sign[place] = y < 0 ? -1.0 : 1.0;
            p.target[place] = std::abs(y);
        });
        return p;
    }

    void put_caps(std::size_t task, const std::vector<double>& cap, Problem& p) const {
        const double scale = tasks_.scale.empty() ? 1.0 : tasks_.scale[task];
        for_each(task, [&](std::size_t place, std::size_t sample, std::int8_t) {
            const double target = p.target[place];
            p.cap[place] = target == 0.0 || cap[sample] == 0.0 ? 0.0 : scale * cap[sample] / target;
        });
    }

    // The solution of a variant with caps `ratio` times smaller, as a start for this problem: grown as far along itself as
    // the objective likes, which is not at all where no multiplier had come to its cap.
    static Start grown(const Problem& p, const Solution& smaller, double ratio) {
        double linear = 0;
        for (std::size_t k = 0; k < p.cap.size(); ++k) linear += p.target[k] * smaller.lambda[k];
        double factor = smaller.norm2 > 0 ? std::clamp(linear / smaller.norm2, 1.0, ratio) : 1.0;
        if (factor < 1.01) factor = 1.0;  // the answer itself, to the bit, where nothing is to gain
        Start start{smaller.lambda, smaller.scores, smaller.drift * factor * factor};
        for (std::size_t k = 0; k < p.cap.size(); ++k) {
            const double own = p.sign[k] * p.target[k];
            start.lambda[k] = std::min(p.cap[k], smaller.lambda[k] * factor);
            if (start.lambda[k] > p.cap[k] * (1 - 1e-12)) start.lambda[k] = p.cap[k];
            if (factor > 1.0) start.scores[k] = own - factor * (own - smaller.scores[k]);
        }
        return start;
    }

    void keep(std::size_t task, const Problem& problem, const Solution& solution, Machine& machine) const {
        std::vector<std::pair<std::int32_t, double>> support;
        for_each(task, [&](std::size_t place, std::size_t sample, std::int8_t) {
            if (solution.lambda[place] > 0)
                support.emplace_back(static_cast<std::int32_t>(sample), problem.sign[place] * solution.lambda[place]);
            if (options_.outside && problem.cap[place] == 0)
                machine.outside.push_back(problem.sign[place] * problem.target[place] - solution.scores[place] +
                                          solution.bias);
        });
        std::sort(support.begin(), support.end());
        machine.sample.reserve(support.size());
        machine.coef.reserve(support.size());
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
    const std::vector<Variant>& variants_;
    const std::vector<double>& soft_;
    const TrainOptions& options_;
    Spare spare_;
    std::unique_ptr<Memory> memory_;
    std::unique_ptr<Engine<float>> single_;
    std::unique_ptr<Engine<double>> fine_;
    std::once_flag made_;
    std::vector<std::size_t> start_,
        first_{0};  // of the classes among the samples; of the tasks' samples, one task after the other
};

// Tasks in their order, in which those that share a class are near each other; but one that is a large part of all must not
// begin when the others have ended.
std::vector<std::size_t> schedule(const Training& training, std::size_t n_tasks, int n_threads) {
    std::vector<std::size_t> order(n_tasks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double total = 0;
    for (std::size_t t = 0; t < n_tasks; ++t) total += training.cost(t);
    const double large = total / (8.0 * n_threads);
    const auto middle =
        std::stable_partition(order.begin(), order.end(), [&](std::size_t t) { return training.cost(t) > large; });
    std::stable_sort(order.begin(), middle,
                     [&](std::size_t s, std::size_t t) { return training.cost(s) > training.cost(t); });
    return order;
}

}  // namespace

bool train(Sources sources, const Tasks& tasks, const std::vector<Variant>& variants, const std::vector<double>& soft,
           const TrainOptions& options, const Poll& poll, std::vector<Machine>& machines) {
    Training training(sources, tasks, variants, soft, options, std::move(sources.single));
    const std::vector<std::size_t> order = schedule(training, tasks.size(), options.n_threads);
    machines.assign(tasks.size() * variants.size(), Machine{});
    Stop stop;
    // Workers list the tasks they end under the mutex, which is also what makes a machine visible to the calling thread.
    std::mutex mutex;
    std::vector<std::size_t> ended;
    const auto work = [&](std::size_t piece, int worker) {
        const std::size_t task = order[piece];
        training.train(task, worker, stop, machines.data() + task * variants.size());
        if (!options.finished || stop.requested()) return;
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
