"""Checks of the samples given to `fit` and `predict`, with the same errors as in scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..base.frozen import FrozenArrays
from ..base.threads import n_threads_to_decide
from ..base.typing import Array, Features, Index, Labels
from .callable_kernels import KernelFunction
from .frames import frame_values, refuse_dask, refuse_unusable
from .labels import SortedClasses, sort_classes
from .ordinary_arrays import classes_as_given, samples_as_given
from .samples import core_rows

# Of checking that a value is finite, as `work_per_value` counts it: values come from memory.
WORK_PER_CHECK = 16

# The checks of samples for kernel machines, as options of `validate_data`.
_ACCEPTED = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}


class _StandIn(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An object to pass to `validate_data` instead of the estimator.

    `validate_data` sets attributes on its argument. The estimator must not change before its fit is complete, so a stand-in
    with the same class name is passed.
    """


@cache
def _stand_in_class(owner: str) -> type[Any]:
    return type(owner, (_StandIn,), {})


@dataclass(frozen=True, eq=False)
class Columns(FrozenArrays):
    """Number and names of the columns of X at the time of the fit.

    Attributes
    ----------
    owner : str
        Name of the estimator, for messages.
    n_features : int or None
        Number of columns; None if X has none (a list of texts, for estimators that accept it).
    names : ndarray of shape (n_features,) or None
        The column names, if they are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.validation import Columns
    >>> Columns("SVC", 3).check(np.zeros((1, 2)))
    Traceback (most recent call last):
        ...
    ValueError: X has 2 features, but SVC is expecting 3 features as input.
    """

    owner: str
    n_features: int | None
    names: Labels | None = None

    @classmethod
    def read(cls, owner: str, X: Any, y: Any, **checks: Any) -> tuple[Any, Any, Columns]:
        """Check training data with scikit-learn's `validate_data`; return its X and y, and the columns of X."""
        refuse_unusable(X, series=not checks.get("skip_check_array"))
        stand_in = _stand_in_class(owner)()
        X, y = validate_data(stand_in, X, y, **checks)
        found = (getattr(stand_in, name, None) for name in ("n_features_in_", "feature_names_in_"))
        return X, y, cls(owner, *found)

    def check(self, X: Any, **checks: Any) -> Any:
        """Check samples with `validate_data`; raise ValueError unless they have the same columns."""
        refuse_unusable(X, series=not checks.get("skip_check_array"))
        stand_in = _stand_in_class(self.owner)()
        if self.n_features is not None:
            stand_in.n_features_in_ = self.n_features
        if self.names is not None:
            stand_in.feature_names_in_ = self.names
        return validate_data(stand_in, X, reset=False, **checks)

    def plain(self, X: Any, n_jobs: int | None = 1) -> Features | None:
        """Return what `check` would return if X is an ordinary array or data frame; otherwise None.

        This costs a tenth of a full check. For a single sample, a full check would cost more than the prediction. Threads
        share the check of many.
        """
        if self.names is not None:
            X = frame_values(X, self.names)
        if type(X) is not np.ndarray:
            return None
        threads = n_threads_to_decide(n_jobs, WORK_PER_CHECK * X.size)
        return X if samples_as_given(X, n_threads=threads) and X.shape[1] == self.n_features else None


def check_training_data(
    owner: str,
    kernel: str | Callable[..., Any],
    X: Any,
    y: Any,
    n_threads: int = 1,
    sums: Array | None = None,
    known: Labels | None = None,
) -> tuple[Features, SortedClasses, Columns | None]:
    """Check the samples and labels given to `fit`. For a callable kernel, only the length of X is checked.

    Parameters
    ----------
    owner : str
        Name of the estimator, for messages.
    kernel : str or callable
    X, y
        As given to `fit`.
    n_threads : int
        Threads for large data.
    sums : ndarray of shape (n_features,), optional
        The `plain_sums` of X, if they are known.
    known : ndarray of shape (n_classes,), optional
        As for `sort_classes`.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    classes : SortedClasses
    columns : Columns or None
        None for a callable kernel.
    """
    columns = classes = None
    refuse_dask(X)
    refuse_dask(y, "y")
    if kernel == "precomputed" and sp.issparse(X):
        raise TypeError("Sparse precomputed kernels are not supported.")
    if not callable(kernel) and samples_as_given(X, sums, n_threads):
        classes = classes_as_given(y, len(X), known)
    if classes is not None:
        columns = Columns(owner, X.shape[1])
    else:
        if callable(kernel):
            check_consistent_length(X, y)
        else:
            X, y, columns = Columns.read(owner, X, y, **_ACCEPTED)
            X = core_rows(X) if sp.issparse(X) else X
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        classes = sort_classes(y, known)
    if kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
    return X, classes, columns


def check_samples(
    X: Any,
    columns: Columns | None,
    function: KernelFunction | None,
    vectors: Features,
    n_trained: int,
    support: Index | None = None,
    n_jobs: int | None = 1,
) -> Features:
    """Check samples for a fitted model; for precomputed and callable kernels, return kernel rows.

    Parameters
    ----------
    X
        As given to `predict`.
    columns : Columns or None
        None for a callable kernel.
    function : KernelFunction or None
        The callable kernel, if there is one.
    vectors : ndarray, CSR matrix or None
        The support vectors of the model; None for precomputed and callable kernels.
    n_trained : int
        Number of training samples.
    support : ndarray of int, optional
        The training samples with which a callable kernel compares; by default all.
    n_jobs : int or None
        As for `SVC`.

    Returns
    -------
    ndarray or CSR matrix
    """
    if function is None and support is not None:  # in a damaged model
        raise ValueError("the support vectors are those of a callable kernel, but the model has no function")
    if function is not None:
        X = function.rows(X, support)
        if support is not None:
            return X
    elif columns is not None:
        sparse_model = vectors is not None and not isinstance(vectors, np.ndarray)
        plain = None if sparse_model else columns.plain(X, n_jobs)
        X = _full_check(X, columns, sparse_model) if plain is None else plain
    if vectors is None and X.shape[1] != n_trained:
        raise ValueError(
            f"X.shape[1] = {X.shape[1]} should be equal to {n_trained}, the number of samples at training time"
        )
    return X


def _full_check(X: Any, columns: Columns, sparse_model: bool) -> Features:
    """Check samples with scikit-learn; return them sparse if the model's vectors are."""
    X = columns.check(X, **_ACCEPTED)
    if sp.issparse(X) and not sparse_model:
        raise ValueError(f"cannot use sparse input in {columns.owner!r} trained on dense data")
    if not sparse_model:
        return X
    return core_rows(X if sp.issparse(X) else sp.csr_matrix(X))
