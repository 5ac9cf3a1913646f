"""Mutants: faults planted in a copy of the core. Each must be caught by a named test; none may live.

`python -m fuzzing.mutants` builds the core once without a fault, where the named tests must pass. Then it plants one fault at
a time, compiles what changed, and runs the test named for the fault; if that passes, all quick tests. The build folder,
build/mutants, is kept, so that a second run compiles only what changed. It needs cmake, ninja and nanobind.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "mutants"
CORE = "cpp/core/"
# Faults may ask for any amount of memory. (The thread sanitizer reserves terabytes.)
MEMORY = 4 * 2**30
# What is run if the test named for a mutant does not catch it.
QUICK = [
    "tests/core",
    "tests/robustness/test_truth.py",
    "tests/robustness/test_properties.py",
    "tests/machines/test_bank.py",
]


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Attributes
    ----------
    name : str
    file : str
        Below the root of the project.
    old, new : str
        Text that occurs once in the file, and what it is replaced by.
    test : str
        The test that should catch it, as pytest takes it; "tsan" for the thread sanitizer.
    """

    name: str
    file: str
    old: str
    new: str
    test: str

    @property
    def room(self) -> str:
        """The folder of the core that the file is in."""
        return self.file.removeprefix(CORE).split("/")[0]


# In the order of the rooms; each room has some.
MUTANTS = [
    Mutant(
        "the last piece of shared work is left out",
        CORE + "base/parallel.cpp",
        "parallel_for((n + step - 1) / step, {threads.n, {}}, stop,",
        "parallel_for(n / step, {threads.n, {}}, stop,",
        "tests/core/decide/test_decider.py::test_values_are_those_of_the_formula",
    ),
    Mutant(
        "work that was stopped counts as done",
        CORE + "base/parallel.cpp",
        "    return !stop.requested();\n}",
        "    return true;\n}",
        "tests/machines/test_checkpoint.py::test_ctrl_c_keeps_what_was_finished",
    ),
    Mutant(
        "what a helping thread throws is lost",
        CORE + "base/thread_pool.cpp",
        "if (failure) std::rethrow_exception(failure);",
        "if (failure && !ended) std::rethrow_exception(failure);",
        "tests/core/base/test_parallel.py::test_an_error_in_any_thread_reaches_the_caller",
    ),
    Mutant(
        "the sigmoid of a negative number is positive",
        CORE + "simd/generic/kernels.hpp",
        "z == z ? (z < V{} ? -value : value) : z",
        "z == z ? value : z",
        "tests/core/simd/test_simd.py::test_sigmoid_is_tanh",
    ),
    Mutant(
        "a difference has a sign in a Laplacian distance",
        CORE + "simd/generic/differences.hpp",
        "return magnitude(x - z);",
        "return x - z;",
        "tests/agreement/test_distance_kernels.py::test_machines_are_those_of_the_kernel_matrix",
    ),
    Mutant(
        "a chi-squared term is divided by one of the two values",
        CORE + "simd/generic/differences.hpp",
        "const V difference = x - z, sum = x + z;",
        "const V difference = x - z, sum = x;",
        "tests/agreement/test_distance_kernels.py::test_machines_are_those_of_the_kernel_matrix",
    ),
    Mutant(
        "the last byte of a word is left out of a sum of differences",
        CORE + "simd/generic/codes.hpp",
        "std::uint32_t{0x01010101}",
        "std::uint32_t{0x00010101}",
        "tests/agreement/test_distance_kernels.py::test_features_on_a_grid",
    ),
    Mutant(
        "a step ignores the bound of its second sample",
        CORE + "simd/generic/multipliers.hpp",
        "std::min(step, std::min(high[0] - at[0], at[1] - low[1]));",
        "std::min(step, high[0] - at[0]);",
        "tests/core/simd/test_pair_steps.py::test_steps_reach_the_optimum",
    ),
    Mutant(
        "a sample at its bound may be chosen again",
        CORE + "simd/generic/pair_steps.hpp",
        "not_low.put(a, moved.not_low(0), b, moved.not_low(1));",
        "not_low.put(a, moved.not_low(0), b, moved.not_low(0));",
        "tests/core/solver/test_solver.py::test_takes_the_steps_of_the_reference",
    ),
    Mutant(
        "a quick step takes the curvature of another pair",
        CORE + "simd/generic/pair_steps.hpp",
        "step_to_minimum(a, b, inverses_[kSingle ? a * N + b : 0])",
        "step_to_minimum(a, b, inverses_[kSingle ? b * N + b : 0])",
        "tests/core/simd/test_pair_steps.py::test_rounded_scores_need_about_as_many_steps",
    ),
    Mutant(
        "samples that differ in their last feature count as equal",
        CORE + "samples/duplicates.cpp",
        "return {x.row(usize(i)), nullptr, x.d};",
        "return {x.row(usize(i)), nullptr, x.d - 1};",
        "tests/core/samples/test_duplicates.py::test_no_instruction_set_merges_what_differs",
    ),
    Mutant(
        "the last number of a part may be infinite",
        CORE + "samples/passes.cpp",
        "if (!finite(x.row(0) + begin, end - begin)) found = false;",
        "if (!finite(x.row(0) + begin, end - begin - 1)) found = false;",
        "tests/core/samples/test_finite.py::test_finite_samples",
    ),
    Mutant(
        "a Laplacian value computed again is of squared differences",
        CORE + "samples/kernel.hpp",
        "if (type == KernelType::laplacian) return std::abs(difference);",
        "if (type == KernelType::laplacian) return difference * difference;",
        "tests/robustness/test_truth.py::test_labels_are_true",
    ),
    Mutant(
        "the distance has the wrong sign where a value is computed again",
        CORE + "samples/kernel.cpp",
        "return std::exp(-gamma * inner);",
        "return std::exp(gamma * inner);",
        "tests/core/decide/test_grid.py::test_samples_in_single_precision",
    ),
    Mutant(
        "a norm lacks one of its partial sums",
        CORE + "samples/passes.cpp",
        "for (std::size_t u = 1; u < kSums; ++u) sums[0] += sums[u];",
        "for (std::size_t u = 1; u + 1 < kSums; ++u) sums[0] += sums[u];",
        "tests/core/samples/test_sums.py::test_norms_are_those_of_numpy",
    ),
    Mutant(
        "two rows of zeros have a Tanimoto kernel of 0",
        CORE + "samples/kernel.hpp",
        "return dot + distance == 0.0 ? 1.0 : dot / (dot + distance);",
        "return dot + distance == 0.0 ? 0.0 : dot / (dot + distance);",
        "tests/agreement/test_tanimoto.py::test_rows_of_zeros_are_alike",
    ),
    Mutant(
        "a nonzero of dense samples counts in all later samples of a part",
        CORE + "samples/sparse_copy.hpp",
        "push_back(part.data.size() - before)",
        "push_back(part.data.size())",
        "tests/core/samples/test_sparse_copy.py::test_nonzeros_are_those_of_scipy",
    ),
    Mutant(
        "values a thousandth of a step off have codes",
        CORE + "integers/code_choice.cpp",
        "has_codes[f] = ranges.off[f] <= kOnLattice;",
        "has_codes[f] = ranges.off[f] <= kNearAnchor;",
        "tests/core/integers/test_code_choice.py::test_values_beside_the_lattice_have_no_codes",
    ),
    Mutant(
        "a sample off the grid counts as exact in its codes",
        CORE + "integers/quantized_vectors.cpp",
        "panels.off[lane] = off_of(coded) + off_;",
        "panels.off[lane] = off_;",
        "tests/core/decide/test_grid.py::test_labels_are_those_of_double",
    ),
    Mutant(
        "the narrowest feature tells the step",
        CORE + "integers/step_search.cpp",
        "if (one.extent > widest && is_multiple(one.step, step)) widest = one.extent;",
        "if (one.extent < widest && is_multiple(one.step, step)) widest = one.extent;",
        "tests/core/integers/test_step_search.py::test_the_widest_feature_tells_the_step",
    ),
    Mutant(
        "a feature has the range of its last samples",
        CORE + "integers/survey.cpp",
        "all.high[f] = std::max(all.high[f], here.high[f]);",
        "all.high[f] = here.high[f];",
        "tests/core/integers/test_survey.py::test_surveys_are_those_of_the_reference",
    ),
    Mutant(
        "the last row of a strip has no mirror image",
        CORE + "gram/dense.hpp",
        "this->simd_.transpose(out + first, stride, first, count, out + first * stride, stride);",
        "this->simd_.transpose(out + first, stride, first, count - 1, out + first * stride, stride);",
        "tests/core/train/test_train.py::test_small_tasks_have_the_same_kernel_values_all_at_once_or_row_by_row",
    ),
    Mutant(
        "columns of a given kernel matrix are taken in the order of classes",
        CORE + "gram/precomputed.hpp",
        "static_cast<T>(row[order_[begin + k]])",
        "static_cast<T>(row[begin + k])",
        "tests/core/solver/test_solver.py::test_precomputed_kernel_meets_the_kkt_conditions_in_any_precision",
    ),
    Mutant(
        "similarity leaves out the weight of a row",
        CORE + "gram/similarity.cpp",
        "sum += weight[first + q] * row;",
        "sum += row;",
        "tests/problem/test_separation.py::test_weights_are_repetitions",
    ),
    Mutant(
        "every class has the sizes of the first",
        CORE + "gram/sparse.hpp",
        "sizes_.data() + first_norm_[c]",
        "sizes_.data()",
        "tests/agreement/test_distance_kernels.py::test_machines_are_those_of_the_kernel_matrix",
    ),
    Mutant(
        "every class has the norms of the first",
        CORE + "gram/sparse.hpp",
        "norms_.data() + first_norm_[c], rows_",
        "norms_.data(), rows_",
        "tests/core/samples/test_sparse_lanes.py::test_kernel_values_are_those_of_the_formula",
    ),
    Mutant(
        "a row that is needed again may be dropped",
        CORE + "rows/kept.hpp",
        "last_use_[usize(slot_of_[usize(place)])] = clock_;\n            else",
        "last_use_[usize(slot_of_[usize(place)])] = 0;\n            else",
        "tests/core/train/test_train.py::test_memory_does_not_change_a_bit_where_rows_come_in_batches",
    ),
    Mutant(
        "parts of a row in different classes share a place",
        CORE + "rows/shared.hpp",
        "block = block_[own * n_classes_ + c];",
        "block = block_[own * n_classes_ + own];",
        "tests/core/train/test_train.py::test_small_tasks_have_the_same_kernel_values_all_at_once_or_row_by_row",
    ),
    Mutant(
        "a mirror image begins at the first class",
        CORE + "rows/small.hpp",
        "parts.size_of(j), row(other) + offset, n);",
        "parts.size_of(j), row(other), n);",
        "tests/core/train/test_train.py::test_small_tasks_have_the_same_kernel_values_all_at_once_or_row_by_row",
    ),
    Mutant(
        "scores move by the rows of the last round again",
        CORE + "rows/streamed.hpp",
        "            std::fill(change + first, change + end, T(0));\n",
        "            if (begin > 0) std::fill(change + first, change + end, T(0));\n",
        "tests/machines/test_overrides.py::test_every_source_of_rows_leads_to_the_same_optimum",
    ),
    Mutant(
        "errors of one sign are not measured",
        CORE + "solver/accuracy.hpp",
        "measured_ == 0.0 ? bias_ * f.sum > little * tol_",
        "measured_ == 0.0 ? little < 0.0",
        "tests/core/solver/test_accuracy.py::test_bias_is_measured_if_it_could_matter",
    ),
    Mutant(
        "refined scores count as exact but for their moves",
        CORE + "solver/accuracy.hpp",
        "f.refined ? std::hypot(error_ * f.since, finer_error_ * f.reach)",
        "f.refined ? error_ * f.since",
        "tests/core/solver/test_accuracy.py::test_after_a_refinement_only_the_change_counts",
    ),
    Mutant(
        "the active part has the samples that violate least",
        CORE + "solver/active_part.hpp",
        "return violation(a) > violation(b);",
        "return violation(a) < violation(b);",
        "tests/core/solver/test_active_part.py::test_active_are_the_worst_violators_that_were_in_a_set",
    ),
    Mutant(
        "a free sample of the negative side may not move",
        CORE + "solver/free_step.hpp",
        "free.low.push_back(p_.sign[k] > 0 ? 0.0 : -p_.cap[k]);",
        "free.low.push_back(0.0);",
        "tests/core/solver/test_free_step.py::test_smooth_kernels_at_large_caps",
    ),
    Mutant(
        "a step of all free samples does not balance",
        CORE + "solver/free_system.cpp",
        "step[i] -= mu * ones[i];",
        "step[i] -= mu;",
        "tests/core/solver/test_free_step.py::test_smooth_kernels_at_large_caps",
    ),
    Mutant(
        "samples are removed from a factor in the wrong order",
        CORE + "solver/free_system.cpp",
        "for (std::size_t i = met.size(); i-- > 0;) factor.remove(met[i]);",
        "for (std::size_t i = 0; i < met.size(); ++i) factor.remove(met[i]);",
        "tests/core/solver/test_free_step.py::test_overlapping_classes_at_large_caps",
    ),
    Mutant(
        "fresh scores leave out the samples at their caps",
        CORE + "solver/fresh_scores.hpp",
        "if (lambda[k] == 0.0) continue;",
        "if (lambda[k] == 0.0 || lambda[k] == box.cap[k]) continue;",
        "tests/core/train/test_train.py::test_true_gap_is_below_tol_where_scores_were_refined",
    ),
    Mutant(
        "a multiplier at its cap may grow",
        CORE + "solver/scores.hpp",
        "const bool may_grow = lambda_[k] < p_.cap[k],",
        "const bool may_grow = lambda_[k] <= p_.cap[k],",
        "tests/core/solver/test_scores.py::test_scores_move_with_the_multipliers",
    ),
    Mutant(
        "the bias between two bounds has the wrong sign",
        CORE + "solver/solver.hpp",
        "s.bias = 0.5 * (now.top + now.bottom);",
        "s.bias = -0.5 * (now.top + now.bottom);",
        "tests/core/solver/test_solver.py::test_tiny_caps_leave_no_sample_free",
    ),
    Mutant(
        "the gap is compared with tol without its rounding",
        CORE + "solver/solver.hpp",
        "if (now.top - now.bottom + accuracy_.hidden(footing) < settings_.tol) return",
        "if (now.top - now.bottom < settings_.tol) return",
        "tests/core/train/test_train.py::test_true_gap_is_below_tol_where_working_sets_end_just_below_it",
    ),
    Mutant(
        "coefficients need not add up to zero",
        CORE + "solver/scores.hpp",
        "if (!(std::abs(positive - negative) > kBalance * (positive + negative))) return {};",
        "if (positive + negative >= 0.0) return {};",
        "tests/core/solver/test_solver.py::test_coefficients_add_up_to_zero_after_far_larger_ones",
    ),
    Mutant(
        "a sample may be in a working set twice",
        CORE + "solver/working_set.hpp",
        "members_ += stamp_[k] != round_;",
        "++members_;",
        "tests/core/solver/test_working_set.py::test_half_of_a_set_comes_from_the_one_before",
    ),
    Mutant(
        "a grown start keeps the scores of the smaller caps",
        CORE + "train/box_problems.hpp",
        "start.scores[k] = own - factor * (own - smaller.scores[k]);",
        "start.scores[k] = smaller.scores[k];",
        "tests/core/train/test_variants.py::test_every_variant_is_solved",
    ),
    Mutant(
        "each of equal samples takes the whole multiplier",
        CORE + "train/box_problems.hpp",
        "left[place] -= taken;",
        "left[place] -= 0.0;",
        "tests/core/samples/test_duplicates.py::test_the_first_of_equal_samples_takes_what_it_may",
    ),
    Mutant(
        "a variant may start from itself",
        CORE + "train/tasks.cpp",
        "if (variants.start[v] >= static_cast<std::int32_t>(v))",
        "if (variants.start[v] > static_cast<std::int32_t>(v))",
        "tests/core/train/test_variants.py::test_variant_cannot_start_from_a_later_one",
    ),
    Mutant(
        "workers list finished tasks without the lock",
        CORE + "train/train.cpp",
        "            const std::lock_guard lock(mutex);\n            ended.push_back(task);",
        "            ended.push_back(task);",
        "tsan",
    ),
    Mutant(
        "a bank may name vectors that are not there",
        CORE + "model/bank.cpp",
        "|| (index[begin] >= 0 && usize(index[end - 1]) < n_vectors);",
        "|| index[begin] >= 0;",
        "tests/machines/test_bank.py::test_lists_that_lead_outside_are_refused",
    ),
    Mutant(
        "ties of losses go to the higher class",
        CORE + "model/plan.cpp",
        "first_ = usize(std::min_element(losses_.begin(), losses_.end()) - losses_.begin());",
        "first_ = usize(losses_.rend() - std::min_element(losses_.rbegin(), losses_.rend()) - 1);",
        "tests/structures/test_max_wins.py::test_every_tournament_has_the_answer_of_the_full_vote",
    ),
    Mutant(
        "the first class of a bracket meets the second last",
        CORE + "model/plan.cpp",
        "second_ = usize(list_[list_.size() - 1 - game]);",
        "second_ = usize(list_[list_.size() - 1 - (game + 1) % list_.size()]);",
        "tests/structures/test_bracket.py::test_class_meets_few_others",
    ),
    Mutant(
        "the code of edges takes the first list for a leaf",
        CORE + "model/plan.hpp",
        "return leaf_class(edge) >= n_classes;",
        "return leaf_class(edge) > n_classes;",
        "tests/structures/test_divide_and_conquer.py::test_cap_on_nodes_leaves_lists",
    ),
    Mutant(
        "an edge may lead to the node after the last",
        CORE + "model/plan_check.cpp",
        "if (is_node(e) && usize(e) >= plan_.machine.size())",
        "if (is_node(e) && usize(e) > plan_.machine.size())",
        "tests/test_border.py::test_attacks_are_refused_by_name",
    ),
    Mutant(
        "the loser of a pair goes on as its winner",
        CORE + "model/plan_check.cpp",
        "remove(negative, pair->later);",
        "remove(negative, pair->earlier);",
        "tests/structures/test_plans.py::test_broken_promise_of_unanimity_is_named",
    ),
    Mutant(
        "the last block of samples is left out",
        CORE + "decide/lanes.hpp",
        "parallel_for((ids.size() + width - 1) / width,",
        "parallel_for(ids.size() / width,",
        "tests/core/decide/test_decider.py::test_slicing_changes_nothing",
    ),
    Mutant(
        "a value of exactly zero is for the lower class in lanes",
        CORE + "decide/champions.hpp",
        "(value >= 0) != (j > c)",
        "(value > 0) != (j > c)",
        "tests/core/decide/test_decider.py::test_a_value_of_zero_is_for_the_later_class_of_a_guess",
    ),
    Mutant(
        "a guess is checked with vectors of two classes only",
        CORE + "decide/champions.hpp",
        "if (n_added[j] != v_.bank.lists.n_terms(m)) {",
        "if (n_added[j] > v_.bank.lists.n_terms(m)) {",
        "tests/core/decide/test_choices.py::test_machines_with_vectors_of_a_third_class_are_checked_exactly",
    ),
    Mutant(
        "weights of linear machines are not centred",
        CORE + "decide/linear.hpp",
        "(static_cast<double>(row[f]) - centre[f])",
        "static_cast<double>(row[f])",
        "tests/core/decide/test_decider.py::test_linear_machines_are_weights_where_that_is_less",
    ),
    Mutant(
        "the bound on rounding is a hundred times too small",
        CORE + "decide/rounding.hpp",
        "kBy = kArithmetic<T>;",
        "kBy = {0.01 * kArithmetic<T>.unit};",
        "tests/core/decide/test_decider.py::test_signs_in_single_precision_are_those_of_double",
    ),
    Mutant(
        "a sample keeps the features of the one before it",
        CORE + "decide/sparse_vectors.hpp",
        "if (loaded_) spread(true);",
        "if (loaded_) spread(false);",
        "tests/core/samples/test_sparse_lanes.py::test_labels_do_not_depend_on_the_batch",
    ),
    Mutant(
        "of two classes, each has the probability of the other",
        CORE + "probabilities/coupling.cpp",
        "p[lane] = 1.0 - later[lane];",
        "p[lane] = later[lane];",
        "tests/probabilities/test_coupling.py::test_consistent_pairs_are_found_again",
    ),
]


def table() -> list[str]:
    """The lines of the table of mutants in docs/reliability.md."""
    lines = ["| | room | fault | caught by |", "|---|---|---|---|"]
    for number, mutant in enumerate(MUTANTS):
        test = "the thread sanitizer" if mutant.test == "tsan" else f"`{mutant.test.rpartition('/')[2]}`"
        lines.append(f"| {number} | {mutant.room} | {mutant.name} | {test} |")
    return lines


class Copy:
    """A copy of the project with a build folder of its own, kept from run to run."""

    def __init__(self, folder: Path, tsan: bool = False) -> None:
        self.folder, self.tsan = folder / "source", tsan
        self.build_folder = folder / "build"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in listed.decode().split("\0"):
            if name and (ROOT / name).is_file():
                self._bring(name)
        where = subprocess.run(
            [sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, check=True, text=True
        )
        self._run(
            [
                *("cmake", "-G", "Ninja", "-S", str(self.folder), "-B", str(self.build_folder)),
                f"-DPython_EXECUTABLE={sys.executable}",
                f"-Dnanobind_DIR={where.stdout.strip()}",
                f"-DDAGMAR_TSAN={'ON' if tsan else 'OFF'}",
                "-DDAGMAR_OPTIMISATION=-O1",  # compiles in half the time of -O3
            ]
        )

    def _bring(self, name: str) -> None:
        """Copy a file, unless the copy has its bytes: its time stays, so that nothing is compiled again."""
        there, here = self.folder / name, (ROOT / name).read_bytes()
        if not there.is_file() or there.read_bytes() != here:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(here)

    def _run(self, command: list[str]) -> None:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path})
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {(done.stdout + done.stderr)[-2000:]}")

    def build(self) -> None:
        """Compile what changed, and put the module beside the Python files."""
        self._run(["cmake", "--build", str(self.build_folder)])
        (module,) = self.build_folder.glob("_core*.so")
        # A module that is loaded somewhere must not change under it: hence a new file.
        (self.folder / "src" / "dagmar" / module.name).unlink(missing_ok=True)
        shutil.copy2(module, self.folder / "src" / "dagmar" / module.name)

    def check_import(self) -> None:
        """Raise RuntimeError if tests would import another dagmar, as where it is installed as editable."""
        code = "import dagmar._core; print(dagmar._core.__file__)"
        done = subprocess.run(
            [sys.executable, "-P", "-c", code], env=self._environment(), capture_output=True, check=True, text=True
        )
        if not Path(done.stdout.strip()).is_relative_to(self.folder):
            raise RuntimeError(f"tests would import {done.stdout.strip()}; install dagmar without -e")

    def _environment(self) -> dict[str, str]:
        # A parent's options must not choose other tests; the copy comes before an installed dagmar.
        sanitizer = thread_sanitizer() if self.tsan else {}
        return {**os.environ, "PYTHONPATH": str(self.folder / "src"), "PYTEST_ADDOPTS": "", **sanitizer}

    def test(self, tests: list[str]) -> str | None:
        """Run tests; return the first that fails, or None."""
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", *tests]
        if self.tsan:
            command = [sys.executable, "-P", str(self.folder / "fuzzing" / "threads.py"), "quick"]
        try:
            done = subprocess.run(
                command if self.tsan else ["bash", "-c", f'ulimit -v {MEMORY // 1024}; exec "$@"', "-", *command],
                cwd=self.folder,
                env=self._environment(),
                capture_output=True,
                text=True,
                timeout=600,
            )
        except subprocess.TimeoutExpired:
            return "a test that does not end"
        if done.returncode == 0:
            return None
        if not self.tsan and done.returncode > 1:  # no test failed: pytest could not run them
            raise RuntimeError(f"pytest: {(done.stdout + done.stderr)[-2000:]}")
        told = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        races = [line for line in done.stderr.splitlines() if "WARNING: ThreadSanitizer" in line]
        died = "a signal" if done.returncode < 0 else f"exit code {done.returncode}"
        return (told or races or [died])[0].removeprefix("FAILED ").split(" - ")[0]

    def plant(self, mutant: Mutant, back: bool = False) -> None:
        """Put a fault in, or take it out again."""
        path = self.folder / mutant.file
        text = path.read_text()
        old, new = (mutant.new, mutant.old) if back else (mutant.old, mutant.new)
        if text.count(old) != 1:
            raise RuntimeError(f"{mutant.name}: the text to replace occurs {text.count(old)} times in {mutant.file}")
        path.write_text(text.replace(old, new))


def thread_sanitizer() -> dict[str, str]:
    """Return the environment in which Python runs a module that is built with the thread sanitizer."""
    library = subprocess.run(["g++", "-print-file-name=libtsan.so"], capture_output=True, check=True, text=True).stdout
    return {"LD_PRELOAD": library.strip(), "TSAN_OPTIONS": "exitcode=66 halt_on_error=1", "OPENBLAS_NUM_THREADS": "1"}


def main() -> int:
    """Try the mutants, print a table with a line for each, and return how many live."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing.mutants", description=__doc__)
    parser.add_argument("--only", nargs="*", type=int, help="numbers of mutants; by default all")
    parser.add_argument("--list", action="store_true", help="print the table of docs/reliability.md and end")
    options = parser.parse_args()
    if options.list:
        print("\n".join(table()))
        return 0
    chosen = [(n, m) for n, m in enumerate(MUTANTS) if options.only is None or n in options.only]
    lives = 0
    width = max(len(m.name) for _, m in chosen)
    for tsan in (False, True):
        # One file after the other: planting a second fault in a file takes the first one out, in one compilation.
        group = sorted(((n, m) for n, m in chosen if (m.test == "tsan") == tsan), key=lambda pair: pair[1].file)
        if not group:
            continue
        begun = time.monotonic()
        copy = Copy(FOLDER / ("tsan" if tsan else "plain"), tsan)
        copy.build()
        copy.check_import()
        wrong = copy.test(sorted({m.test for _, m in group}))
        if wrong:
            raise RuntimeError(f"a test fails without a fault: {wrong}")
        print(f"{'':>2}  {'(no fault)':{width}}  {time.monotonic() - begun:4.0f} s  passes", flush=True)
        for number, mutant in group:
            begun = time.monotonic()
            copy.plant(mutant)
            copy.build()
            caught = copy.test([mutant.test]) or (None if tsan else copy.test(QUICK))
            copy.plant(mutant, back=True)
            lives += caught is None
            result = f"caught by {caught}" if caught else "LIVES"
            print(f"{number:>2}  {mutant.name:{width}}  {time.monotonic() - begun:4.0f} s  {result}", flush=True)
    print(f"{len(chosen)} mutants, {lives} live")
    return lives


if __name__ == "__main__":
    raise SystemExit(main())
