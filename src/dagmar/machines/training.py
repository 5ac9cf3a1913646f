"""Training: from a problem and its tasks to machines, and from machines to a bank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base import threads
from ..base.frozen import FrozenArrays
from ..base.instructions import simd_level
from ..base.lists import join_begins, select_lists
from ..base.typing import Array, Index
from ..problem.choices import NOT_FINITE
from ..problem.problem import Problem
from ..problem.reductions import is_sparse
from ..problem.samples import work_per_value
from ..problem.tasks import Tasks
from .bank import Bank, select_vectors
from .overrides import Overrides, current_overrides
from .report import FitReport

# Steps of the solver take about three times as long as the kernel values between all samples of a machine.
WITH_STEPS = 4.0
# The bank decides in double precision if more than this share of the machines was solved in it.
MOSTLY_SINGLE = 0.1
# The largest limit of solver steps that the core can count to. No fit reaches it.
MOST_STEPS = 2**63 - 1


@dataclass(frozen=True)
class TrainSettings:
    """Settings of the training that do not belong to the problem.

    Attributes
    ----------
    tol : float
        KKT gap below which a machine is finished.
    max_iter : int
        Limit of solver steps per machine; -1 for no limit.
    memory : float
        Bytes for kernel rows, scratch memory and bookkeeping.
    n_threads : int
    level : Level
        Instruction set.
    overrides : Overrides
        Choices that are not left to the core; for tests.
    """

    tol: float = 1e-3
    max_iter: int = -1
    memory: float = 200.0 * 2**20
    n_threads: int = 1
    level: _core.Level = field(default_factory=simd_level)
    overrides: Overrides = field(default_factory=current_overrides)

    def native(self, work_per_square: float, outside: bool = False) -> _core.TrainSettings:
        """Return the settings as an object of the C++ core, for a problem of this `work_per_square`."""
        return _core.TrainSettings(
            tol=self.tol,
            max_iter=min(self.max_iter, MOST_STEPS),
            memory=self.memory,
            n_threads=self.n_threads,
            per_thread=threads.WORTH_A_THREAD / work_per_square,
            level=self.level,
            outside=outside,
            **self.overrides.native(),
        )


@dataclass(frozen=True, eq=False)
class TrainedMachines(FrozenArrays):
    """Machines as training returns them: lists over the training samples in class order.

    Attributes
    ----------
    tasks : Tasks
    begin, sample, coef, bias : ndarray
        Machine m has samples ``sample[begin[m]:begin[m+1]]`` of `Problem.order`, ascending, with coefficients `coef`.
    report : FitReport
    gammas : ndarray of shape (n_machines,) or None
        As in a `Bank`.
    """

    tasks: Tasks
    begin: Index
    sample: NDArray[np.int32]
    coef: Array
    bias: Array
    report: FitReport
    gammas: Array | None = None

    @classmethod
    def from_arrays(cls, tasks: Tasks, out: _core.TrainedMachines, gammas: Array | None = None) -> TrainedMachines:
        """Take the core's arrays; raise ValueError if kernel values were not finite."""
        report = FitReport.from_arrays(out)
        if not report.all_converged:
            _refuse_not_finite(report.status)
        (machines,) = report.records
        bias = np.ascontiguousarray(machines["bias"])
        return cls(tasks, out.begin, out.sample, out.coef, bias, report, gammas)

    @classmethod
    def join(cls, parts: list[TrainedMachines]) -> TrainedMachines:
        """Join the machines of several lots, one lot after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            tasks=Tasks.join([p.tasks for p in parts]),
            begin=join_begins([p.begin for p in parts]),
            sample=np.concatenate([p.sample for p in parts]),
            coef=np.concatenate([p.coef for p in parts]),
            bias=np.concatenate([p.bias for p in parts]),
            report=FitReport.join([p.report for p in parts]),
            gammas=None if parts[0].gammas is None else np.concatenate([p.gammas for p in parts]),
        )

    def select(self, machines: Index) -> TrainedMachines:
        """Select machines, in the given order."""
        begin, entries = select_lists(self.begin, machines)
        return TrainedMachines(
            self.tasks.select(machines), begin, self.sample[entries], self.coef[entries], self.bias[machines],
            self.report.select(machines), None if self.gammas is None else self.gammas[machines],
        )  # fmt: skip


def _refuse_not_finite(status: NDArray[np.int32]) -> None:
    if (status == int(_core.Status.not_finite)).any():
        raise ValueError(f"{NOT_FINITE} Kernel values between training samples are too large, infinite or NaN.")


def train(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    soft: Array | None = None,
    finished: Callable[[Index, TrainedMachines], object] | None = None,
) -> TrainedMachines:
    """Train the machines of `tasks`.

    Parameters
    ----------
    problem : Problem
    tasks : Tasks
    settings : TrainSettings
    soft : ndarray, optional
        Soft labels of each task's samples, one task after the other.
    finished : callable, optional
        Called about every 50 ms and at the end, with the machines that finished since the last call: their places in
        `tasks`, and the machines. An exception that it raises stops the training.

    Returns
    -------
    TrainedMachines
    """

    def hand_on(out: _core.TrainedMachines) -> None:
        if finished is not None:
            some = tasks.select(out.tasks)
            finished(out.tasks, TrainedMachines.from_arrays(some, out, problem.per_pair.of(some)[1]))

    variants = _core.Variants(cap=np.ascontiguousarray(problem.cap[None]))
    out = _train(problem, tasks, settings, variants, soft=soft, finished=hand_on if finished else None)
    return TrainedMachines.from_arrays(tasks, out, problem.per_pair.of(tasks)[1])


@dataclass(frozen=True, eq=False)
class Variants(FrozenArrays):
    """Problems over the same samples and tasks that differ only in their caps, such as the folds and values of C of a search.

    Attributes
    ----------
    cap : ndarray of shape (n_variants, n_samples)
        The largest multiplier of each sample of `Problem.order`; 0 excludes the sample.
    start : ndarray of shape (n_variants,), int32
        The earlier variant whose solution to start from, with caps `ratio` times smaller; -1 for none. Its multipliers are
        scaled by the factor from 1 to `ratio` that improves the objective most. The factor is 1 if none was at its cap.
    ratio : ndarray of shape (n_variants,)
    """

    cap: Array
    start: NDArray[np.int32]
    ratio: Array


def train_variants(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    variants: Variants,
    outside: bool = False,
    soft: Array | None = None,
    finished: Callable[[Index], object] | None = None,
) -> tuple[list[TrainedMachines], list[Array] | None]:
    """Train the machines of `tasks` for several sets of caps. Every kernel row is computed once for all of them.

    Parameters
    ----------
    problem : Problem
        Its own caps are not used.
    tasks : Tasks
    settings : TrainSettings
    variants : Variants
    outside : bool
        Whether to return the values of the machines on samples with cap 0.
    soft : ndarray, optional
        As for `train`, the same for all variants.
    finished : callable, optional
        Called about every 50 ms with the tasks that finished since the last call.

    Returns
    -------
    machines : list of TrainedMachines
        One per variant.
    values : list of ndarray, or None
        For each variant, the values of each machine on the samples of its task with cap 0: task after task, and within a
        task class after class.
    """
    out = _train_all(problem, tasks, settings, variants, outside, soft, finished)
    n = len(variants.start)
    gammas = problem.per_pair.of(tasks)[1]
    every = np.repeat(np.arange(len(tasks)), n)
    machines = TrainedMachines.from_arrays(tasks.select(every), out, None if gammas is None else gammas[every])
    places = [np.arange(v, n * len(tasks), n) for v in range(n)]
    return [machines.select(of_variant) for of_variant in places], _by_variant(out, n) if outside else None


def outside_values(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    variants: Variants,
    soft: Array | None = None,
    finished: Callable[[Index], object] | None = None,
) -> list[Array]:
    """Train the same machines as `train_variants`, and return only their values on samples with cap 0.

    Parameters are those of `train_variants`. For small problems it takes less than half as long.

    Returns
    -------
    list of ndarray
        One per variant, as from `train_variants`.
    """
    out = _train_all(problem, tasks, settings, variants, True, soft, finished)
    _refuse_not_finite(out.machines["status"])
    return _by_variant(out, len(variants.start))


def _train_all(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    variants: Variants,
    outside: bool,
    soft: Array | None,
    finished: Callable[[Index], object] | None,
) -> _core.TrainedMachines:
    """Train the machines of all variants; those of a task follow each other."""
    hand_on = None if finished is None else lambda out: finished(out.tasks)
    native = _core.Variants(cap=np.ascontiguousarray(variants.cap), start=variants.start, ratio=variants.ratio)
    return _train(problem, tasks, settings, native, soft=soft, outside=outside, finished=hand_on)


def _by_variant(out: _core.TrainedMachines, n_variants: int) -> list[Array]:
    """Return the values on samples with cap 0, for each variant."""
    machines = np.arange(len(out.outside_begin) - 1).reshape(-1, n_variants).T
    begin, entries = select_lists(out.outside_begin, machines.ravel())
    values: Array = out.outside[entries]
    return np.split(values, begin[machines.shape[1] : -1 : machines.shape[1]])


def _train(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    variants: _core.Variants,
    *,
    soft: Array | None = None,
    outside: bool = False,
    finished: Callable[[_core.TrainedMachines], object] | None = None,
) -> _core.TrainedMachines:
    """Call the core."""
    C, gamma = problem.per_pair.of(tasks)
    return _core.train(
        problem.native(),
        _core.Tasks(begin=tasks.begin, classes=tasks.classes, sides=tasks.sides, C=C, gamma=gamma),
        variants,
        settings.native(work_per_square(problem), outside),
        soft=soft,
        finished=finished,
    )


def work_per_square(problem: Problem) -> float:
    """Estimate the work of training a machine, divided by the square of its number of samples."""
    rows = None if problem.kernel.name == "precomputed" else problem.rows
    return WITH_STEPS * work_per_value(rows)


def assemble(problem: Problem, machines: TrainedMachines) -> Bank:
    """Put machines into a bank, over the pool of the samples that they use."""
    support, class_start, index = _core.pool(machines.sample, problem.order, problem.class_start)
    precomputed = problem.kernel.name == "precomputed"
    in_double = machines.report.in_double
    single = problem.precision == "single" and problem.single_decisions and not precomputed
    if single:
        single = bool(np.count_nonzero(in_double) <= MOSTLY_SINGLE * len(in_double))
    bank = Bank(
        tasks=machines.tasks,
        vectors=None if precomputed else select_vectors(problem.X, support),
        support=support,
        class_start=class_start,
        begin=machines.begin,
        index=index,
        coef=machines.coef,
        bias=machines.bias,
        kernel=problem.kernel,
        centre=problem.centre,
        precision="single" if single else "double",
        gammas=machines.gammas,
    )
    if problem.centre is not None and is_sparse(problem.X):  # trained as dense samples; sparse ones are not centred
        return replace(bank, centre=None, bias=bank.bias_from(None))
    return bank
