"""Cross-fitting: the machines of all folds and values of C are trained together, with their values on held-out samples.

For one kernel, all folds and all values of C are problems over the same samples. They differ only in the caps of the
multipliers: a sample that is held out has cap 0. So they are trained together (`train_variants`): every kernel row is computed
once for all of them, and each machine starts from the solution for the previous C.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index, Labels
from ..problem.problem import Problem
from ..problem.separation import Moments
from ..problem.soft_labels import Labeller, soft_labels
from ..problem.tasks import Tasks
from .folds import Fold
from .training import TrainedMachines, TrainSettings, Variants, outside_values, train_variants
from .workshop import Workshop


def variants(cap: Array, Cs: Array) -> Variants:
    """Return the problems of all folds and values of C, fold after fold, with C increasing within a fold.

    Within a fold each problem starts from the solution of the previous one.

    Parameters
    ----------
    cap : ndarray of shape (n_folds, n_samples)
        The caps of each fold for C = 1, in the order of the problem.
    Cs : ndarray of shape (n_Cs,)
        Values of C, ascending.

    Returns
    -------
    Variants
    """
    n = len(cap) * len(Cs)
    start = np.arange(-1, n - 1, dtype=np.int32)
    start[:: len(Cs)] = -1
    growth = np.concatenate([[1.0], Cs[1:] / Cs[:-1]])
    return Variants((cap[:, None] * Cs[:, None]).reshape(n, -1), start, np.tile(growth, len(cap)))


@dataclass(frozen=True, eq=False)
class FoldMachines:
    """The machines of one fold.

    Attributes
    ----------
    machines : list of TrainedMachines
        One entry per value of C, ascending; samples are positions in the order of the whole problem.
    outside : list of ndarray
        The values of the machines on the held-out samples, in the order of `HeldOut`; one entry per value of C. Empty if they
        were not requested.
    """

    machines: list[TrainedMachines]
    outside: list[Array]


def cross_fit(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    folds: Sequence[Fold],
    Cs: Array,
    *,
    outside: bool = False,
    finished: Callable[[Index], object] | None = None,
) -> list[FoldMachines]:
    """Train the machines of `tasks` on every fold and for every C, all together.

    Parameters
    ----------
    problem : Problem
        The problem of all samples; its caps are not used.
    tasks : Tasks
    settings : TrainSettings
    folds : sequence of Fold
        Each must have training samples of every class.
    Cs : ndarray of shape (n_Cs,)
        Values of C, ascending.
    outside : bool
        Whether to return the values on held-out samples.
    finished : callable, optional
        Called from time to time with the indices of the tasks that were finished, on all folds and for all C, since the
        last call.

    Returns
    -------
    list of FoldMachines
        One per fold.
    """
    cap = np.array([fold.cap[problem.order] for fold in folds])
    machines, values = train_variants(problem, tasks, settings, variants(cap, Cs), outside, finished=finished)
    parts = [slice(f * len(Cs), (f + 1) * len(Cs)) for f in range(len(folds))]
    return [FoldMachines(machines[part], [] if values is None else values[part]) for part in parts]


def cross_values(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    cap: Array,
    weight: Array,
    Cs: Array,
    *,
    soft: int | Labeller | None = None,
    finished: Callable[[Index], object] | None = None,
) -> list[list[Array]]:
    """Train as `cross_fit` does, and return only the values of the machines on held-out samples.

    Parameters
    ----------
    problem : Problem
    tasks : Tasks
    settings : TrainSettings
    cap, weight : ndarray of shape (n_folds, n_samples)
        The caps for C = 1 and the weights of each fold, in the order of the problem; 0 for samples that are held out.
    Cs : ndarray of shape (n_Cs,)
        Values of C, ascending.
    soft : int, callable or None
        As for `Workshop`. Soft labels depend on the neighbours in the fold, so the folds are then trained one by one.
    finished : callable, optional
        As for `cross_fit`.

    Returns
    -------
    list of lists of ndarray
        For each fold and C, the values in the order of `HeldOut`.
    """
    n = len(Cs)
    if not len(cap):
        return []
    if soft is None:
        values = outside_values(problem, tasks, settings, variants(cap, Cs), finished=finished)
        return [values[f : f + n] for f in range(0, len(values), n)]
    out = []
    for f in range(len(cap)):
        labels = soft_labels(replace(problem, weight=weight[f]), tasks, soft, settings.n_threads)
        # The tasks are finished on all folds when they are on the last.
        hand_on = finished if f == len(cap) - 1 else None
        out.append(outside_values(problem, tasks, settings, variants(cap[f : f + 1], Cs), labels, hand_on))
    return out


@dataclass(frozen=True, eq=False)
class HeldOut(FrozenArrays):
    """The machine and the sample of each held-out value.

    Attributes
    ----------
    machine : ndarray of int64
        The index in `tasks`.
    place : ndarray of int64
        The sample, as a position in the order of the problem.
    positive : ndarray of bool
        Whether the class of the sample is on the positive side of the machine.
    """

    machine: Index
    place: Index
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem, cap: Array, tasks: Tasks) -> HeldOut:
        """Return the entries of all folds: the samples of cap 0, ordered by fold, then by task, then by class.

        Parameters
        ----------
        problem : Problem
        cap : ndarray of shape (n_folds, n_samples)
            In the order of the problem.
        tasks : Tasks

        Returns
        -------
        HeldOut
        """
        (n_folds, n), n_classes = cap.shape, problem.n_classes
        places = np.flatnonzero(cap == 0)  # not in the fold, or in it with weight 0
        first_of_fold = n * np.arange(n_folds)[:, None]
        begin = np.searchsorted(places, first_of_fold + problem.class_start)
        lists = (n_classes * np.arange(n_folds)[:, None] + tasks.classes).ravel()  # classes of tasks, for each fold
        sizes = np.diff(begin).ravel()[lists]
        ends = np.cumsum(sizes)
        entry = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin[:, :-1].ravel()[lists] - ends + sizes, sizes)
        machine = np.repeat(np.arange(len(tasks)), np.diff(tasks.begin))
        return cls(
            np.repeat(np.tile(machine, n_folds), sizes),
            places[entry] % n,
            np.repeat(np.tile(tasks.sides > 0, n_folds), sizes),
        )


class FoldFacts:
    """The problem of one fold for C = 1, and the facts about its classes that do not depend on C.

    Parameters
    ----------
    problem : Problem
        The problem of all samples.
    fold : Fold
    """

    def __init__(self, problem: Problem, fold: Fold) -> None:
        inside = fold.times[problem.order] > 0
        self._place = (np.cumsum(inside) - 1).astype(np.int32)  # position of a sample within the fold
        self.problem = problem.part(inside, fold.weight[problem.order], fold.cap[problem.order])
        self.similarity: dict[int | None, Array] = {}
        self.moments: Moments | None = None

    def renumbered(self, machines: TrainedMachines) -> TrainedMachines:
        """Return machines of the whole problem as machines of the problem of the fold."""
        return replace(machines, sample=self._place[machines.sample])


class FoldWorkshop(Workshop):
    """The workshop for one C on one fold. It has trained machines; facts that do not depend on C are computed only once.

    A structure may request more machines; they are trained on the samples of the fold.

    Parameters
    ----------
    labels : ndarray of shape (n_classes,)
    settings : TrainSettings
    facts : FoldFacts
    C : float
    machines : TrainedMachines
        Machines of the whole problem.
    """

    def __init__(
        self, labels: Labels, settings: TrainSettings, facts: FoldFacts, C: float, machines: TrainedMachines
    ) -> None:
        super().__init__(labels, replace(facts.problem, cap=C * facts.problem.cap), settings)
        self._parts = [facts.renumbered(machines)]
        self._facts = facts
        self.trained_more = False

    def _add(self, tasks: Tasks) -> None:
        self.trained_more = True
        super()._add(tasks)

    def similarity(self, max_samples: int | None = None) -> Array:
        """Return the mean kernel value between the samples of every two classes, shape (n_classes, n_classes)."""
        known = self._facts.similarity
        if max_samples not in known:
            known[max_samples] = super().similarity(max_samples)
        return known[max_samples]

    @property
    def moments(self) -> Moments:
        """Means and variances of the classes."""
        if self._facts.moments is None:
            self._facts.moments = Moments.of(self._data(), self.settings.n_threads)
        return self._facts.moments
