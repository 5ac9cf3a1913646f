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
from ..problem.samples import ByClass
from ..problem.separation import Moments
from ..problem.soft_labels import Labeller, soft_labels
from ..problem.tasks import Tasks
from .folds import Fold
from .training import TrainedMachines, TrainSettings, Variants, train_variants
from .workshop import Workshop


def variants(folds: Sequence[Fold], Cs: Array, by_class: ByClass) -> Variants:
    """Return the problems of all folds and values of C, fold after fold, with C increasing within a fold.

    Within a fold each problem starts from the solution of the previous one.

    Parameters
    ----------
    folds : sequence of Fold
    Cs : ndarray of shape (n_Cs,)
        Values of C, ascending.
    by_class : ByClass
        The order of the samples.

    Returns
    -------
    Variants
    """
    n = len(folds) * len(Cs)
    start = np.arange(-1, n - 1, dtype=np.int32)
    start[:: len(Cs)] = -1
    cap = np.array([C * fold.cap[by_class.order] for fold in folds for C in Cs.tolist()])
    growth = np.concatenate([[1.0], Cs[1:] / Cs[:-1]])
    return Variants(cap, start, np.tile(growth, len(folds)))


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
    soft: int | Labeller | None = None,
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
    soft : int, callable or None
        As for `Workshop`. Soft labels depend on the neighbours in the fold, so the folds are then trained one by one.
    finished : callable, optional
        Called from time to time with the indices of the tasks that were finished, on all folds and for all C, since the
        last call.

    Returns
    -------
    list of FoldMachines
        One per fold.
    """
    together = [folds] if soft is None and folds else [[fold] for fold in folds]
    out = []
    for some in together:
        labels = None
        if soft is not None:
            inside = replace(problem, weight=some[0].weight[problem.order])
            labels = soft_labels(inside, tasks, soft, settings.n_threads)
        # The tasks are finished on all folds when they are on the last.
        hand_on = finished if some is together[-1] else None
        chosen = variants(some, Cs, problem)
        machines, values = train_variants(problem, tasks, settings, chosen, outside, labels, hand_on)
        for f in range(len(some)):
            part = slice(f * len(Cs), (f + 1) * len(Cs))
            out.append(FoldMachines(machines[part], [] if values is None else values[part]))
    return out


@dataclass(frozen=True, eq=False)
class HeldOut(FrozenArrays):
    """The machine and the sample of each entry of `FoldMachines.outside`.

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
    def of(cls, problem: Problem, fold: Fold, tasks: Tasks) -> HeldOut:
        """Return the entries of a fold: the samples of cap 0, ordered by task and then by class."""
        places = np.flatnonzero(fold.cap[problem.order] == 0)  # not in the fold, or in it with weight 0
        begin = np.searchsorted(places, problem.class_start)
        classes = tasks.classes.astype(np.int64)
        sizes = np.diff(begin)[classes]
        entry = np.arange(sizes.sum()) + np.repeat(begin[classes] - np.cumsum(sizes) + sizes, sizes)
        machine = np.repeat(np.arange(len(tasks)), np.diff(tasks.begin))
        return cls(np.repeat(machine, sizes), places[entry], np.repeat(tasks.sides > 0, sizes))


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
