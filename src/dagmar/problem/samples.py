"""Training samples sorted by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core
from ..base.typing import Array, Features, Index
from .reductions import DistantRows, by_blocks, is_sparse


@dataclass(frozen=True)
class ByClass:
    """Samples sorted by class.

    Attributes
    ----------
    order : ndarray of shape (n_samples,), int64
        Indices of the samples, sorted by class; within a class in the order of the data.
    class_start : ndarray of shape (n_classes + 1,), int64
        Where each class begins in `order`.
    weight : ndarray of shape (n_samples,)
        Weight of each sample of `order`: how many samples it stands for.
    """

    order: Index
    class_start: Index
    weight: Array

    @classmethod
    def sort(cls, class_index: Index, n_classes: int, weight: Array | float) -> ByClass:
        """Sort samples by class, from the class and the weight of each; one number if all weights are the same."""
        order = np.argsort(class_index, kind="stable")
        counts = np.bincount(class_index, minlength=n_classes)
        return ByClass(order, np.concatenate([[0], np.cumsum(counts)]), in_order(weight, order))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_start) - 1

    def sample_of_class(self, c: int, max_samples: int | None = None) -> Index:
        """Return the positions in `order` of the samples of a class: all, or `max_samples` spread evenly.

        The same samples are chosen every time.
        """
        begin, end = self.class_start[c : c + 2]
        if max_samples is None or end - begin <= max_samples:
            return np.arange(begin, end)
        places: Index = begin + np.arange(max_samples) * (end - begin) // max_samples
        return places

    @property
    def class_totals(self) -> Array:
        """Total weight of the samples of each class; 1 for a class without weight."""
        totals: Array = np.add.reduceat(self.weight, self.class_start[:-1])
        return np.where(totals > 0, totals, 1.0)  # a class without weight must not divide by zero


def in_order(values: Array | float, order: Index) -> Array:
    """Return the values of samples in another order; a single number is the value of all.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.samples import in_order
    >>> in_order(np.array([1.0, 2.0, 3.0]), np.array([2, 0])).tolist(), in_order(7.0, np.array([2, 0])).tolist()
    ([3.0, 1.0], [7.0, 7.0])
    """
    if isinstance(values, np.ndarray):
        return values[order]
    same = np.empty(len(order))
    same.fill(values)  # np.full takes longer for few
    return same


# The core numbers features and stored entries with int32.
MOST_ENTRIES = 2**31 - 1


def check_entries(n_features: int, nnz: int) -> None:
    """Raise ValueError if int32 cannot number the columns or the stored entries of sparse samples."""
    if max(n_features, nnz) > MOST_ENTRIES:
        raise ValueError(
            f"sparse X has {n_features} columns and {nnz} stored entries; at most {MOST_ENTRIES} of each can be used"
        )


def core_rows(X: Features) -> Features:
    """Return sparse samples in the form that the core reads: CSR of float64, int32 indices, sorted, no duplicates.

    X itself is not changed; it is returned if it has this form already. Raises ValueError if int32 cannot number its columns
    or stored entries, or if its arrays do not fit together.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_features)

    Returns
    -------
    CSR matrix of shape (n_samples, n_features)
    """
    check_entries(X.shape[1], X.nnz)
    # SciPy believes these arrays where it looks for duplicates.
    if X.indptr[0] != 0 or (np.diff(X.indptr) < 0).any() or X.nnz > min(len(X.indices), len(X.data)):
        raise ValueError("indptr of the sparse samples must ascend from 0 to at most the stored entries")
    if X.dtype != np.float64 or not X.has_canonical_format:
        X = X.astype(np.float64)  # a copy
        X.sum_duplicates()
    if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32:
        return X
    if len(X.indices) and not (X.indices.min() >= 0 and X.indices.max() < X.shape[1]):  # narrowing would hide it
        raise ValueError(f"sparse X has indices outside its {X.shape[1]} columns")
    narrow = type(X)(X.shape, dtype=np.float64)
    narrow.data, narrow.indices, narrow.indptr = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    narrow.has_canonical_format = True
    return narrow


def occurring_columns(X: Features) -> tuple[Features, Index]:
    """Return the columns of sparse samples in which something is stored, and their indices.

    Products of SciPy's sparse matrices take memory for all columns. There may be billions, of which few occur.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_features)

    Returns
    -------
    X : CSR matrix of shape (n_samples, n_occurring)
    columns : ndarray of shape (n_occurring,), int64

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from dagmar.problem.samples import occurring_columns
    >>> rows, columns = occurring_columns(sp.csr_matrix([[0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 0.0, 3.0]]))
    >>> rows.toarray().tolist(), columns.tolist()
    ([[1.0, 2.0], [0.0, 3.0]], [1, 3])
    """
    columns, place = np.unique(X.indices, return_inverse=True)
    rows = type(X)((X.data, place.astype(np.int32), X.indptr), shape=(X.shape[0], len(columns)))
    return rows, columns.astype(np.int64)


def work_per_value(X: Features) -> float:
    """Estimate what a kernel value with one of these samples takes, in multiply-adds of a dense product.

    It is the product over the features, and about 32 more for the kernel function and the sum of a machine. The entries of a
    sparse row are multiplied one by one, which takes 16 times as long. A precomputed kernel (None) has no product.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.samples import work_per_value
    >>> work_per_value(np.zeros((5, 10))), work_per_value(None)
    (42.0, 32.0)
    """
    if X is None:
        return 32.0
    return 32.0 + float(16.0 * X.nnz / max(1, X.shape[0]) if is_sparse(X) else X.shape[1])


def most_terms(X: Features) -> int:
    """Return the number of products that a dot product of two samples adds up: features, or most nonzeros of a sparse sample.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.samples import most_terms
    >>> most_terms(np.zeros((5, 10)))
    10
    """
    if not is_sparse(X):
        return int(X.shape[1])
    return X.most_nonzeros if isinstance(X, DistantRows) else int(np.diff(X.indptr).max(initial=0))


def common_features(X: Features, class_start: Index) -> NDArray[np.int32] | None:
    """Return the features of sparse samples that are frequent enough for the core to multiply them separately.

    Which features are common decides the order of additions, and so the bits of a kernel value. So they are found once for all
    samples, and machines that are trained on some classes only, elsewhere, have the same bits.

    Parameters
    ----------
    X : ndarray, CSR matrix or DistantRows of shape (n_samples, n_features)
    class_start : ndarray of shape (n_classes + 1,)

    Returns
    -------
    ndarray of shape (n_common,), int32, or None
        Ascending; None for dense samples.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from dagmar.problem.samples import common_features
    >>> X = sp.csr_matrix((np.ones(30), ([*range(29), 29], [1] * 29 + [3])), shape=(30, 5))
    >>> common_features(X, np.array([0, 30])).tolist()
    [1]
    """
    if not is_sparse(X):
        return None
    features, counts = zip(*by_blocks(X, _occurrences), strict=True)
    found, place = np.unique(np.concatenate(features), return_inverse=True)
    total = np.bincount(place, np.concatenate(counts), len(found)).astype(np.int64)
    common: NDArray[np.int32] = _core.common_features(found.astype(np.int32), total, class_start)
    return common


def _occurrences(block: Features) -> tuple[Index, Index]:
    """Return the features that occur in a block of sparse samples, and how often."""
    if block.shape[1] > block.nnz:
        features, counts = np.unique(block.indices, return_counts=True)
        return features, counts
    counts = np.bincount(block.indices, minlength=block.shape[1])
    features = np.flatnonzero(counts)
    return features, counts[features]


def as_data(X: Features) -> _core.Data:
    """Return validated samples in the form that the core reads, without a copy."""
    if type(X) is not np.ndarray and sp.issparse(X):
        return _core.Data(X.data, X.indices, X.indptr, X.shape[1])
    return _core.Data(X)
