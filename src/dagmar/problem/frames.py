"""Tables of pandas, polars and Dask: their numbers, and errors for those that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array, Labels


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
    >>> from dagmar.problem.frames import as_row
    >>> as_row([1.0, 2.0])
    array([[1., 2.]])
    """
    refuse_unusable(x, series=False)
    if _is_series(x):
        return x.to_frame().T
    return x if sp.issparse(x) or len(getattr(x, "shape", ())) == 2 else np.atleast_2d(np.asarray(x))


def as_document(x: Any) -> Any:
    """Return one sample for a model that does not read tables: a text or a mapping becomes a list of one.

    A collection of such samples, such as ``texts[:1]``, is returned unchanged; numbers are a row of a table.

    Parameters
    ----------
    x : str, mapping, collection of one of them, or array-like of shape (n_features,) or (1, n_features)

    Returns
    -------
    list, collection, array, sparse matrix or data frame

    Examples
    --------
    >>> from dagmar.problem.frames import as_document
    >>> as_document("a text"), as_document(["a text"]), as_document([1.0, 2.0])
    (['a text'], ['a text'], array([[1., 2.]]))
    """
    if isinstance(x, str | bytes | Mapping):
        return [x]
    refuse_unusable(x, series=False)
    if dimensions(x) == 1 and len(x) and not isinstance(next(iter(x)), Number):
        return x
    return as_row(x)


def dimensions(x: Any) -> int:
    """Return the number of dimensions of an array, of a table, or of nested lists; a text or another object has none."""
    if hasattr(x, "shape"):
        return len(x.shape)
    return 1 + (dimensions(x[0]) if len(x) else 0) if isinstance(x, list | tuple) else 0


def _is_series(X: Any) -> bool:
    """Return whether X is a Series of pandas."""
    return hasattr(X, "iloc") and hasattr(X, "to_frame")


def refuse_unusable(X: Any, *, series: bool = True) -> None:
    """Raise an error for tables that scikit-learn would refuse with a misleading message; for a Series only if `series`."""
    refuse_dask(X)
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame, which has no values yet: pass X.collect()")
    if series and _is_series(X):
        raise ValueError(
            "Expected 2D array, got 1D array instead: X is a Series. For one sample with its names write frame.iloc[[i]] or "
            "series.to_frame().T; for one feature write series.to_frame()."
        )


def refuse_dask(data: Any, name: str = "X") -> None:
    """Raise TypeError for a Dask collection, which would silently be gathered into this process."""
    if hasattr(data, "__dask_graph__"):
        raise TypeError(
            f"{name} is a Dask {type(data).__name__}, which would be gathered into this process. dagmar.dask.SVC trains on the "
            f"workers of its cluster, and dagmar.dask.predict predicts there; or pass {name}.compute()."
        )
