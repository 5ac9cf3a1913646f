"""Data sets downloaded through scikit-learn: from OpenML, and Covertype by `fetch_covtype`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from dagmar.base.typing import Array, Index

from .catalogue import Known
from .exceptions import DataError

OPENML, SCIKIT_LEARN = "OpenML", "scikit-learn"


def source_of(name: str, known: Known | None) -> str | None:
    """Where a set can be downloaded; None if nowhere.

    Parameters
    ----------
    name : str
    known : Known or None

    Returns
    -------
    {"OpenML", "scikit-learn"} or None
    """
    if name == "covertype":
        return SCIKIT_LEARN
    return OPENML if known is not None and known.openml is not None else None


def fetch(name: str, known: Known) -> dict[str, tuple[Array, Index]]:
    """Download a data set, number its classes, and split it as its files are split.

    Parameters
    ----------
    name : str
    known : Known
        With an OpenML id, unless the name is "covertype".

    Returns
    -------
    dict of str to (X, y)
        By part, as in `data.DataSet`.

    Raises
    ------
    DataError
        If the download fails, or the set has another number of rows.
    """
    source = source_of(name, known)
    print(f"[dagmar] {name} comes from {source}", file=sys.stderr)
    try:
        X, labels = _covertype() if source == SCIKIT_LEARN else _openml(known)
    except (OSError, ValueError) as error:  # urllib's errors are OSErrors, OpenML's are ValueErrors
        raise DataError(f"{source} failed with: {error}") from error
    ends = np.cumsum([known.rows(part) for part in known.counts])
    if len(labels) != ends[-1]:
        raise DataError(f"{name} from {source} has {len(labels)} rows instead of {ends[-1]}")
    y = classes_of(labels)
    parts = zip(known.counts, np.split(X, ends[:-1]), np.split(y, ends[:-1]), strict=True)
    return {part: (X_part, y_part) for part, X_part, y_part in parts}


def _openml(known: Known) -> tuple[Array, NDArray[Any]]:
    from sklearn.datasets import fetch_openml

    # This parser does not need pandas.
    bunch = fetch_openml(data_id=known.openml, as_frame=False, parser="liac-arff")
    X = bunch.data.toarray() if issparse(bunch.data) else bunch.data
    return np.asarray(X, dtype=np.float64), np.asarray(bunch.target)


def _covertype() -> tuple[Array, NDArray[Any]]:
    from sklearn.datasets import fetch_covtype

    X, y = fetch_covtype(return_X_y=True)
    return np.asarray(X, dtype=np.float64), np.asarray(y)


def classes_of(labels: NDArray[Any]) -> Index:
    """Classes 0 ... N-1, in the order of the labels: numbers by value, other labels by the alphabet.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Strings, categories or numbers.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.online import classes_of
    >>> classes_of(np.array(["10", "9", "10"])).tolist()
    [1, 0, 1]
    """
    words = np.array([str(label) for label in labels])
    if all(word.isdigit() for word in np.unique(words)):
        return np.unique(words.astype(np.int64), return_inverse=True)[1].astype(np.int64)
    return np.unique(words, return_inverse=True)[1].astype(np.int64)
