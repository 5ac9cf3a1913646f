// Training in two precisions: single first, where the problem asks for it, and double where single is too coarse.
#pragma once

#include <memory>
#include <mutex>

#include "train/engine.hpp"

namespace dagmar {

// The engines of both precisions, for all workers. The double one beside a single one is made when the first task needs
// it, and shares nothing between tasks.
class Precisions {
   public:
    // sizes: samples of each task.
    Precisions(const Problem& problem, const Tasks& tasks, const TrainSettings& settings,
               std::vector<std::size_t> sizes);

    // The rows of one task, and its solver. Used by one worker; end() must be called once it is done.
    class TaskSolver {
       public:
        // keeps_single: whether single rows are needed again after a problem was solved in double (other variants).
        TaskSolver(Precisions& engines, std::size_t task, int worker, bool keeps_single);

        // Adds counts to the machine, and notes there whether double precision refined its scores or solved it again.
        Solution solve(const BoxProblem& problem, Start start, Stop& stop, Machine& machine);
        void end();

       private:
        Solution solve_in_double(const BoxProblem& problem, Start start, Stop& stop, Machine& machine);

        Precisions& engines_;
        std::size_t task_;
        int worker_;
        bool keeps_single_;
        TaskRows<float> single_rows_;
        TaskRows<double> double_rows_;
    };

    Spare& spare() { return spare_; }

   private:
    Engine<double>& refiner();

    const Problem& problem_;
    const Tasks& tasks_;
    const TrainSettings& settings_;
    Spare spare_;
    RowMemory memory_;
    std::unique_ptr<Engine<float>> single_;   // null if the problem is in double precision
    std::unique_ptr<Engine<double>> double_;  // beside a single one: null until refiner() makes it
    std::once_flag made_;
};

}  // namespace dagmar
