"""A bank of scikit-learn classifiers: they are held and asked here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from .. import _core
from ..base.typing import Array, Index
from ..problem.tasks import Tasks
from ..structures.paths import DecisionPath
from ..structures.plans import Plan, PollPlan
from .bank import AnyBank

# Bytes for walks in step: a knockout by fewest losses remembers n_classes^2 meetings for each of its samples.
WALKS_AT_ONCE = 2**27


def select_rows(X: Any, rows: Index) -> Any:
    """Some samples of an array, sparse matrix or data frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def value_of(estimator: Any, X: Any) -> Array:
    """What a fitted binary classifier says of samples: zero or more for its second class, ``True``.

    Its `decision_function`; if it has none, the probability of ``True`` minus one half; or plus and minus one.

    Parameters
    ----------
    estimator : classifier fitted on labels ``False`` and ``True``
    X : array, sparse matrix or data frame of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from dagmar.machines.estimator_bank import value_of
    >>> value_of(KNeighborsClassifier(1).fit([[0.0], [1.0]], [False, True]), [[0.2], [0.9]])
    array([-0.5,  0.5])
    """
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64).ravel()
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X)[:, 1], dtype=np.float64) - 0.5
    return np.where(estimator.predict(X), 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class EstimatorBank(AnyBank):
    """Trained machines that are classifiers, each fitted on ``False`` (its negative side) and ``True``.

    Attributes
    ----------
    tasks : Tasks
        The question of each machine.
    estimators : list of n_machines classifiers
    class_sizes : ndarray of shape (n_classes,), int64
        Training samples of each class.
    columns : list of n_machines ndarrays, or None
        For classifiers that take a kernel matrix: the training samples of each.
    """

    tasks: Tasks
    estimators: list[Any]
    class_sizes: Index
    columns: list[Index] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_sizes)

    def value(self, machine: int, X: Any) -> Array:
        """The value of one machine on every sample, shape (n_samples,)."""
        return value_of(self.estimators[machine], X if self.columns is None else X[:, self.columns[machine]])

    def values(self, X: Any, n_jobs: int | None = None) -> Array:
        """The value of every machine on every sample, shape (n_samples, n_machines)."""
        columns = _threads(n_jobs, X)(delayed(self.value)(m, X) for m in range(self.n_machines))
        return np.stack(columns, axis=1)

    def values_asked(self, X: Any, asked: Index, threads: Parallel) -> Array:
        """The value of the machine that each sample asks for; no machine sees a sample that did not ask it.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        asked : ndarray of shape (n_samples,)
            Machines, -1 for none.
        threads : Parallel

        Returns
        -------
        ndarray of shape (n_samples,)
            0 for none.
        """
        order = np.argsort(asked, kind="stable")
        order = order[np.searchsorted(asked[order], 0) :]
        machines, first = np.unique(asked[order], return_index=True)
        rows = np.split(order, first[1:])
        told = threads(
            delayed(self.value)(m, X if len(r) == len(asked) else select_rows(X, r))
            for m, r in zip(machines.tolist(), rows, strict=True)
        )
        values = np.zeros(len(asked))
        values[order] = np.concatenate(told)
        return values

    def follow(self, plan: Plan, X: Any, n_jobs: int | None = None) -> Iterator[DecisionPath]:
        """Decide samples by a plan, a block of samples at a time; all samples of a block take a step together."""
        if isinstance(plan, PollPlan):
            yield self._poll(X, n_jobs)
            return
        native, n = plan.native, X.shape[0]
        at_once = max(256, WALKS_AT_ONCE // self.n_classes**2)
        with _threads(n_jobs, X) as threads:
            for first in range(0, n, at_once):
                block = X if n <= at_once else select_rows(X, np.arange(first, min(n, first + at_once)))
                yield self._walk(_core.Walks(native, block.shape[0]), block, threads)

    def _walk(self, walks: _core.Walks, X: Any, threads: Parallel) -> DecisionPath:
        steps = []
        while (asked := walks.next()).max() >= 0:
            values = self.values_asked(X, asked, threads)
            walks.tell(values >= 0)
            steps.append((asked, values))
        machines, told = (np.stack(part, axis=1) for part in zip(*steps, strict=True))
        on_path = machines >= 0
        begin = np.concatenate([[0], np.cumsum(on_path.sum(axis=1))]).astype(np.int64)
        return DecisionPath(begin, machines[on_path], told[on_path], walks.answers().astype(np.int64))

    def _poll(self, X: Any, n_jobs: int | None) -> DecisionPath:
        values = self.values(X, n_jobs)
        n, m = values.shape
        machines = np.tile(np.arange(m, dtype=np.int64), n)
        return DecisionPath(m * np.arange(n + 1, dtype=np.int64), machines, values.ravel(), np.argmax(values, axis=1))


def _threads(n_jobs: int | None, X: Any) -> Parallel:
    """Threads for many short questions, which need no copies; a few samples are answered before one would start."""
    return Parallel(1 if X.shape[0] <= 16 else n_jobs, require="sharedmem")
