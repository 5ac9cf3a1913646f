"""Ordinary arrays, which the core can use as they are.

A full check of small training data by scikit-learn takes longer than the fit. It changes nothing in ordinary arrays, which
these functions recognise; everything else goes to the full check, and gets its errors and warnings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from ..base.typing import Array, Labels
from .labels import SortedClasses, sort_classes
from .reductions import column_sums, largest_of_rows

# Training data with at least this many values is checked by the sums of its columns: a sum is NaN or infinite if a value is,
# and the mean is needed anyway.
MANY_VALUES = 10000


def samples_as_given(X: Any, sums: Array | None = None, n_threads: int = 1) -> bool:
    """Return whether the core can use X without conversion: a row-major array of finite floats, with rows and columns.

    If they are known, `sums` are the `plain_sums` of X. Threads share the check of a large array.
    """
    if sums is not None:
        return _core.finite_samples(sums[None], 1)
    return type(X) is np.ndarray and _core.finite_samples(X, n_threads)


def plain_sums(X: Any, kernel: str | Callable[..., Any], n_threads: int = 1) -> Array | None:
    """Return the `column_sums` of an array that the core can use without conversion, if it is large; otherwise None.

    One pass over a large array then serves two purposes: the sums are finite if all values are (unless they overflow), and the
    samples may be centred by them. The matrix of a precomputed kernel is not centred; for it, the `largest_of_rows` serve the
    same purposes. Samples of a callable kernel are not checked.
    """
    if callable(kernel):
        return None
    plain = (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.char in "df"
        and X.dtype.isnative
        and X.flags.c_contiguous
        and X.size > 0
    )
    if not plain or X.size < MANY_VALUES or X.shape[1] == 1:
        return None
    return largest_of_rows(X, n_threads) if kernel == "precomputed" else column_sums(X, n_threads)


def classes_as_given(y: Any, n_samples: int, known: Labels | None = None) -> SortedClasses | None:
    """Return the `sort_classes` of y if it is a plain array of ordinary labels, one per sample; otherwise None.

    Ordinary labels are whole numbers, booleans and strings. They have at most half as many values as there are samples: with
    more, scikit-learn warns that y looks like a regression target.
    """
    if not (type(y) is np.ndarray and y.shape == (n_samples,) and y.flags.c_contiguous and n_samples > 0):
        return None
    kind = y.dtype.kind
    if kind not in "biufU" or not y.dtype.isnative or (kind == "f" and not _small_whole_numbers(y)):
        return None
    classes = sort_classes(y, known)
    return classes if len(classes.labels) <= n_samples // 2 else None


def _small_whole_numbers(y: Labels) -> bool:
    """Return whether floats are whole numbers that an integer can hold; NaN and infinity are not."""
    return bool((np.abs(y) < 2**53).all() and (y == np.trunc(y)).all())
