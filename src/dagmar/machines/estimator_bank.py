"""A bank whose machines are scikit-learn classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..base.threads import FEW_SAMPLES
from ..base.typing import Array, Index
from ..problem.tasks import Tasks
from .bank import AnyBank


def select_rows(X: Any, rows: Index) -> Any:
    """Return some samples of an array, sparse matrix or data frame."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X.take(rows) if type(X).__name__ == "Table" else X[rows]


def is_frame(X: Any) -> bool:
    """Return whether X is a table with named columns: a data frame of pandas or polars, or a table of pyarrow."""
    return hasattr(X, "iloc") or type(X).__name__ in ("DataFrame", "Table")


def value_of(estimator: Any, X: Any) -> Array:
    """Return the values of a fitted binary classifier; zero or more is for its second class, ``True``.

    The value is that of `decision_function`. Without one, it is the probability of ``True`` minus one half; without
    `predict_proba`, it is 1 or -1 by `predict`.

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
    """Bank of classifiers, each fitted on the labels ``False`` (its negative side) and ``True``.

    Attributes
    ----------
    tasks : Tasks
        The task of each machine.
    estimators : list of n_machines classifiers
        The machines.
    class_sizes : ndarray of shape (n_classes,), int64
        Number of training samples of each class.
    columns : list of n_machines ndarrays, or None
        With a precomputed kernel, the indices of the training samples of each machine; otherwise None.
    """

    tasks: Tasks
    estimators: list[Any]
    class_sizes: Index
    columns: list[Index] | None = None

    zero_votes_for_later = True

    def __repr__(self) -> str:
        kinds = sorted({type(estimator).__name__ for estimator in self.estimators})
        return f"EstimatorBank({self.n_machines} machines, {self.n_classes} classes, {', '.join(kinds)})"

    def _columns(self, n_machines: int) -> dict[str, Any]:
        kinds = [type(estimator).__name__ for estimator in self.estimators[:n_machines]]
        return super()._columns(n_machines) | {"estimator": kinds}

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_sizes)

    def value(self, machine: int, X: Any) -> Array:
        """Return the value of one machine on every sample, shape (n_samples,)."""
        return value_of(self.estimators[machine], X if self.columns is None else X[:, self.columns[machine]])

    def values(self, X: Any, n_jobs: int | None = None, ranked: bool = False) -> Array:
        """Return the value of every machine on every sample, shape (n_samples, n_machines)."""
        columns = shared_threads(n_jobs, X)(delayed(self.value)(m, X) for m in range(self.n_machines))
        return np.stack(columns, axis=1)

    def values_asked(self, X: Any, asked: Index, threads: Parallel) -> Array:
        """Return the value of one machine per sample. A machine is given only the samples that need it.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        asked : ndarray of shape (n_samples,)
            The machine for each sample, or -1 for none.
        threads : Parallel

        Returns
        -------
        ndarray of shape (n_samples,)
            0 for samples without a machine.
        """
        order = np.argsort(asked, kind="stable")
        order = order[np.searchsorted(asked[order], 0) :]
        machines, first = np.unique(asked[order], return_index=True)
        rows = np.split(order, first[1:])
        by_machine = threads(
            delayed(self.value)(m, X if len(r) == len(asked) else select_rows(X, r))
            for m, r in zip(machines.tolist(), rows, strict=True)
        )
        values = np.zeros(len(asked))
        values[order] = np.concatenate(by_machine)
        return values


def shared_threads(n_jobs: int | None, X: Any) -> Parallel:
    """Return a pool of `n_jobs` threads with shared memory, for many short calls; one thread if there are few samples."""
    return Parallel(1 if X.shape[0] <= FEW_SAMPLES else n_jobs, require="sharedmem")
