"""What workers do: train the machines of a batch, on a small problem made of class blocks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import get_worker
from distributed.worker import thread_state

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.instructions import at_level
from ..base.typing import Array, Features, Index
from ..machines.cross_fitting import cross_values
from ..machines.training import TrainedMachines, TrainSettings, train
from ..problem.choices import Choices
from ..problem.per_pair import PerPair
from ..problem.problem import Problem
from ..problem.soft_labels import soft_labels
from ..problem.tasks import Tasks
from .blocks import ClassBlock


class UnfitWorker(Exception):
    """A task ran on a worker that does not have the instruction set of the fit."""


class Stopped(Exception):
    """The client no longer wants the result of a task."""


@dataclass(frozen=True, eq=False)
class Shared(FrozenArrays, Choices):
    """What all machines of a problem have in common, without its samples: the choices of how to train."""

    @classmethod
    def of(cls, problem: Problem) -> Shared:
        """Return what the machines of a problem share."""
        return cls(*(getattr(problem, name) for name in cls.__match_args__))

    def problem(
        self, blocks: Sequence[ClassBlock], classes: Index, per_pair: PerPair, in_row_order: bool = False
    ) -> tuple[Problem, Index]:
        """Make the problem of some classes.

        Parameters
        ----------
        blocks : sequence of ClassBlock
            They have all of the classes, and perhaps others.
        classes : ndarray of shape (n,)
            The classes, ascending.
        per_pair : PerPair
            C and gamma of the pairs of these classes.
        in_row_order : bool
            Whether the samples must be in the order of the training data, which decides between equally near neighbours.

        Returns
        -------
        problem : Problem
            Class k of it is `classes[k]`.
        places : ndarray of shape (n_samples,)
            The place of each of its samples in the order of the whole problem.
        """
        block_of = {int(c): block for block in blocks for c in block.classes}
        parts = [(block_of[c], block_of[c].of_class(c)) for c in classes.tolist()]
        sizes = [here.stop - here.start for _, here in parts]
        rows = np.concatenate([block.rows[here] for block, here in parts])
        X = _stack(blocks, parts)
        order = np.arange(len(rows), dtype=np.int64)
        if in_row_order:
            by_row = np.argsort(rows)
            order[by_row] = np.arange(len(rows))
            X = X[by_row]
        if self.kernel.name == "precomputed":
            X = np.ascontiguousarray(X[:, np.sort(rows) if in_row_order else rows])
        problem = Problem(
            order=order,
            class_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            weight=np.concatenate([block.weight[here] for block, here in parts]),
            X=X,
            cap=np.concatenate([block.cap[here] for block, here in parts]),
            per_pair=per_pair,
            **{name: getattr(self, name) for name in self.__match_args__},
        )
        return problem, np.concatenate([np.arange(here.start, here.stop) + block.first for block, here in parts])


@dataclass(frozen=True, eq=False)
class Batch(FrozenArrays):
    """The machines that one task of the cluster trains.

    Attributes
    ----------
    shared : Shared
    tasks : Tasks
        With the class numbers of the whole problem.
    settings : TrainSettings
    per_pair : PerPair
        C and gamma of the pairs of the classes in `tasks`.
    neighbours : int or None
        Number of neighbours for soft labels.
    soft : ndarray or None
        Soft labels that the client computed, as for `train`.
    """

    shared: Shared
    tasks: Tasks
    settings: TrainSettings
    per_pair: PerPair
    neighbours: int | None = None
    soft: Array | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        tasks: Tasks,
        settings: TrainSettings,
        neighbours: int | None = None,
        soft: Array | None = None,
    ) -> Batch:
        """Return the batch of some tasks of a problem."""
        classes = np.unique(tasks.classes)

        def of_classes(table: Array | None) -> Array | None:
            return None if table is None else table[np.ix_(classes, classes)]

        per_pair = PerPair(of_classes(problem.per_pair.C), of_classes(problem.per_pair.gamma))
        return cls(Shared.of(problem), tasks, settings, per_pair, neighbours, soft)


def train_batch(batch: Batch, *blocks: ClassBlock) -> tuple[TrainedMachines, float]:
    """Train the machines of a batch.

    Parameters
    ----------
    batch : Batch
    *blocks : ClassBlock
        They have the classes of the batch.

    Returns
    -------
    machines : TrainedMachines
        With the classes and places of the whole problem.
    seconds : float
        Time that this took.
    """
    begun = time.perf_counter()
    check_level(batch.settings.level)
    classes = np.unique(batch.tasks.classes).astype(np.int64)
    with at_level(batch.settings.level):
        problem, places = batch.shared.problem(blocks, classes, batch.per_pair, batch.neighbours is not None)
        own = np.searchsorted(classes, batch.tasks.classes).astype(np.int32)
        tasks, soft = replace(batch.tasks, classes=own), batch.soft
        if batch.neighbours is not None:
            soft = soft_labels(problem, tasks, batch.neighbours)
        machines = train(problem, tasks, batch.settings, soft, stopper())
    out = replace(machines, tasks=batch.tasks, sample=places[machines.sample].astype(np.int32))
    return out, time.perf_counter() - begun


def cross_batch(
    batch: Batch, cap: Array, weight: Array, Cs: Array, *blocks: ClassBlock
) -> tuple[list[list[Array]], float]:
    """Train the machines of a batch on every fold.

    Parameters
    ----------
    batch : Batch
    cap, weight : ndarray of shape (n_folds, n_samples)
        Of the samples of its classes, class after class, as for `cross_values`.
    Cs : ndarray of shape (n_Cs,)
    *blocks : ClassBlock

    Returns
    -------
    outside : list of lists of ndarray
        The values of the machines on the held-out samples, for each fold and C.
    seconds : float
    """
    begun = time.perf_counter()
    check_level(batch.settings.level)
    classes = np.unique(batch.tasks.classes).astype(np.int64)
    with at_level(batch.settings.level):
        problem, _ = batch.shared.problem(blocks, classes, batch.per_pair, batch.neighbours is not None)
        tasks = replace(batch.tasks, classes=np.searchsorted(classes, batch.tasks.classes).astype(np.int32))
        values = cross_values(
            problem, tasks, batch.settings, cap, weight, Cs, soft=batch.neighbours, finished=stopper()
        )
    return values, time.perf_counter() - begun


def check_level(level: _core.Level) -> None:
    """Raise UnfitWorker if this processor does not have an instruction set."""
    if level.value > _core.best_level().value:
        raise UnfitWorker(f"this worker does not have {level.name}")


def stopper() -> Any:
    """Return a function that raises `Stopped` when the client has cancelled the task that calls it.

    Training calls it about every 50 ms, so that an interrupted fit leaves the workers free.
    """
    try:
        state, key = get_worker().state, thread_state.key
    except (ValueError, AttributeError):  # not in a task of a cluster
        return None

    def look(*_: Any) -> None:
        task = state.tasks.get(key)
        if task is None or task.state in ("cancelled", "resumed"):
            raise Stopped

    return look


def _stack(blocks: Sequence[ClassBlock], parts: Sequence[tuple[ClassBlock, slice]]) -> Features:
    """Return the rows of the parts one after another; without a copy, if they are a whole block."""
    if len(blocks) == 1 and len(parts) == len(blocks[0].classes):
        return blocks[0].X
    rows = [block.X[here] for block, here in parts]
    if not sp.issparse(rows[0]):
        return np.concatenate(rows)
    stacked = sp.vstack(rows, format="csr")
    return type(rows[0])(stacked)
