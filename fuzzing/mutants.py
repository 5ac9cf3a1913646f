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


MUTANTS = [
    Mutant(
        "the bound on rounding is a hundred times too small",
        CORE + "decide_rounding.hpp",
        "sizes_(vectors.bank, kArithmetic<T>, threads)",
        "sizes_(vectors.bank, {0.01 * kArithmetic<T>.unit}, threads)",
        "tests/core/test_decide.py::test_signs_in_single_precision_are_those_of_double",
    ),
    Mutant(
        "the code of edges takes the first list for a leaf",
        CORE + "plan.hpp",
        "return leaf_class(edge) >= n_classes;",
        "return leaf_class(edge) > n_classes;",
        "tests/structures/test_divide_and_conquer.py::test_cap_on_nodes_leaves_lists",
    ),
    Mutant(
        "ties of losses go to the higher class",
        CORE + "plan.cpp",
        "losses_[c] < losses_[best]",
        "losses_[c] <= losses_[best]",
        "tests/structures/test_max_wins.py",
    ),
    Mutant(
        "a value of exactly zero is for the lower class in lanes",
        CORE + "decide_champions.cpp",
        "(q.value >= 0) != (q.reason > usize(c))",
        "(q.value > 0) != (q.reason > usize(c))",
        "tests/core/test_decide.py::test_a_value_of_zero_is_for_the_later_class_of_a_guess",
    ),
    Mutant(
        "the bias between two bounds has the wrong sign",
        CORE + "smo.cpp",
        "s.bias = 0.5 * (now.top + now.bottom);",
        "s.bias = -0.5 * (now.top + now.bottom);",
        "tests/core/test_smo.py::test_tiny_caps_leave_no_sample_free",
    ),
    Mutant(
        "a multiplier at its cap may grow",
        CORE + "smo.cpp",
        "const bool may_grow = lambda_[k] < p_.cap[k],",
        "const bool may_grow = lambda_[k] <= p_.cap[k],",
        "tests/core/test_smo.py::test_answer_meets_the_kkt_conditions",
    ),
    Mutant(
        "the last block of samples is left out",
        CORE + "decide_alone.hpp",
        "const std::size_t n_pieces = (ids.size() + piece_size - 1) / piece_size;",
        "const std::size_t n_pieces = ids.size() / piece_size;",
        "tests/core/test_decide.py::test_slicing_changes_nothing",
    ),
    Mutant(
        "a bank may name vectors that are not there",
        CORE + "bank.cpp",
        "there &= index[begin] >= 0 && usize(index[end - 1]) < n_vectors;",
        "there &= index[begin] >= 0;",
        "tests/machines/test_bank.py::test_lists_that_lead_outside_are_refused",
    ),
    Mutant(
        "the gap is compared with tol without its rounding",
        CORE + "smo.cpp",
        "now.top - now.bottom + hidden() < settings_.tol;",
        "now.top - now.bottom < settings_.tol;",
        "tests/core/test_train.py::test_true_gap_is_below_tol_where_working_sets_end_just_below_it",
    ),
    Mutant(
        "a sample keeps the features of the one before it",
        CORE + "decide_sparse.cpp",
        "if (loaded_) spread(true);",
        "if (loaded_) spread(false);",
        "tests/core/test_sparse_lanes.py::test_labels_do_not_depend_on_the_batch",
    ),
    Mutant(
        "the distance has the wrong sign where a value is computed again",
        CORE + "kernel.cpp",
        "return std::exp(-gamma * distance);",
        "return std::exp(gamma * distance);",
        "tests/core/test_decide.py",
    ),
    Mutant(
        "the first class of a bracket meets the second last",
        CORE + "plan.cpp",
        "second_ = usize(list_[list_.size() - 1 - game]);",
        "second_ = usize(list_[list_.size() - 1 - (game + 1) % list_.size()]);",
        "tests/structures/test_bracket.py",
    ),
    Mutant(
        "a variant may start from itself",
        CORE + "train.cpp",
        "if (variants.start[v] >= static_cast<std::int32_t>(v))",
        "if (variants.start[v] > static_cast<std::int32_t>(v))",
        "tests/core/test_variants.py::test_variant_cannot_start_from_a_later_one",
    ),
    Mutant(
        "workers list finished tasks without the lock",
        CORE + "train.cpp",
        "        const std::lock_guard lock(mutex);\n        ended.push_back(task);",
        "        ended.push_back(task);",
        "tsan",
    ),
]


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
    parser.add_argument("--list", action="store_true", help="print the mutants and end")
    options = parser.parse_args()
    chosen = [(n, m) for n, m in enumerate(MUTANTS) if options.only is None or n in options.only]
    if options.list:
        print("\n".join(f"{n}. {m.name} ({m.file}; {m.test})" for n, m in chosen))
        return 0
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
