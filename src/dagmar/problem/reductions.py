"""Sums over samples in a fixed order, so that they have the same bits wherever the samples are.

Samples are taken in blocks of `BLOCK_ROWS` rows, counted from the first row of the data. One call sums a block; the
sums of the blocks are added one after another. If the rows are on other machines (`DistantRows`), these sum whole blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.typing import Array, Features

# Rows of a block: the core sums as many at a time.
BLOCK_ROWS = _core.BLOCK_ROWS

Result = TypeVar("Result")


class DistantRows:
    """Samples that are not in this process.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
    nnz : int or None
        Number of stored entries of sparse samples; None for dense samples.
    most_nonzeros : int
        The most stored entries of a sparse sample.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    nnz: int | None = None
    most_nonzeros: int = 0

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def size(self) -> int:
        """Number of stored values."""
        return self.shape[0] * self.shape[1] if self.nnz is None else self.nnz

    def __getitem__(self, rows: Any) -> Features:
        """Fetch some rows, given by a slice or an array of indices."""
        raise NotImplementedError

    def by_blocks(self, function: Callable[[Features], Result]) -> Iterator[Result]:
        """Call a function, where the rows are, for each block of `BLOCK_ROWS` rows; yield the results in order."""
        raise NotImplementedError


class DenseRows(DistantRows):
    """Sparse samples that are not in this process, as dense samples.

    Parameters
    ----------
    sparse : DistantRows
    """

    def __init__(self, sparse: DistantRows) -> None:
        self._sparse = sparse
        self.shape, self.dtype = sparse.shape, sparse.dtype

    def __getitem__(self, rows: Any) -> Features:
        """Fetch some rows, given by a slice or an array of indices."""
        return self._sparse[rows].toarray()

    def by_blocks(self, function: Callable[[Features], Result]) -> Iterator[Result]:
        """Call a function, where the rows are, for each block of `BLOCK_ROWS` rows; yield the results in order."""
        return self._sparse.by_blocks(partial(_of_dense, function))


class SparseRows(DistantRows):
    """Dense samples that are not in this process, as sparse samples.

    Parameters
    ----------
    dense : DistantRows
    """

    def __init__(self, dense: DistantRows) -> None:
        self._dense = dense
        self.shape, self.dtype = dense.shape, np.dtype(np.float64)
        counts = np.concatenate(list(dense.by_blocks(_count_nonzeros)))
        self.nnz, self.most_nonzeros = int(counts.sum()), int(counts.max(initial=0))

    def __getitem__(self, rows: Any) -> Features:
        """Fetch some rows, given by a slice or an array of indices."""
        return nonzeros_of(self._dense[rows])

    def by_blocks(self, function: Callable[[Features], Result]) -> Iterator[Result]:
        """Call a function, where the rows are, for each block of `BLOCK_ROWS` rows; yield the results in order."""
        return self._dense.by_blocks(partial(_of_sparse, function))


def _count_nonzeros(block: Array) -> Any:
    return np.count_nonzero(block, axis=1)


def _of_sparse(function: Callable[[Features], Result], block: Features) -> Result:
    return function(nonzeros_of(block))


def _of_dense(function: Callable[[Features], Result], block: Features) -> Result:
    return function(block.toarray())


def is_sparse(X: Any) -> bool:
    """Return whether samples are sparse, wherever they are.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from dagmar.problem.reductions import is_sparse
    >>> is_sparse(np.eye(2)), is_sparse(sp.csr_matrix(np.eye(2)))
    (False, True)
    """
    if type(X) is np.ndarray:
        return False
    return X.nnz is not None if isinstance(X, DistantRows) else sp.issparse(X)


def by_blocks(X: Features, function: Callable[[Features], Result]) -> Iterator[Result]:
    """Yield the results of a function for each block of rows, in order.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.reductions import by_blocks
    >>> [len(block) for block in by_blocks(np.zeros((5000, 1)), np.copy)]
    [4096, 904]
    """
    if isinstance(X, DistantRows):
        return X.by_blocks(function)
    return (function(X[first : first + BLOCK_ROWS]) for first in range(0, X.shape[0], BLOCK_ROWS))


def core_array(X: Array) -> Array:
    """Return dense samples as an array that the core reads: row-major floats."""
    if X.dtype.char in "df" and X.flags.c_contiguous:
        return X
    return np.ascontiguousarray(X, dtype=np.float64)


def some_rows(X: Features, most: int) -> tuple[Array, int]:
    """Choose at most `most` of dense samples, spread evenly, without copying them if they are here.

    Returns
    -------
    rows : ndarray
        The core can read it.
    every : int
        The chosen samples are ``rows[::every]``.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.reductions import some_rows
    >>> X = np.arange(5.0)[:, None]
    >>> rows, every = some_rows(X, 3)
    >>> rows is X, every
    (True, 2)
    """
    every = len(X) // most + 1
    if type(X) is np.ndarray and X.dtype.char in "df" and X.flags.c_contiguous:
        return X, every
    return core_array(X[::every]), 1


def nonzeros_of(X: Array, n_threads: int = 1) -> Features:
    """Return dense samples as a CSR matrix of float64.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.reductions import nonzeros_of
    >>> nonzeros_of(np.array([[0.0, 2.0], [0.0, 0.0]])).data.tolist()
    [2.0]
    """
    found = _core.nonzeros(_core.Data(core_array(X)), n_threads)
    rows = sp.csr_matrix((found.data, found.indices, found.indptr), shape=X.shape)
    rows.has_canonical_format = True  # a check would read everything again
    return rows


def column_sums(X: Features, n_threads: int = 1) -> Array:
    """Return the sum of each column of dense samples in double precision, shape (n_features,).

    The result does not depend on the number of threads.
    """
    if isinstance(X, DistantRows):
        blocks = X.by_blocks(column_sums)
        total = next(blocks)
        for part in blocks:
            total = total + part
        return total
    sums: Array = _core.column_sums(_core.Data(core_array(X)), n_threads)
    return sums


def largest_of_rows(X: Array, n_threads: int = 1) -> Array:
    """Return the largest absolute value of each dense sample, shape (n_samples,); infinity if one is infinite or NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.reductions import largest_of_rows
    >>> largest_of_rows(np.array([[1.0, -2.0], [3.0, np.nan]])).tolist()
    [2.0, inf]
    """
    largest: Array = _core.largest_of_rows(_core.Data(core_array(X)), n_threads)
    return largest


def variance(X: Features) -> float:
    """Return the variance of all values of samples, in double precision.

    For sparse samples it is the mean square less the squared mean, so that only stored entries are read; rounding can make it
    negative.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.reductions import variance
    >>> variance(np.array([[1.0, 2.0], [3.0, 6.0]]))
    3.5
    """
    n = X.shape[0] * X.shape[1]
    if is_sparse(X):
        sums, of_squares = zip(*by_blocks(X, _stored_sums), strict=True)
        mean = sum(sums) / n
        return float(sum(of_squares) / n - mean * mean)  # a power of Python would raise where it leaves the range
    mean = sum(by_blocks(X, _total)) / n
    squares: float = sum(by_blocks(X, partial(_squares, mean)))
    return float(squares / n)


def product_sum(a: Array, b: Array) -> float:
    """Return the sum of the products of two vectors.

    NumPy would leave long vectors (``a @ b``) to several threads of its linear algebra. These wait busily for more work, for a
    tenth of a second, and meanwhile take processors from the threads of the core.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.reductions import product_sum
    >>> product_sum(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((a * b).sum())


def _total(block: Array) -> float:
    return _core.sum_of_values(_core.Data(core_array(block)))


def _stored_sums(block: Features) -> tuple[float, float]:
    """Return the sum of the stored entries of sparse samples, and of their squares."""
    stored = _core.Data(core_array(block.data[None]))
    return _core.sum_of_values(stored), _core.sum_of_squares(stored, 0.0)


def _squares(mean: float, block: Array) -> float:
    return _core.sum_of_squares(_core.Data(core_array(block)), mean)
