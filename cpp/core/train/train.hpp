// All machines of a fit: one box-constrained problem per task and variant, in parallel.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "train/engine.hpp"

namespace dagmar {

// Called by the calling thread, about every 50 ms and at the end, with the tasks that ended since the last call; their
// machines are complete and do not change any more. True asks for an early end.
using Finished = std::function<bool(const std::vector<std::size_t>& tasks, const std::vector<Machine>& machines)>;

// soft: empty, or for every task the soft labels of its samples (class after class), one task after the other; their
// signs and sizes replace the task's sides and the targets. machines[t * variants.n + v] is task t in variant v.
// `finished` may be empty. Returns false if it or a signal asked to stop; then `machines` is incomplete.
bool train(const Problem& problem, const Tasks& tasks, const Variants& variants, std::span<const double> soft,
           const TrainSettings& settings, const Finished& finished, const CheckSignals& check_signals,
           std::vector<Machine>& machines);

}  // namespace dagmar
