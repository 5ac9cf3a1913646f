"""Checks of X, y and weights, with the same errors as in scikit-learn."""

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

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.typing import Array, Features, Index, Labels
from .reductions import column_sums
from .samples import core_rows

_ACCEPTED = {"dtype": [np.float64, np.float32], "order": "C", "accept_sparse": "csr"}


# From so many values on, training data is summed at once: that tells NaN and infinity, and its mean is needed anyway.
MANY_VALUES = 10000

# ----------------------------------------------------------------- columns


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
        _refuse(X, checks)
        stand_in = _stand_in_class(owner)()
        X, y = validate_data(stand_in, X, y, **checks)
        found = (getattr(stand_in, name, None) for name in ("n_features_in_", "feature_names_in_"))
        return X, y, cls(owner, *found)

    def check(self, X: Any, **checks: Any) -> Any:
        """Check samples with `validate_data`; raise ValueError unless they have the same columns."""
        _refuse(X, checks)
        stand_in = _stand_in_class(self.owner)()
        if self.n_features is not None:
            stand_in.n_features_in_ = self.n_features
        if self.names is not None:
            stand_in.feature_names_in_ = self.names
        return validate_data(stand_in, X, reset=False, **checks)

    def plain(self, X: Any) -> Features | None:
        """Return what `check` would return, if that is clear at a glance; otherwise None. This costs a tenth of a full check.

        For a single sample, a full check would cost more than the prediction.
        """
        if self.names is not None:
            X = frame_values(X, self.names)
        return X if samples_as_given(X) and X.shape[1] == self.n_features else None


# A full check of small training data by scikit-learn takes longer than the fit. It changes nothing in ordinary arrays, which
# these two functions recognise; everything else goes to the full check, and gets its errors and warnings.


def samples_as_given(X: Any, sums: Array | None = None) -> bool:
    """Return whether the core can use X without conversion: a row-major array of finite floats, with rows and columns.

    If they are known, `sums` are the `plain_sums` of X.
    """
    if sums is not None:
        return _core.finite_samples(sums[None], 1)
    return type(X) is np.ndarray and _core.finite_samples(X, 1)


def plain_sums(X: Any, n_threads: int = 1) -> Array | None:
    """Return the `column_sums` of an array that the core can use without conversion, if it is large; otherwise None.

    They are finite if all values are, unless they overflow, and the samples may be centred by them: one pass over a large array
    serves both.
    """
    plain = (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.char in "df"
        and X.dtype.isnative
        and X.flags.c_contiguous
        and X.size > 0
    )
    return column_sums(X, n_threads) if plain and X.size >= MANY_VALUES and X.shape[1] > 1 else None


def frame_values(X: Any, names: Labels) -> Array | None:
    """Return the numbers in a data frame of pandas or polars with these columns; None for anything else."""
    kind = type(X)
    if kind.__name__ != "DataFrame" or kind.__module__.partition(".")[0] not in ("pandas", "polars"):
        return None
    if not np.array_equal(np.asarray(X.columns, dtype=object), names):
        return None
    values = X.to_numpy()
    if values.dtype.kind not in "iuf":  # a missing value may make it an array of objects
        return None
    return np.ascontiguousarray(values, dtype=values.dtype if values.dtype.char in "df" else np.float64)


def as_row(x: Any) -> Any:
    """Return one sample as a table of one row: a Series of pandas becomes a data frame, so that its names are checked.

    Parameters
    ----------
    x : array-like of shape (n_features,) or (1, n_features)

    Returns
    -------
    array, sparse matrix or data frame of shape (1, n_features)

    Examples
    --------
    >>> from dagmar.problem.validation import as_row
    >>> as_row([1.0, 2.0])
    array([[1., 2.]])
    """
    _refuse(x, {"skip_check_array": True})
    if _is_series(x):
        return x.to_frame().T
    return x if sp.issparse(x) or len(getattr(x, "shape", ())) == 2 else np.atleast_2d(np.asarray(x))


def _is_series(X: Any) -> bool:
    """Return whether X is a Series of pandas."""
    return hasattr(X, "iloc") and hasattr(X, "to_frame")


def _refuse(X: Any, checks: dict[str, Any]) -> None:
    """Raise an error for tables of which scikit-learn would say something misleading."""
    refuse_dask(X)
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame, which has no values yet: pass X.collect()")
    if _is_series(X) and not checks.get("skip_check_array"):
        raise ValueError(
            "Expected 2D array, got 1D array instead: X is a Series. For one sample with its names write frame.iloc[[i]] or "
            "series.to_frame().T; for one feature write series.to_frame()."
        )


def refuse_dask(data: Any, name: str = "X") -> None:
    """Raise TypeError for a Dask collection, which would be gathered into this process without a word."""
    if hasattr(data, "__dask_graph__"):
        raise TypeError(
            f"{name} is a Dask {type(data).__name__}, which would be gathered into this process. dagmar.dask.SVC trains on the "
            f"workers of its cluster, and dagmar.dask.predict predicts there; or pass {name}.compute()."
        )


def labels_as_given(y: Any, n_samples: int) -> bool:
    """Return whether y is a plain array of ordinary labels, one per sample.

    Ordinary labels are whole numbers, booleans and strings. They have at most half as many values as there are samples: with
    more, scikit-learn warns that y looks like a regression target.
    """
    if not (type(y) is np.ndarray and y.shape == (n_samples,) and y.flags.c_contiguous and n_samples > 0):
        return False
    if y.dtype.kind == "U":
        return len(np.unique(y)) <= n_samples // 2
    if y.dtype.kind not in "biuf" or not y.dtype.isnative:
        return False
    lowest, highest = _core.range_of(y) if y.dtype == np.int64 else (y.min().item(), y.max().item())
    few = highest - lowest < n_samples // 2  # false if one of them is NaN or infinite
    return few and (y.dtype.kind != "f" or bool((y == np.trunc(y)).all()))


# ------------------------------------------------------------ training data


def check_training_data(
    owner: str, kernel: str | Callable[..., Any], X: Any, y: Any, n_threads: int = 1, sums: Array | None = None
) -> tuple[Features, Labels, Columns | None]:
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

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    columns : Columns or None
        None for a callable kernel.
    """
    columns = None
    sums = plain_sums(X, n_threads) if sums is None else sums
    refuse_dask(X)
    refuse_dask(y, "y")
    if kernel == "precomputed" and sp.issparse(X):
        raise TypeError("Sparse precomputed kernels are not supported.")
    if not callable(kernel) and samples_as_given(X, sums) and labels_as_given(y, len(X)):
        columns = Columns(owner, X.shape[1])
    else:
        if callable(kernel):
            check_consistent_length(X, y)
        else:
            X, y, columns = Columns.read(owner, X, y, **_ACCEPTED)
            X = core_rows(X) if sp.issparse(X) else X
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
    if kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
    return X, y, columns


def name_of(y: Any) -> str | None:
    """Return the name of y, if it is a Series of pandas or polars with a name that is a text.

    Examples
    --------
    >>> import pandas as pd
    >>> from dagmar.problem.validation import name_of
    >>> name_of(pd.Series([0, 1], name="species"))
    'species'
    """
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def number_classes(y: Labels, known: Labels | None = None) -> tuple[Labels, Index]:
    """Number the classes of y; return the labels and the class index of each sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    known : ndarray of shape (n_classes,), optional
        Number the classes in this order, and raise ValueError unless y has exactly these labels. By default classes are
        numbered in the order of their sorted labels.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
    class_index : ndarray of shape (n_samples,), int64
    """
    classes, class_index = _unique(y)
    if known is not None:
        place = np.argsort(known)
        if not np.array_equal(classes, known[place]):
            raise ValueError("y does not have the labels this model was trained on")
        classes, class_index = known, place[class_index]
    if len(classes) < 2:
        raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
    return classes, class_index


def _unique(y: Labels) -> tuple[Labels, Index]:
    """Return the sorted distinct labels, and the place of each sample's label among them."""
    if y.dtype.kind == "i":
        counted = _core.number_classes(np.ascontiguousarray(y, dtype=np.int64))
        if counted is not None:  # counting is faster than sorting
            return counted[0].astype(y.dtype), counted[1]
    labels, place = np.unique(y, return_inverse=True)
    return labels, place


def check_weights(class_weight: Array, class_index: Index, sample_weight: Any) -> Array:
    """Check `sample_weight` and return the weight of each sample; negative weights become 0.

    Parameters
    ----------
    class_weight : ndarray of shape (n_classes,)
    class_index : ndarray of shape (n_samples,)
        From `number_classes`: two classes or more.
    sample_weight : array-like of shape (n_samples,), float or None

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if not np.isfinite(class_weight).all():
        raise ValueError("class_weight contains NaN or infinity; the weight of each class must be a finite number.")
    weight = np.ones(len(class_index))
    if sample_weight is None and class_weight.min() > 0:
        return weight
    if sample_weight is not None:
        given = np.asarray(sample_weight, dtype=np.float64)
        if given.ndim > 0 and given.shape != class_index.shape:
            raise ValueError(
                f"sample_weight and X have incompatible shapes: {given.shape!r} vs {class_index.shape!r}; "
                "there must be one weight per sample"
            )
        if not np.isfinite(given).all():
            raise ValueError("Input sample_weight contains NaN or infinity.")
        weight = weight * np.maximum(given, 0.0)
    present = class_index[weight * class_weight[class_index] > 0]
    if not len(present):
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    if present.min() == present.max():
        raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
    return weight


# ------------------------------------------------------- samples to decide


@dataclass(frozen=True)
class KernelFunction:
    """A callable kernel with the training samples, which it needs for predictions.

    Attributes
    ----------
    function : callable
        Takes two sets of samples and returns their kernel matrix.
    samples : Any
        The training samples, as the user gave them.
    """

    function: Callable[..., Any]
    samples: Any

    def rows(self, X: Any) -> Array:
        """Return the kernel values of samples with the training samples, shape (n_X, n_samples)."""
        return kernel_matrix(self.function, X, self.samples)


def check_samples(
    X: Any, columns: Columns | None, function: KernelFunction | None, vectors: Features, n_trained: int
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

    Returns
    -------
    ndarray or CSR matrix
    """
    if function is not None:
        X = function.rows(X)
    elif columns is not None:
        sparse_model = vectors is not None and not isinstance(vectors, np.ndarray)
        plain = None if sparse_model else columns.plain(X)
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


def check_class_index(classes: Labels, samples: Features, y: Any) -> Index:
    """Return the class index of each sample; raise ValueError unless y has exactly the labels `classes`."""
    y = column_or_1d(y)
    if len(y) != samples.shape[0]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[samples.shape[0], len(y)]}")
    labels, place = np.unique(y, return_inverse=True)
    known = np.isin(labels, classes)
    if not known.all():
        raise ValueError(f"y has labels that this model does not know: {_first_few(labels[~known])}")
    present = np.isin(classes, labels)
    if not present.all():
        raise ValueError(f"y has no sample of these classes: {_first_few(classes[~present])}")
    index: Index = np.argsort(classes)[place].astype(np.int64)
    return index


def _first_few(labels: Labels) -> str:
    return ", ".join(str(label) for label in labels[:10]) + (", ..." if len(labels) > 10 else "")


def kernel_matrix(kernel: Callable[..., Any], X: Any, Z: Any) -> Array:
    """Return the matrix of a callable kernel for two sets of samples, shape (n_X, n_Z)."""
    matrix = kernel(X, Z)
    if sp.issparse(matrix):
        matrix = matrix.toarray()
    return np.asarray(matrix, dtype=np.float64, order="C")
