"""The workshop: what a structure may ask for while it is built.

Machines are trained here when a structure asks for them, a lot at a time and each only once, and facts about the classes
are found here. Without training data (a model restructured as it is) the machines at hand are all there is.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from . import separation
from .bank import Bank, Machines, TrainSettings, assemble, train
from .exceptions import MissingDataError, MissingMachinesError
from .posteriors import soft_labels
from .problem import Problem, as_data
from .report import FitReport
from .tasks import Tasks
from .typing import Array, Index, Labels


class Workshop:
    """Machines and facts for a structure.

    Parameters
    ----------
    labels : ndarray of shape (n_classes,)
        What the user calls the classes; for tables only.
    problem : Problem or None
        The training data.
    settings : TrainSettings
    neighbours : int or None
        Train on soft labels from this many nearest neighbours.
    bank, report : Bank and FitReport, optional
        Machines that exist already, and what training them cost; with a problem, they were trained on it.
    """

    def __init__(
        self,
        labels: Labels,
        problem: Problem | None,
        settings: TrainSettings,
        neighbours: int | None = None,
        bank: Bank | None = None,
        report: FitReport | None = None,
    ) -> None:
        self.labels = labels
        self.n_classes = len(labels)
        self.settings = settings
        self._problem = problem
        self._neighbours = neighbours
        self._bank = bank
        self._report = report
        self._parts: list[Machines] = []
        self._ids: dict[tuple[tuple[int, ...], tuple[int, ...]], int] | None = None
        if bank is not None and problem is not None and report is not None:
            self._parts = [_reopened(problem, bank, report)]

    # ------------------------------------------------------------ machines

    def train(self, tasks: Tasks) -> Index:
        """The machines of these tasks, trained if they are not there yet.

        Returns
        -------
        ndarray of shape (n_tasks,)
            Their places among all machines of the workshop.
        """
        if self._ids is None:
            if not self._parts and self._bank is None:  # the usual case: nothing to compare with
                self._add(tasks)
                return np.arange(len(tasks), dtype=np.int64)
            known = self._bank.tasks if self._bank is not None else self._parts[0].tasks
            self._ids = {key: m for m, key in enumerate(known.keys())}
        keys = tasks.keys()
        missing = [t for t, key in enumerate(keys) if key not in self._ids]
        if missing:
            lot = tasks.take(np.array(missing, dtype=np.int64))
            n_before = len(self._ids)
            self._add(lot)
            self._ids.update({keys[t]: n_before + k for k, t in enumerate(missing)})
        return np.array([self._ids[key] for key in keys], dtype=np.int64)

    def _add(self, tasks: Tasks) -> None:
        if self._problem is None:
            raise MissingMachinesError(
                f"{len(tasks)} machines that the structure needs are not in this model. Pass X and y to train them."
            )
        soft = None
        if self._neighbours is not None:
            soft = soft_labels(self._problem, tasks, self._neighbours, self.settings.n_threads)
        self._parts.append(train(self._problem, tasks, self.settings, soft))
        self._bank = None

    def keep(self, machines: Index) -> None:
        """Drop all machines but these, which are renumbered 0, 1, ... in the order given."""
        if np.array_equal(machines, np.arange(self._n_machines)):
            return
        if self._problem is None:
            raise MissingMachinesError("machines can only be left out of a model together with its training data")
        self._parts = [Machines.join(self._parts).take(machines)]
        self._bank, self._ids = None, None

    @property
    def _n_machines(self) -> int:
        return sum(len(p.tasks) for p in self._parts) if self._parts else (self._bank.n_machines if self._bank else 0)

    @property
    def bank(self) -> Bank:
        """All machines of the workshop."""
        if self._bank is None:
            self._parts = [Machines.join(self._parts)]
            self._bank = assemble(self._data(), self._parts[0])
        return self._bank

    @property
    def report(self) -> FitReport:
        """What training them cost."""
        if self._parts or self._report is None:
            return FitReport.join([p.report for p in self._parts])
        return self._report

    # --------------------------------------------------------------- facts

    @property
    def norm2(self) -> Array:
        """Squared norm of each machine's weight vector."""
        norm2 = self.report.norm2
        return norm2 if np.isfinite(norm2).all() else self.bank.norm2

    def _data(self) -> Problem:
        if self._problem is None:
            raise MissingDataError("this structure looks at the training data: pass X and y as well")
        return self._problem

    @property
    def class_sizes(self) -> Array:
        """Training samples of each class, by their weights."""
        return self._data().class_weights

    def predictions(self, machines: Index, max_samples: int | None = None) -> tuple[Array, Array]:
        """How many training samples of every class, by their weights, each machine calls positive.

        One pass over training samples and pooled vectors: each kernel value is computed once.

        Parameters
        ----------
        machines : ndarray of shape (n,), int
        max_samples : int, optional
            Look at no more than this many samples of a class, spread evenly over it.

        Returns
        -------
        positive : ndarray of shape (n, n_classes)
        sizes : ndarray of shape (n_classes,)
            Samples looked at.
        """
        problem = self._data()
        every = np.array_equal(machines, np.arange(self._n_machines))
        bank = self.bank if every else assemble(problem, Machines.join(self._parts).take(machines))
        positive = np.zeros((len(machines), self.n_classes))
        chosen = [problem.sample_of_class(c, max_samples) for c in range(self.n_classes)]
        rows_at_once = max(64, min(4096, 2**22 // max(1, len(machines))))  # a block of values of some megabytes
        for c, places in enumerate(chosen):
            for first in range(0, len(places), rows_at_once):
                here = places[first : first + rows_at_once]
                X = problem.X[problem.order[here]]
                values = bank.machines.values(as_data(X), False, self.settings.n_threads)
                positive[:, c] += problem.weight[here] @ (values >= 0)
        return positive, np.array([problem.weight[places].sum() for places in chosen])

    def similarity(self, max_samples: int | None = None) -> Array:
        """Mean kernel value between the samples of every two classes, shape (n_classes, n_classes)."""
        return separation.similarity(self._data(), max_samples, self.settings.n_threads)

    @cached_property
    def moments(self) -> separation.Moments:
        """Means and variances of the classes."""
        return separation.Moments.of(self._data(), self.settings.n_threads)


def _reopened(problem: Problem, bank: Bank, report: FitReport) -> Machines:
    """The machines of a bank as lists over the training samples again."""
    problem.check_pool(bank.support, bank.vectors)
    place = np.empty(len(problem.order), dtype=np.int32)
    place[problem.order] = np.arange(len(problem.order), dtype=np.int32)
    return Machines(bank.tasks, bank.begin, place[bank.support][bank.index], bank.coef, bank.bias, report)
