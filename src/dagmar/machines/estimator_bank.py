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
from .convergence import machine_names


def select_rows(X: Any, rows: Index) -> Any:
    """Return some samples of an array, sparse matrix or data frame."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X.take(rows) if type(X).__name__ == "Table" else X[rows]


def is_frame(X: Any) -> bool:
    """Return whether X is a table with named columns: a data frame of pandas or polars, or a table of pyarrow."""
    return hasattr(X, "iloc") or type(X).__name__ in ("DataFrame", "Table")


# How far a probability may be outside of 0 to 1.
ROUNDING = 1e-6


class UnusableAnswerError(ValueError):
    """A classifier answered with something that is not one value per sample."""


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

    Raises
    ------
    UnusableAnswerError
        If the answer is not one number per sample, is NaN, is a probability outside of 0 to 1, or is a label that is neither
        ``False`` nor ``True``.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from dagmar.machines.estimator_bank import value_of
    >>> value_of(KNeighborsClassifier(1).fit([[0.0], [1.0]], [False, True]), [[0.2], [0.9]])
    array([-0.5,  0.5])
    """
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    if hasattr(estimator, "decision_function"):
        _check_classes(estimator)
        return _numbers("decision_function", estimator.decision_function(X), n_samples, 1)
    if hasattr(estimator, "predict_proba"):
        _check_classes(estimator)
        chance = _numbers("predict_proba", estimator.predict_proba(X), n_samples, 2)[:, 1]
        if ((chance < -ROUNDING) | (chance > 1 + ROUNDING)).any():
            raise UnusableAnswerError("predict_proba returned numbers that are not between 0 and 1")
        return chance - 0.5
    labels = _shaped("predict", np.asarray(estimator.predict(X)), n_samples, 1)
    positive = np.asarray(labels == True, dtype=bool)  # noqa: E712  (element by element)
    wrong = ~(positive | np.asarray(labels == False, dtype=bool))  # noqa: E712
    if wrong.any():
        raise UnusableAnswerError(
            f"predict returned {labels[wrong].tolist()[0]!r}, but it was trained on False and True"
        )
    return np.where(positive, 1.0, -1.0)


def _check_classes(estimator: Any) -> None:
    """Raise an error if a classifier says that it does not tell ``False`` from ``True``, in this order."""
    classes = getattr(estimator, "classes_", None)
    if classes is not None and (len(classes) != 2 or classes[0] > classes[1]):
        raise UnusableAnswerError(f"its classes_ are {list(classes)}, but it was trained on False and True")


def _numbers(method: str, answer: Any, n_samples: int, n_columns: int) -> Array:
    """Return the answer of a classifier as numbers without NaN, with a dimension for columns if there are several."""
    try:
        given = np.asarray(answer)
        read = given.astype(np.float64) if given.dtype.kind in "biufO" else None
    except (TypeError, ValueError):  # a ragged list, or objects that are no numbers
        read = None
    if read is None:
        raise UnusableAnswerError(f"{method} returned something other than numbers ({type(answer).__name__})")
    numbers: Array = _shaped(method, read, n_samples, n_columns)
    unknown = np.isnan(numbers).reshape(n_samples, n_columns).any(axis=1)
    if unknown.any():
        raise UnusableAnswerError(f"{method} returned NaN for {int(unknown.sum())} of {n_samples} samples")
    return numbers


def _shaped(method: str, answer: Any, n_samples: int, n_columns: int) -> Any:
    """Return an answer of this many samples and columns; a single column has no dimension of its own."""
    if n_columns == 1 and answer.shape == (n_samples, 1):
        return answer[:, 0]
    expected = (n_samples,) if n_columns == 1 else (n_samples, n_columns)
    if answer.shape != expected:
        raise UnusableAnswerError(f"{method} returned an array of shape {answer.shape} instead of {expected}")
    return answer


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
        """Return the value of one machine on every sample, shape (n_samples,); raise ValueError if it has none."""
        estimator = self.estimators[machine]
        try:
            return value_of(estimator, X if self.columns is None else X[:, self.columns[machine]])
        except UnusableAnswerError as error:
            labels = np.arange(self.n_classes) if self.names is None else self.names.labels
            name = machine_names(self.tasks, labels, np.array([machine]))
            raise ValueError(f"{type(estimator).__name__} cannot decide {name}: {error}") from error

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
