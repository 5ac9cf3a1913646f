"""The bank: all machines of a fit over one pool of support vectors, each stored once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from . import _core
from .frozen import FrozenArrays
from .kernels import Kernel
from .problem import Problem, as_data
from .report import FitReport
from .tasks import Tasks, all_pairs
from .typing import Array, Features, Index

# Share of machines that needed double precision from which on the whole bank decides in it.
MOSTLY_SINGLE = 0.1


class AnyBank(FrozenArrays):
    """What a structure may know of machines, whatever they are: which questions they answer.

    Attributes
    ----------
    tasks : Tasks
        The question of each machine.
    """

    tasks: Tasks

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return len(self.tasks)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        raise NotImplementedError

    @cached_property
    def all_pairs(self) -> bool:
        """Whether the machines are those of all pairs, in the order (0, 1), (0, 2), ..."""
        pairs = all_pairs(self.n_classes)
        return np.array_equal(self.tasks.classes, pairs.classes) and np.array_equal(self.tasks.sides, pairs.sides)

    @property
    def pairs(self) -> Index:
        """The pair (i, j) of each machine, shape (n_machines, 2), for a bank of pairs."""
        if not self.tasks.pairwise:
            raise AttributeError("this bank holds machines that are not pairs of classes")
        return self.tasks.pairs

    @cached_property
    def machine_of(self) -> Index:
        """The machine of each pair in either order, -1 where there is none; shape (n_classes, n_classes)."""
        table = np.full((self.n_classes, self.n_classes), -1, dtype=np.int64)
        i, j = self.pairs.T
        table[i, j] = table[j, i] = np.arange(self.n_machines)
        return table


@dataclass(frozen=True, eq=False)
class Bank(AnyBank):
    """Trained machines, as frozen arrays.

    Machine m has value ``sum(coef[t] * K(vectors[index[t]], x)) + bias[m]`` over t in ``begin[m]:begin[m+1]``; a
    positive value speaks for the classes on the positive side of its task (for a pair (i, j), for j).

    Attributes
    ----------
    tasks : Tasks
        The question of each machine.
    vectors : ndarray or CSR matrix of shape (n_vectors, n_features), or None
        The distinct support vectors, grouped by class; None for precomputed kernels.
    support : ndarray of shape (n_vectors,), int64
        Their places in the training data.
    class_start : ndarray of shape (n_classes + 1,), int64
        Where each class begins among them.
    begin, index, coef, bias : ndarray
        The machines.
    kernel : Kernel
    centre : ndarray of shape (n_features,) or None
        Taken from samples and vectors before the kernel sees them.
    precision : {"single", "double"}
        What decisions are computed in. Signs are those of double precision in any case.
    gammas : ndarray of shape (n_machines,) or None
        What each machine has in place of the gamma of the (rbf) kernel; None if all have that one.
    """

    tasks: Tasks
    vectors: Features
    support: Index
    class_start: Index
    begin: Index
    index: NDArray[np.int32]
    coef: Array
    bias: Array
    kernel: Kernel
    centre: Array | None = None
    precision: str = "double"
    gammas: Array | None = None
    _machines: list[_core.Machines] = field(default_factory=list, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        # The native form is a cache: made on first use, never stored.
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "_machines"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_machines", [])
        self.__post_init__()

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_start) - 1

    @property
    def n_vectors(self) -> int:
        """Number of distinct support vectors."""
        return len(self.support)

    @cached_property
    def norm2(self) -> Array:
        """Squared norm of each machine's weight vector in kernel space: the sum of coef times (value - bias)."""
        if self.vectors is None:
            raise ValueError("the norm of a machine over a precomputed kernel is not known from the bank alone")
        norm2: Array = np.zeros(self.n_machines)
        for first in range(0, self.n_vectors, 1024):
            last = min(first + 1024, self.n_vectors)
            norm2 += self.norm2_terms(first, last, self.vectors[first:last])[0]
        return norm2

    def norm2_terms(self, first: int, last: int, vectors: Features, n_threads: int = 1) -> tuple[Array, Array]:
        """What some of the vectors add to `norm2`.

        Parameters
        ----------
        first, last : int
            From this vector to the one before that.
        vectors : ndarray or CSR matrix of shape (last - first, n_features)
            They themselves; for a precomputed kernel, their rows of the kernel matrix.
        n_threads : int

        Returns
        -------
        terms, sizes : ndarrays of shape (n_machines,)
            What is added to each machine's, and the sum of its absolute values, by which rounding is judged.
        """
        here = np.flatnonzero((self.index >= first) & (self.index < last))
        machine = np.searchsorted(self.begin, here, side="right") - 1
        values = self.machines.values(as_data(vectors), False, n_threads)
        terms = self.coef[here] * (values[self.index[here] - first, machine] - self.bias[machine])
        added, sizes = np.zeros((2, self.n_machines))
        np.add.at(added, machine, terms)
        np.add.at(sizes, machine, np.abs(terms))
        return added, sizes

    def take(self, machines: Index, precision: str | None = None) -> Bank:
        """Some of the machines, in the order given, over the vectors that they use; in another precision, if one is named."""
        sizes = np.diff(self.begin)[machines]
        begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entry = np.arange(begin[-1]) + np.repeat(self.begin[machines] - begin[:-1], sizes)
        used = np.zeros(self.n_vectors, dtype=bool)
        used[self.index[entry]] = True
        counted = np.concatenate([[0], np.cumsum(used)])
        return Bank(
            tasks=self.tasks.take(machines),
            vectors=None if self.vectors is None else _rows(self.vectors, np.flatnonzero(used)),
            support=self.support[used],
            class_start=counted[self.class_start].astype(np.int64),
            begin=begin,
            index=counted[self.index[entry]].astype(np.int32),
            coef=self.coef[entry],
            bias=self.bias[machines],
            kernel=self.kernel,
            centre=self.centre,
            precision=self.precision if precision is None else precision,
            gammas=None if self.gammas is None else self.gammas[machines],
        )

    @property
    def size_in_parameters(self) -> int:
        """Stored feature values, plus coefficients, plus one threshold per machine: Platt's measure of a classifier.

        Machines with gammas of their own store these, too.
        """
        stored = 0 if self.vectors is None else self.vectors.size  # of a sparse matrix: its nonzeros
        return int(stored) + len(self.coef) + self.n_machines * (1 if self.gammas is None else 2)

    @property
    def machines(self) -> _core.Machines:
        """The native form of the bank."""
        if not self._machines:
            vectors, class_start, index, gammas = self._pool()
            self._machines.append(
                _core.Machines(
                    None if vectors is None else as_data(vectors),
                    self.support,
                    class_start,
                    self.begin,
                    index,
                    self.coef,
                    self.bias,
                    self.kernel.native(),
                    self.centre,
                    self.precision == "single",
                    _core.best_level(),
                    gammas,
                )
            )
        return self._machines[0]

    def _pool(self) -> tuple[Features, Index, NDArray[np.int32], Array | None]:
        """The vectors as the core holds them, once for each gamma they are used with: these, class_start, index, gammas."""
        if self.gammas is None:
            return self.vectors, self.class_start, self.index, None
        distinct, rank = np.unique(self.gammas, return_inverse=True)
        used = self.index.astype(np.int64) * len(distinct) + np.repeat(rank, np.diff(self.begin))
        entry, index = np.unique(used, return_inverse=True)  # by vector, then by gamma: lists stay ascending
        vector, rank = np.divmod(entry, len(distinct))
        class_start = np.searchsorted(vector, self.class_start).astype(np.int64)
        return _rows(self.vectors, vector), class_start, index.astype(np.int32), distinct[rank]


@dataclass(frozen=True)
class TrainSettings:
    """What training is told, apart from the problem.

    Attributes
    ----------
    tol : float
        KKT gap at which a machine is done.
    max_iter : int
        Limit of solver steps per machine, -1 for none.
    memory : float
        Bytes for kernel rows.
    n_threads : int
    level : Level
        Instruction set.
    """

    tol: float = 1e-3
    max_iter: int = -1
    memory: float = 200.0 * 2**20
    n_threads: int = 1
    level: _core.Level = field(default_factory=_core.best_level)


@dataclass(frozen=True, eq=False)
class Machines(FrozenArrays):
    """Machines as training leaves them: lists over the training samples in class order.

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
    def from_arrays(cls, tasks: Tasks, out: dict[str, Any], gammas: Array | None = None) -> Machines:
        """Take the core's arrays."""
        return cls(tasks, out["begin"], out["sample"], out["coef"], out["bias"], FitReport.from_arrays(out), gammas)

    @classmethod
    def join(cls, parts: list[Machines]) -> Machines:
        """All machines of several lots, one lot after the other."""
        if len(parts) == 1:
            return parts[0]
        shift = np.cumsum([0, *(p.begin[-1] for p in parts)])
        return cls(
            tasks=Tasks.join([p.tasks for p in parts]),
            begin=np.concatenate([[0], *(p.begin[1:] + s for p, s in zip(parts, shift, strict=False))]).astype(
                np.int64
            ),
            sample=np.concatenate([p.sample for p in parts]),
            coef=np.concatenate([p.coef for p in parts]),
            bias=np.concatenate([p.bias for p in parts]),
            report=FitReport.join([p.report for p in parts]),
            gammas=None if parts[0].gammas is None else np.concatenate([p.gammas for p in parts]),
        )

    def take(self, machines: Index) -> Machines:
        """Some of the machines, in the order given."""
        sizes = np.diff(self.begin)[machines]
        begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entry = np.arange(begin[-1]) + np.repeat(self.begin[machines] - begin[:-1], sizes)
        return Machines(
            self.tasks.take(machines), begin, self.sample[entry], self.coef[entry], self.bias[machines],
            self.report.take(machines), None if self.gammas is None else self.gammas[machines],
        )  # fmt: skip


def train(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    soft: Array | None = None,
    finished: Callable[[Index, Machines], object] | None = None,
) -> Machines:
    """Train the machines of `tasks`.

    Parameters
    ----------
    problem : Problem
    tasks : Tasks
    settings : TrainSettings
    soft : ndarray, optional
        Soft labels of each task's samples, one task after the other.
    finished : callable, optional
        Called now and then, and at the end, with the machines that ended since its last call: their places in `tasks`,
        and the machines. What it raises stops the training.

    Returns
    -------
    Machines
    """

    def hand_on(out: dict[str, Any]) -> None:
        if finished is not None:
            some = tasks.take(out["task"])
            finished(out["task"], Machines.from_arrays(some, out, problem.own.of(some)[1]))

    out = _train(problem, tasks, settings, problem.cap[None], soft=soft, finished=hand_on if finished else None)
    return Machines.from_arrays(tasks, out, problem.own.of(tasks)[1])


@dataclass(frozen=True, eq=False)
class Variants(FrozenArrays):
    """Problems over the same samples and tasks that differ in their caps, as the folds and values of C of a search do.

    Attributes
    ----------
    cap : ndarray of shape (n_variants, n_samples)
        The largest multiplier of each sample of `Problem.order`; 0 leaves it out.
    start : ndarray of shape (n_variants,), int32
        An earlier variant to start from, whose caps are `ratio` times smaller; -1 for none. Its multipliers grow, up to that
        ratio, as far as the objective gains by it: not at all where none of them was at its cap.
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
    finished: Callable[[Index], object] | None = None,
) -> tuple[list[Machines], list[Array] | None]:
    """Train the machines of `tasks` for several sets of caps, with every kernel row computed once for all of them.

    Parameters
    ----------
    problem : Problem
        Its own caps are not used.
    tasks : Tasks
    settings : TrainSettings
    variants : Variants
    outside : bool
        Whether the machines' values on samples of cap 0 are wanted.
    finished : callable, optional
        Called now and then with the tasks that ended since its last call.

    Returns
    -------
    machines : list of Machines
        One per variant.
    values : list of ndarray, or None
        Per variant, the values of each machine on its task's samples of cap 0, class after class in the order of the task,
        one task after the other.
    """
    hand_on = None if finished is None else lambda out: finished(out["task"])
    n = len(variants.start)
    out = _train(problem, tasks, settings, variants.cap, variants=variants, outside=outside, finished=hand_on)
    gammas = problem.own.of(tasks)[1]
    every = np.repeat(np.arange(len(tasks)), n)
    machines = Machines.from_arrays(tasks.take(every), out, None if gammas is None else gammas[every])
    places = [np.arange(v, n * len(tasks), n) for v in range(n)]
    values = None
    if outside:
        ends = np.split(out["outside"], out["outside_begin"][1:-1])
        values = [np.concatenate([ends[place] for place in own]) for own in places]
    return [machines.take(own) for own in places], values


def _train(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    cap: Array,
    *,
    soft: Array | None = None,
    variants: Variants | None = None,
    outside: bool = False,
    finished: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """One call of the core."""
    n, d = problem.X.shape
    C, gammas = problem.own.of(tasks)
    return _core.train(
        as_data(problem.X),
        problem.order,
        problem.class_start,
        problem.kernel.native(),
        problem.centre,
        problem.single,
        problem.kernel_error,
        tasks.begin,
        tasks.classes,
        tasks.sides,
        np.ascontiguousarray(cap),
        soft,
        settings.tol,
        settings.max_iter,
        settings.memory,
        settings.n_threads,
        n * n * d * len(cap) < 2**21,  # done before threads would have started
        settings.level,
        task_gamma=gammas,
        task_scale=C,
        start=None if variants is None else variants.start,
        ratio=None if variants is None else variants.ratio,
        outside=outside,
        finished=finished,
    )


def assemble(problem: Problem, machines: Machines) -> Bank:
    """Gather machines in a bank, over the pool of the samples they use."""
    used = np.zeros(len(problem.order), dtype=bool)
    used[machines.sample] = True
    place = (np.cumsum(used) - 1).astype(np.int32)  # of a training sample in the pool
    support = np.ascontiguousarray(problem.order[used])
    precomputed = problem.kernel.name == "precomputed"
    single = problem.single and not precomputed and machines.report.refined.mean() <= MOSTLY_SINGLE
    return Bank(
        tasks=machines.tasks,
        vectors=None if precomputed else _rows(problem.X, support),
        support=support,
        class_start=np.concatenate([[0], np.cumsum(used)])[problem.class_start].astype(np.int64),
        begin=machines.begin,
        index=place[machines.sample],
        coef=machines.coef,
        bias=machines.bias,
        kernel=problem.kernel,
        centre=problem.centre,
        precision="single" if single else "double",
        gammas=machines.gammas,
    )


def _rows(X: Features, index: Index) -> Features:
    rows = X[index]
    if sp.issparse(rows):
        rows.sort_indices()
        return rows
    return np.ascontiguousarray(rows)
