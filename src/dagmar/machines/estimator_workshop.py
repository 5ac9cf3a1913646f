"""A workshop that trains clones of a scikit-learn classifier and measures the classes in feature space."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array
from sklearn.utils.parallel import Parallel, delayed

from ..base.exceptions import InvalidParameterError
from ..base.typing import Array, Index, Labels
from ..problem.kernels import Kernel
from ..problem.naming import MachineNames
from ..problem.problem import Problem
from ..problem.samples import ByClass
from ..problem.separation import Moments
from ..problem.tasks import Tasks, groups
from .estimator_bank import EstimatorBank, select_rows
from .report import FitReport
from .workshop import ROWS_AT_ONCE, AnyWorkshop


@dataclass(frozen=True)
class TrainingData:
    """The training data of the machines.

    Attributes
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features), or a kernel matrix (n_samples, n_samples)
    class_index : ndarray of shape (n_samples,), int64
    by_class : ByClass
        The samples sorted by class, with their weights.
    fit_params : dict
        Parameters for `fit`. Of those with one entry per sample, a machine gets the entries of its samples.
    is_kernel : bool
        Whether X is a kernel matrix.
    """

    X: Any
    class_index: Index
    by_class: ByClass
    fit_params: dict[str, Any]
    is_kernel: bool = False

    def side_of(self, tasks: Tasks, t: int) -> tuple[Index, NDArray[np.bool_]]:
        """Return the samples of a task, in the order of the data, and whether each is on the positive side."""
        here = slice(tasks.begin[t], tasks.begin[t + 1])
        classes, positive = tasks.classes[here], np.zeros(self.by_class.n_classes, dtype=bool)
        positive[classes] = tasks.sides[here] > 0
        places = np.concatenate([self.by_class.sample_of_class(c) for c in classes.tolist()])
        rows = np.sort(self.by_class.order[places])
        return rows, positive[self.class_index[rows]]

    def params_of(self, rows: Index) -> dict[str, Any]:
        """Return the parameters of `fit` for some samples."""
        n = len(self.class_index)

        def per_sample(value: Any) -> bool:
            if hasattr(value, "shape"):
                return len(value.shape) > 0 and value.shape[0] == n
            return isinstance(value, list | tuple) and len(value) == n

        return {
            name: (select_rows(v if hasattr(v, "shape") else np.asarray(v), rows) if per_sample(v) else v)
            for name, v in self.fit_params.items()
        }


class EstimatorWorkshop(AnyWorkshop):
    """Workshop of machines that are clones of one classifier, with facts about the classes in feature space.

    Parameters
    ----------
    labels : ndarray of shape (n_classes,)
        The labels of the classes, for messages and tables.
    estimator : classifier
    data : TrainingData or None
    n_jobs : int or None
    bank, report : EstimatorBank and FitReport, optional
        Existing machines and the cost of training them. If there is data, they must have been trained on it.
    """

    def __init__(
        self,
        labels: Labels,
        estimator: Any,
        data: TrainingData | None,
        n_jobs: int | None,
        bank: EstimatorBank | None = None,
        report: FitReport | None = None,
    ) -> None:
        super().__init__(labels)
        self._estimator = estimator
        self._training_data = data
        self._n_jobs = n_jobs
        if bank is None:
            given = self._data()
            sizes = np.diff(given.by_class.class_start)
            bank = EstimatorBank(groups([]), [], sizes, [] if given.is_kernel else None)
        self._bank = bank
        self._report = FitReport.foreign(np.zeros(0, dtype=np.int64), np.zeros(0)) if report is None else report

    @property
    def bank(self) -> EstimatorBank:
        """All machines of the workshop."""
        return self._bank

    @property
    def report(self) -> FitReport:
        """The cost of training all machines."""
        return self._report

    def _data(self) -> TrainingData:
        if self._training_data is None:
            raise self._no_data()
        return self._training_data

    def _tasks(self) -> Tasks:
        return self._bank.tasks

    def _add(self, tasks: Tasks) -> None:
        if self._training_data is None:
            raise self._no_machines(tasks)
        data, before = self._training_data, self._bank
        fitted = Parallel(self._n_jobs)(
            delayed(_fit)(clone(self._estimator), data, *data.side_of(tasks, t)) for t in range(len(tasks))
        )
        trained = [machine for machine, _ in fitted]
        seconds = np.array([taken for _, taken in fitted], dtype=np.float64)
        steps = np.array([_steps(machine) for machine in trained], dtype=np.int64)
        self._report = FitReport.join([self._report, FitReport.foreign(steps, seconds)])
        columns = None
        if before.columns is not None:
            columns = before.columns + [data.side_of(tasks, t)[0] for t in range(len(tasks))]
        joined = Tasks.join([before.tasks, tasks])
        self._bank = EstimatorBank(joined, before.estimators + trained, before.class_sizes, columns)

    def _select(self, machines: Index) -> None:
        bank = self._bank
        self._report = self._report.select(machines)
        self._bank = EstimatorBank(
            bank.tasks.select(machines),
            [bank.estimators[m] for m in machines],
            bank.class_sizes,
            None if bank.columns is None else [bank.columns[m] for m in machines],
        )

    # --------------------------------------------------------------- facts

    @property
    def norm2(self) -> Array:
        """Not available: raises InvalidParameterError, because estimators need not have a weight vector."""
        raise InvalidParameterError(
            "The 'separation' parameter of AdaptiveDDAG must be 'dbtc', 'fisher' or a matrix in a PairwiseClassifier: "
            "the margins of its estimators are not known. Got 'margin' instead."
        )

    @property
    def class_totals(self) -> Array:
        """Total weight of the training samples of each class, shape (n_classes,); 1 for a class without weight."""
        return self._data().by_class.class_totals

    def predictions(self, machines: Index, max_samples: int | None = None) -> tuple[Array, Array]:
        """Return how many training samples of each class each machine classifies as positive, counted by their weights."""
        data = self._data()
        places = np.concatenate([data.by_class.sample_of_class(c, max_samples) for c in range(self.n_classes)])
        rows, weight = data.by_class.order[places], data.by_class.weight[places]
        X, classes = select_rows(data.X, rows), data.class_index[rows]
        bank = self._bank.named(MachineNames(self._bank.tasks, self.labels))  # for messages

        def total(weight: Array) -> Array:
            return np.bincount(classes, weight, self.n_classes).astype(np.float64)

        def positive(machine: int) -> Array:
            return total(weight * (bank.value(machine, X) >= 0))

        counts = Parallel(self._n_jobs, require="sharedmem")(delayed(positive)(m) for m in machines.tolist())
        sizes = total(weight)
        return np.stack(counts), np.where(sizes > 0, sizes, 1.0)

    def sample_blocks(self) -> Iterator[Any]:
        """Yield the training samples, a block of them at a time."""
        data = self._data()
        for first in range(0, len(data.by_class.order), ROWS_AT_ONCE):
            yield select_rows(data.X, data.by_class.order[first : first + ROWS_AT_ONCE])

    def similarity(self, max_samples: int | None = None) -> Array:
        """Return the inner products of the class means: the mean of the linear kernel, exact for any `max_samples`."""
        return self.moments.products

    @cached_property
    def moments(self) -> Moments:
        """Means and variances of the classes in feature space; in kernel space if X is a kernel matrix."""
        data = self._data()
        X = check_array(data.X, accept_sparse="csr", dtype=np.float64, order="C", input_name="X")
        kernel = Kernel("precomputed" if data.is_kernel else "linear")
        weight = np.empty(len(data.class_index))
        weight[data.by_class.order] = data.by_class.weight
        by_class = ByClass.sort(data.class_index, self.n_classes, weight)
        return Moments.of(Problem.make(X, by_class, kernel, weight, "double", 1e-3))


def _fit(estimator: Any, data: TrainingData, rows: Index, positive: NDArray[np.bool_]) -> tuple[Any, float]:
    """Return the fitted estimator, and the seconds that its fit took."""
    X = select_rows(data.X, rows)
    params = data.params_of(rows)
    begun = time.perf_counter()
    estimator.fit(X[:, rows] if data.is_kernel else X, positive, **params)  # what it returns is not looked at
    return estimator, time.perf_counter() - begun


def _steps(machine: Any) -> int:
    """Return the number of iterations that a fitted estimator reports, or else 0."""
    last = machine.steps[-1][1] if hasattr(machine, "steps") else machine
    counted = getattr(last, "n_iter_", 0)
    return int(np.sum(counted)) if np.issubdtype(np.asarray(counted).dtype, np.number) else 0
