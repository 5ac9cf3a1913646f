"""The workshop: it gives a structure, while it is built, trained machines and facts about the classes.

A structure requests machines in lots; each machine is trained only once. Without training data (`restructure` without X and y)
only the machines of the model are available. Structures see only the interface `AnyWorkshop`. `Workshop` trains kernel
machines, `EstimatorWorkshop` clones of a classifier.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..base.exceptions import MissingDataError, MissingMachinesError
from ..base.typing import Array, Index, Labels
from ..problem import separation
from ..problem.problem import Problem
from ..problem.samples import as_data
from ..problem.soft_labels import Labeller, soft_labels
from ..problem.tasks import Tasks, groups
from .bank import AnyBank, Bank
from .checkpoint import Checkpoint
from .progress import Watcher, work_of
from .report import FitReport
from .training import TrainedMachines, TrainSettings, assemble, train

NO_TASKS = groups([])

# Training samples in a block of `sample_blocks`.
ROWS_AT_ONCE = 4096


class AnyWorkshop(ABC):
    """The interface of workshops for structures, for any kind of machine.

    Parameters
    ----------
    labels : ndarray of shape (n_classes,)
        The labels of the classes, for messages and tables.
    """

    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        self.n_classes = len(labels)
        self._ids: dict[tuple[tuple[int, ...], tuple[int, ...]], int] | None = None

    def train(self, tasks: Tasks) -> Index:
        """Return the machines of these tasks; train those that do not exist yet.

        Returns
        -------
        ndarray of shape (n_tasks,)
            The number of each machine in the workshop.
        """
        if self._ids is None:
            known = self._tasks()
            # The usual cases: there are no machines yet, or exactly those requested.
            if not len(known) and tasks.distinct:
                self._add(tasks)
                return np.arange(len(tasks), dtype=np.int64)
            if tasks.same_as(known) and tasks.distinct:
                return np.arange(len(tasks), dtype=np.int64)
            self._ids = {key: m for m, key in enumerate(known.keys())}
        keys = tasks.keys()
        # A lot may have the same task twice, for example from nodes of a tree that share classes.
        missing = {key: t for t, key in reversed(list(enumerate(keys))) if key not in self._ids}
        if missing:
            lot = np.array(sorted(missing.values()), dtype=np.int64)
            n_before = len(self._tasks())
            self._add(tasks.select(lot))
            self._ids.update({keys[t]: n_before + k for k, t in enumerate(lot)})
        return np.array([self._ids[key] for key in keys], dtype=np.int64)

    def keep(self, machines: Index) -> None:
        """Keep only these machines, renumbered 0, 1, ... in the order given."""
        n = len(self._tasks())
        if len(machines) != n or (machines != np.arange(n)).any():
            self._select(machines)
            self._ids = None

    def train_only(self, tasks: Tasks) -> None:
        """Have the machines of these tasks, in this order, and no others; train those that do not exist yet."""
        if self._ids is None and not len(self._tasks()) and tasks.distinct:
            self._add(tasks)  # the usual case
        else:
            self.keep(self.train(tasks))

    def _no_machines(self, tasks: Tasks) -> MissingMachinesError:
        """Return the error for machines that cannot be trained without data; it names the first ten."""

        def side(classes: tuple[int, ...]) -> str:
            return " + ".join(str(self.labels[c]) for c in classes)

        names = [f"({side(negative)}, {side(positive)})" for negative, positive in tasks.keys()[:10]]
        return MissingMachinesError(
            f"{len(tasks)} machines that the structure needs are not in this model. Pass X and y to train them. "
            f"Missing: {', '.join(names)}{', ...' if len(tasks) > 10 else ''}"
        )

    def _no_data(self) -> MissingDataError:
        return MissingDataError("this structure needs the training data: pass X and y as well")

    @abstractmethod
    def _tasks(self) -> Tasks:
        """Return the tasks of all machines so far."""

    @abstractmethod
    def _add(self, tasks: Tasks) -> None:
        """Train machines and append them to the existing ones."""

    @abstractmethod
    def _select(self, machines: Index) -> None:
        """Keep only these machines, in the order given."""

    @property
    @abstractmethod
    def bank(self) -> AnyBank:
        """All machines of the workshop."""

    @property
    def report(self) -> FitReport | None:
        """The cost of training the machines, or None if it is not known."""
        return None

    @property
    @abstractmethod
    def norm2(self) -> Array:
        """Squared norm of the weight vector of each machine in kernel space, shape (n_machines,)."""

    @property
    @abstractmethod
    def class_totals(self) -> Array:
        """Total weight of the training samples of each class, shape (n_classes,); 1 for a class without weight."""

    @abstractmethod
    def predictions(self, machines: Index, max_samples: int | None = None) -> tuple[Array, Array]:
        """Return how many training samples of each class each machine classifies as positive, counted by their weights.

        Parameters
        ----------
        machines : ndarray of shape (n,), int
        max_samples : int, optional
            Use at most this many samples of each class, spread evenly over it. By default all are used.

        Returns
        -------
        positive : ndarray of shape (n, n_classes)
            Total weight of the samples classified as positive.
        sizes : ndarray of shape (n_classes,)
            Total weight of the samples used; 1 for a class without weight.
        """

    @abstractmethod
    def sample_blocks(self) -> Iterator[Any]:
        """Yield the training samples, a block of them at a time, in the form that the bank decides."""

    @abstractmethod
    def similarity(self, max_samples: int | None = None) -> Array:
        """Return the mean kernel value between the samples of every two classes, shape (n_classes, n_classes)."""

    def dbtc(self, max_samples: int | None = None) -> Array:
        """Return the squared distance between every two classes in kernel space, shape (n_classes, n_classes)."""
        return separation.dbtc(self.similarity(max_samples))

    @property
    @abstractmethod
    def moments(self) -> separation.Moments:
        """Means and variances of the classes."""


class Workshop(AnyWorkshop):
    """Workshop of kernel machines, with facts about the classes in kernel space.

    Parameters
    ----------
    labels : ndarray of shape (n_classes,)
        The labels of the classes, for messages and tables.
    problem : Problem or None
        The training problem; None without training data.
    settings : TrainSettings
    soft : int, callable or None
        The number of nearest neighbours for soft labels, or a function that returns them; None for ordinary machines.
    bank, report : Bank and FitReport, optional
        Existing machines and the cost of their training. If there is a problem, they must have been trained on it.
    cannot_train : str, optional
        The reason why no machine can be added; None if machines can be added.
    checkpoint : Checkpoint, optional
        Finished machines are saved to it; machines that it has are not trained again.
    watchers : sequence of Watcher
        Objects that are told about the progress.
    """

    def __init__(
        self,
        labels: Labels,
        problem: Problem | None,
        settings: TrainSettings,
        soft: int | Labeller | None = None,
        bank: Bank | None = None,
        report: FitReport | None = None,
        cannot_train: str | None = None,
        checkpoint: Checkpoint | None = None,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        super().__init__(labels)
        self.settings = settings
        self._problem = problem
        self._soft = soft
        self._bank = bank
        self._report = report
        self._cannot_train = cannot_train
        self._checkpoint = checkpoint
        self.watchers = watchers
        self._parts: list[TrainedMachines] = []
        if bank is not None and problem is not None and report is not None:
            self._parts = [_reopened(problem, bank, report)]

    # ------------------------------------------------------------ machines

    def _add(self, tasks: Tasks) -> None:
        if self._cannot_train is not None:
            raise MissingMachinesError(
                f"{len(tasks)} machines that the structure needs are not in this model, and {self._cannot_train}"
            )
        if self._problem is None:
            raise self._no_machines(tasks)
        there: Index | tuple[()] = ()
        parts, lot = list[TrainedMachines](), tasks
        if self._checkpoint is not None:
            there, parts = self._checkpoint.find(tasks)
        if len(there):
            missing = np.setdiff1d(np.arange(len(tasks)), there)
            lot = tasks.select(missing)
        for watcher in self.watchers:
            watcher.begin(work_of(self._problem, lot), len(there))
        if len(lot):
            parts.append(self._train(self._problem, lot))
        for watcher in self.watchers:
            watcher.end()
        machines = TrainedMachines.join(parts)
        self._parts.append(machines.select(np.argsort(np.concatenate([there, missing]))) if len(there) else machines)
        self._bank = None

    def _train(self, problem: Problem, tasks: Tasks) -> TrainedMachines:
        """Train machines. Finished machines go to the checkpoint and the watchers."""

        def finished(places: Index, machines: TrainedMachines) -> None:
            if self._checkpoint is not None:
                self._checkpoint.add(machines)
            for watcher in self.watchers:
                watcher.advance(places)

        soft = None
        if self._soft is not None:
            soft = soft_labels(problem, tasks, self._soft, self.settings.n_threads)
        listened = self._checkpoint is not None or len(self.watchers) > 0
        return train(problem, tasks, self.settings, soft, finished if listened else None)

    def _select(self, machines: Index) -> None:
        if self._problem is None:
            raise MissingMachinesError(
                "machines can be removed from a model only with its training data: pass X and y as well"
            )
        self._parts = [TrainedMachines.join(self._parts).select(machines)]
        self._bank = None

    def _tasks(self) -> Tasks:
        if self._bank is not None:
            return self._bank.tasks
        return Tasks.join([p.tasks for p in self._parts]) if self._parts else NO_TASKS

    @property
    def bank(self) -> Bank:
        """All machines of the workshop."""
        if self._bank is None:
            self._parts = [TrainedMachines.join(self._parts)]
            self._bank = assemble(self._data(), self._parts[0])
        return self._bank

    @property
    def report(self) -> FitReport:
        """The cost of training the machines."""
        if self._parts or self._report is None:
            report = FitReport.join([p.report for p in self._parts])
            return report if self._problem is None else report.with_choices(self._problem.words)
        return self._report

    # --------------------------------------------------------------- facts

    @property
    def norm2(self) -> Array:
        """Squared norm of the weight vector of each machine, shape (n_machines,)."""
        norm2 = self.report.norm2
        return self.bank.norm2 if norm2 is None else norm2

    def _data(self) -> Problem:
        if self._problem is None:
            raise self._no_data()
        return self._problem

    @property
    def class_totals(self) -> Array:
        """Total weight of the training samples of each class, shape (n_classes,); 1 for a class without weight."""
        return self._data().class_totals

    def predictions(self, machines: Index, max_samples: int | None = None) -> tuple[Array, Array]:
        """Return how many training samples of each class each machine classifies as positive, counted by their weights.

        Each kernel value between a training sample and a support vector is computed once for all machines.
        """
        problem = self._data()
        every = np.array_equal(machines, np.arange(len(self._tasks())))
        bank = self.bank if every else assemble(problem, TrainedMachines.join(self._parts).select(machines))
        positive = count_positive(problem, bank, max_samples, self.settings.n_threads)
        return positive, self._sizes(problem, max_samples)

    def _sizes(self, problem: Problem, max_samples: int | None) -> Array:
        """Return the total weight of the samples of each class that `predictions` uses; 1 for a class without weight."""
        chosen = [problem.sample_of_class(c, max_samples) for c in range(self.n_classes)]
        sizes = np.array([problem.weight[places].sum() for places in chosen])
        return np.where(sizes > 0, sizes, 1.0)  # a class without weight must not divide by zero

    def sample_blocks(self) -> Iterator[Any]:
        """Yield the training samples, a block of them at a time."""
        problem = self._data()
        for first in range(0, len(problem.order), ROWS_AT_ONCE):
            yield problem.X[problem.order[first : first + ROWS_AT_ONCE]]

    def similarity(self, max_samples: int | None = None) -> Array:
        """Return the mean kernel value between the samples of every two classes, shape (n_classes, n_classes)."""
        return separation.similarity(self._data(), max_samples, self.settings.n_threads)

    def dbtc(self, max_samples: int | None = None) -> Array:
        """Return the squared distance between every two classes in the kernel space of their machine."""
        problem = self._data()
        if problem.per_pair.gamma is None:
            return super().dbtc(max_samples)
        return separation.dbtc_of_pairs(problem, problem.per_pair.gamma, max_samples, self.settings.n_threads)

    @cached_property
    def moments(self) -> separation.Moments:
        """Means and variances of the classes."""
        return separation.Moments.of(self._data(), self.settings.n_threads)


def count_positive(problem: Problem, bank: Bank, max_samples: int | None, n_threads: int) -> Array:
    """Return the total weight of the samples of each class of a problem that each machine classifies as positive.

    Parameters
    ----------
    problem : Problem
    bank : Bank
        It may know other classes.
    max_samples : int or None
        Use at most this many samples of each class.
    n_threads : int

    Returns
    -------
    ndarray of shape (n_machines, n_classes)
    """
    positive = np.zeros((bank.n_machines, problem.n_classes))
    rows_at_once = max(64, min(4096, 2**22 // max(1, bank.n_machines)))  # a block of values takes some megabytes
    for c in range(problem.n_classes):
        places = problem.sample_of_class(c, max_samples)
        for first in range(0, len(places), rows_at_once):
            here = places[first : first + rows_at_once]
            values = bank.native.values(as_data(problem.X[problem.order[here]]), False, n_threads)
            positive[:, c] += problem.weight[here] @ (values >= 0)
    return positive


def _reopened(problem: Problem, bank: Bank, report: FitReport) -> TrainedMachines:
    """Return the machines of a bank as lists of training samples, as training returns them."""
    if (bank.gammas is None) != (problem.per_pair.gamma is None):
        raise ValueError("gamma is per pair in the model or in its parameters, but not in both: fit the model again")
    place = problem.check_pool(bank.support, bank.vectors, bank.class_start).astype(np.int32)
    bias = bank.bias_from(problem.centre)
    return TrainedMachines(bank.tasks, bank.begin, place[bank.index], bank.coef, bias, report, bank.gammas)
