#include "train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "duplicates.hpp"
#include "integers.hpp"
#include "precisions.hpp"

namespace dagmar {
namespace {

// A thread is busy with a task of its own as long as this lives.
class Busy {
   public:
    explicit Busy(Spare& spare) : spare_(spare) { spare_.begin_task(); }
    ~Busy() { spare_.end_task(); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Spare& spare_;
};

// The samples of each task: where they begin when the samples of all tasks stand one task after the other.
std::vector<std::size_t> first_samples(const Problem& problem, const Tasks& tasks) {
    std::vector<std::size_t> first{0};
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        std::size_t n = 0;
        for (const std::int32_t c : tasks.classes_of(t)) n += problem.class_size(usize(c));
        first.push_back(first.back() + n);
    }
    return first;
}

// As many threads as the work is worth: small work is finished sooner by the calling thread alone.
int threads_worth(const Problem& problem, const Tasks& tasks, const Variants& variants, const TrainSettings& settings) {
    if (settings.n_threads == 1 || settings.per_thread == 0) return settings.n_threads;
    double squares = 0;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        double n = 0;
        for (const std::int32_t c : tasks.classes_of(t)) n += static_cast<double>(problem.class_size(usize(c)));
        squares += n * n;
    }
    const double worth = static_cast<double>(variants.n) * squares / settings.per_thread;
    return worth >= settings.n_threads ? settings.n_threads : std::max(1, static_cast<int>(worth));
}

// The samples as they were given, where the problem has only distinct ones.
struct Given {
    const Duplicates& duplicates;
    const Problem& problem;
    const Variants& variants;
};

class Training {
   public:
    // given: null if all samples are in the problem.
    Training(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
             const TrainSettings& settings, const Given* given)
        : problem_(problem), tasks_(tasks), variants_(variants), soft_(soft), settings_(settings), given_(given),
          first_(first_samples(problem, tasks)), engines_(problem, tasks, settings, sizes()),
          workers_(usize(settings.n_threads)) {}

    // The machines of a task, one per variant.
    void train(std::size_t task, int worker, Stop& stop, Machine* machines) {
        const Busy busy(engines_.spare());
        BoxProblem& problem = workers_[usize(worker)].problem;
        set_problem(task, problem);
        Precisions::TaskSolver solver(engines_, task, worker, variants_.n > 1);
        std::vector<Solution> solved;
        for (std::size_t v = 0; v < variants_.n && !stop.requested(); ++v) {
            const auto begun = std::chrono::steady_clock::now();
            set_caps(task, variants_.caps_of(v), problem);
            Start start;
            if (!variants_.start.empty() && variants_.start[v] >= 0)
                start = grown(problem, solved[usize(variants_.start[v])], variants_.ratio[v]);
            Solution solution = solver.solve(problem, std::move(start), stop, machines[v]);
            fill(task, v, solution, workers_[usize(worker)], machines[v]);
            machines[v].seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
            if (variants_.n > 1) solved.push_back(std::move(solution));
        }
        solver.end();
    }

    // The cost of a task relative to others.
    double cost(std::size_t task) const {
        const double n = static_cast<double>(n_samples_of(task));
        return n * n;
    }

   private:
    std::size_t n_samples_of(std::size_t task) const { return first_[task + 1] - first_[task]; }

    std::vector<std::size_t> sizes() const {
        std::vector<std::size_t> all;
        for (std::size_t t = 0; t < tasks_.size(); ++t) all.push_back(n_samples_of(t));
        return all;
    }

    // Calls visit(place in the padded problem, first training sample, number of samples, side) for the classes of a
    // task.
    template <class Visit>
    void for_classes(std::size_t task, const Visit& visit) const {
        std::size_t at = 0;
        for (auto i = usize(tasks_.begin[task]); i < usize(tasks_.begin[task + 1]); ++i) {
            const std::size_t c = usize(tasks_.classes[i]), n = problem_.class_size(c);
            visit(at, problem_.class_start[c], n, tasks_.sides[i]);
            at += padded(n);
        }
    }

    // The task as a box-constrained problem, without its caps.
    void set_problem(std::size_t task, BoxProblem& p) const {
        std::size_t n = 0;
        for (const std::int32_t c : tasks_.classes_of(task)) n += padded(problem_.class_size(usize(c)));
        p.sign.assign(n, 1.0);
        p.target.assign(n, 1.0);
        p.cap.assign(n, 0.0);
        const double* soft = soft_.empty() ? nullptr : soft_.data() + first_[task];
        for_classes(task, [&](std::size_t at, std::size_t, std::size_t size, std::int8_t side) {
            if (!soft) {
                std::fill_n(p.sign.data() + at, size, static_cast<double>(side));
                return;
            }
            for (std::size_t place = at; place < at + size; ++place) {
                const double y = *soft++;
                p.sign[place] = y < 0 ? -1.0 : 1.0;
                p.target[place] = std::abs(y);
            }
        });
    }

    double C_of(std::size_t task) const { return tasks_.C.empty() ? 1.0 : tasks_.C[task]; }
    static double cap_of(double C, double cap) { return cap == 0.0 ? 0.0 : C * cap; }  // C may be infinite

    void set_caps(std::size_t task, const double* cap, BoxProblem& p) const {
        const double C = C_of(task);
        for_classes(task, [&](std::size_t at, std::size_t first, std::size_t size, std::int8_t) {
            for (std::size_t k = 0; k < size; ++k) p.cap[at + k] = cap_of(C, cap[first + k]);
            if (soft_.empty()) return;  // all targets are 1
            for (std::size_t place = at; place < at + size; ++place)
                p.cap[place] = p.target[place] == 0.0 ? 0.0 : p.cap[place] / p.target[place];
        });
    }

    // The solution of a variant with caps `ratio` times smaller, as a start for this problem. It is multiplied by the
    // factor, up to `ratio`, that is best for the objective: 1 where no multiplier had reached its cap.
    static Start grown(const BoxProblem& p, const Solution& smaller, double ratio) {
        double linear = 0;
        for (std::size_t k = 0; k < p.cap.size(); ++k) linear += p.target[k] * smaller.lambda[k];
        double factor = smaller.norm2 > 0 ? std::clamp(linear / smaller.norm2, 1.0, ratio) : 1.0;
        if (factor < 1.01) factor = 1.0;  // the solution itself, to the bit, where there is nothing to gain
        Start start{smaller.lambda, smaller.scores, smaller.drift * factor * factor};
        for (std::size_t k = 0; k < p.cap.size(); ++k) {
            const double own = p.sign[k] * p.target[k];
            start.lambda[k] = std::min(p.cap[k], smaller.lambda[k] * factor);
            if (start.lambda[k] > p.cap[k] * (1 - 1e-12)) start.lambda[k] = p.cap[k];
            if (factor > 1.0) start.scores[k] = own - factor * (own - smaller.scores[k]);
        }
        return start;
    }

    // Memory of a worker: the problem that it solves, and the support vectors that it found.
    struct Worker {
        BoxProblem problem;
        std::vector<std::int32_t> sample;
        std::vector<double> coef, left;
    };

    void fill(std::size_t task, std::size_t variant, const Solution& solution, Worker& worker, Machine& machine) const {
        const BoxProblem& problem = worker.problem;
        if (given_)
            list_given(task, variant, solution.lambda, worker);
        else
            list_distinct(task, solution.lambda, worker);
        machine.sample.assign(worker.sample.begin(), worker.sample.end());
        machine.coef.assign(worker.coef.begin(), worker.coef.end());
        if (!std::is_sorted(machine.sample.begin(), machine.sample.end())) sort_by_sample(machine);
        if (settings_.outside)
            for_classes(task, [&](std::size_t at, std::size_t, std::size_t size, std::int8_t) {
                for (std::size_t place = at; place < at + size; ++place)
                    if (problem.cap[place] == 0)
                        machine.outside.push_back(problem.sign[place] * problem.target[place] - solution.scores[place] +
                                                  solution.bias);
            });
        machine.bias = solution.bias;
        machine.objective = solution.objective;
        machine.norm2 = solution.norm2;
        machine.gap = solution.gap;
        machine.status = solution.status;
        machine.indefinite = solution.indefinite;
    }

    // Lists the support vectors among n samples: visit(add) calls add(sample, sign, lambda) for each. Every sample is
    // written behind the last support vector, and stays if it is one: a branch would be left to chance.
    template <class Visit>
    static void list_support(std::size_t n, Worker& worker, const Visit& visit) {
        worker.sample.resize(n + 1);
        worker.coef.resize(n + 1);
        std::size_t found = 0;
        visit([&](std::size_t sample, double sign, double lambda) {
            worker.sample[found] = static_cast<std::int32_t>(sample);
            worker.coef[found] = sign * lambda;
            found += lambda > 0;
        });
        worker.sample.resize(found);
        worker.coef.resize(found);
    }

    void list_distinct(std::size_t task, const std::vector<double>& lambda, Worker& worker) const {
        list_support(n_samples_of(task), worker, [&](const auto& add) {
            for_classes(task, [&](std::size_t at, std::size_t first, std::size_t size, std::int8_t) {
                for (std::size_t k = 0; k < size; ++k) add(first + k, worker.problem.sign[at + k], lambda[at + k]);
            });
        });
    }

    // The first of equal samples takes what its cap allows, then the next: so few of them are support vectors.
    void list_given(std::size_t task, std::size_t variant, const std::vector<double>& lambda, Worker& worker) const {
        const auto& [duplicates, whole, variants] = *given_;
        const BoxProblem& problem = worker.problem;
        const double* const caps = variants.caps_of(variant);
        const double C = C_of(task);
        worker.left = lambda;
        for (std::size_t k = 0; k < lambda.size(); ++k)  // the sum of caps is rounded
            if (lambda[k] == problem.cap[k]) worker.left[k] = std::numeric_limits<double>::infinity();
        std::size_t n = 0;
        for (const std::int32_t c : tasks_.classes_of(task)) n += whole.class_size(usize(c));
        list_support(n, worker, [&](const auto& add) {
            std::size_t at = 0;
            for (const std::int32_t class_ : tasks_.classes_of(task)) {
                const std::size_t c = usize(class_);
                for (std::size_t k = whole.class_start[c]; k < whole.class_start[c + 1]; ++k) {
                    const std::size_t place = at + usize(duplicates.of()[k]) - problem_.class_start[c];
                    const double taken = std::min(worker.left[place], cap_of(C, caps[k]));
                    worker.left[place] -= taken;
                    add(k, problem.sign[place], taken);
                }
                at += padded(problem_.class_size(c));
            }
        });
    }

    // Where the classes of a task do not ascend.
    static void sort_by_sample(Machine& machine) {
        std::vector<std::pair<std::int32_t, double>> support;
        for (std::size_t i = 0; i < machine.sample.size(); ++i)
            support.emplace_back(machine.sample[i], machine.coef[i]);
        std::sort(support.begin(), support.end());
        for (std::size_t i = 0; i < support.size(); ++i) std::tie(machine.sample[i], machine.coef[i]) = support[i];
    }

    const Problem& problem_;
    const Tasks& tasks_;
    const Variants& variants_;
    std::span<const double> soft_;
    const TrainSettings& settings_;
    const Given* given_;
    std::vector<std::size_t> first_;  // see first_samples
    Precisions engines_;
    std::vector<Worker> workers_;
};

// Tasks in their given order, in which tasks that share a class are near each other. But tasks that are a large part of
// the whole come first, so that none of them runs alone at the end.
std::vector<std::size_t> schedule(const Training& training, std::size_t n_tasks, int n_threads) {
    std::vector<std::size_t> order(n_tasks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double total = 0;
    for (std::size_t t = 0; t < n_tasks; ++t) total += training.cost(t);
    const double large = total / (8.0 * n_threads);
    const auto is_large = [&](std::size_t t) { return training.cost(t) > large; };
    const auto middle = std::stable_partition(order.begin(), order.end(), is_large);
    const auto dearer = [&](std::size_t s, std::size_t t) { return training.cost(s) > training.cost(t); };
    std::stable_sort(order.begin(), middle, dearer);
    return order;
}

}  // namespace

void check(const Tasks& tasks) {
    if (tasks.begin.empty() || tasks.begin.front() != 0 || !std::is_sorted(tasks.begin.begin(), tasks.begin.end()) ||
        usize(tasks.begin.back()) != tasks.classes.size() || tasks.classes.size() != tasks.sides.size())
        throw std::invalid_argument("begin, classes and sides of the tasks do not fit together");
    if (std::any_of(tasks.sides.begin(), tasks.sides.end(), [](std::int8_t side) { return side != 1 && side != -1; }))
        throw std::invalid_argument("sides of the tasks must be 1 or -1");
    if (!std::all_of(tasks.C.begin(), tasks.C.end(), [](double C) { return C > 0; }))
        throw std::invalid_argument("C of the tasks must be positive");
    if (!std::all_of(tasks.gamma.begin(), tasks.gamma.end(), [](double g) { return g > 0 && std::isfinite(g); }))
        throw std::invalid_argument("gamma of the tasks must be positive and finite");
    std::vector<std::int32_t> sorted;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const auto classes = tasks.classes_of(t);
        sorted.assign(classes.begin(), classes.end());
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
            throw std::invalid_argument("task " + std::to_string(t) + " has a class twice");
    }
}

void check(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft) {
    const auto outside = [&](std::int32_t c) { return c < 0 || usize(c) >= problem.n_classes(); };
    if (std::any_of(tasks.classes.begin(), tasks.classes.end(), outside))
        throw std::invalid_argument("a task names a class that the problem does not have");
    if ((!tasks.C.empty() && tasks.C.size() != tasks.size()) ||
        (!tasks.gamma.empty() && tasks.gamma.size() != tasks.size()))
        throw std::invalid_argument("C and gamma of the tasks need one number per task");
    if (variants.n_samples != problem.order.size())
        throw std::invalid_argument("cap needs one number per sample in order");
    if (variants.start.size() != variants.ratio.size() ||
        (!variants.start.empty() && variants.start.size() != variants.n))
        throw std::invalid_argument("start and ratio need one number per variant");
    for (std::size_t v = 0; v < variants.start.size(); ++v)
        if (variants.start[v] >= static_cast<std::int32_t>(v))
            throw std::invalid_argument("a variant can start only from an earlier one");
    if (!soft.empty() && soft.size() != first_samples(problem, tasks).back())
        throw std::invalid_argument("soft needs one label per sample of every task");
}

namespace {

bool train_all(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
               const TrainSettings& settings, const Given* given, const Finished& finished,
               const CheckSignals& check_signals, std::vector<Machine>& machines) {
    Training training(problem, tasks, variants, soft, settings, given);
    const std::vector<std::size_t> order = schedule(training, tasks.size(), settings.n_threads);
    machines.assign(tasks.size() * variants.n, Machine{});
    Stop stop;
    // Workers list the tasks they end under the mutex, which also makes their machines visible to the calling thread.
    std::mutex mutex;
    std::vector<std::size_t> ended;
    const auto work = [&](std::size_t piece, int worker) {
        const std::size_t task = order[piece];
        training.train(task, worker, stop, machines.data() + task * variants.n);
        if (!finished || stop.requested()) return;
        const std::lock_guard lock(mutex);
        ended.push_back(task);
    };
    const auto report = [&] {
        std::vector<std::size_t> now;
        {
            const std::lock_guard lock(mutex);
            now.swap(ended);
        }
        return !now.empty() && finished(now, machines);
    };
    // The report comes first, so that a signal does not lose finished machines.
    const CheckSignals report_and_check = [&] { return report() || (check_signals && check_signals()); };
    const Threads threads{settings.n_threads, finished ? report_and_check : check_signals};
    const bool done = parallel_for(tasks.size(), threads, stop, work);
    return done && !(finished && report());
}

}  // namespace

bool train(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
           const TrainSettings& asked, const Finished& finished, const CheckSignals& check_signals,
           std::vector<Machine>& machines) {
    TrainSettings settings = asked;
    settings.n_threads = threads_worth(problem, tasks, variants, asked);
    // Threads without a task of their own are woken where they can help.
    expect_work(static_cast<int>(std::min(usize(settings.n_threads), tasks.size())));
    // Soft labels, and values on samples of cap 0, belong to each sample alone.
    if (soft.empty() && !settings.outside) {
        Spare spare(settings.n_threads - 1);
        const Duplicates duplicates(problem, spare);
        if (duplicates.any()) {
            const Given given{duplicates, problem, variants};
            const Problem distinct = duplicates.distinct(problem);
            const std::vector<double> sums = duplicates.sums(variants.cap);
            Variants of_sums = variants;
            of_sums.n_samples = distinct.order.size();
            of_sums.cap = sums;
            return train_all(distinct, tasks, of_sums, soft, settings, &given, finished, check_signals, machines);
        }
    }
    return train_all(problem, tasks, variants, soft, settings, nullptr, finished, check_signals, machines);
}

}  // namespace dagmar
