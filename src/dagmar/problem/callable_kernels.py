"""Callable kernels: Python functions that compute kernel matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array, Index
from .frames import as_row, dimensions


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

    def rows(self, X: Any, support: Index | None = None) -> Array:
        """Return the kernel values of samples with the training samples, or with some of them, shape (n_X, n_samples).

        Parameters
        ----------
        X : collection of samples
        support : ndarray of int, optional
            The indices of the training samples to ask for; by default all.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import numpy as np
        >>> from dagmar.problem.callable_kernels import KernelFunction
        >>> kernel = KernelFunction(lambda A, B: np.array([[len(a + b) for b in B] for a in A]), ["x", "yy", "zzz"])
        >>> kernel.rows(["", "abc"], np.array([2, 0])).tolist()
        [[3.0, 1.0], [6.0, 4.0]]
        """
        if support is None:
            return kernel_matrix(self.function, X, self.samples)
        # A function may not be able to compare with no samples.
        asked = support if len(support) else np.zeros(1, dtype=np.int64)
        return kernel_matrix(self.function, X, _taken(self.samples, asked))[:, : len(support)]

    def one(self, x: Any) -> Any:
        """Return one sample as a set of one sample, with the dimensions of the training samples.

        Examples
        --------
        >>> import numpy as np
        >>> from dagmar.problem.callable_kernels import KernelFunction
        >>> KernelFunction(np.dot, np.zeros((5, 2))).one([1.0, 2.0])
        array([[1., 2.]])
        >>> KernelFunction(len, ["a", "b"]).one("c")
        ['c']
        """
        n = dimensions(self.samples)
        if dimensions(x) != n - 1:
            return x
        if n == 2:
            return as_row(x if hasattr(self.samples, "iloc") else np.asarray(x))
        if n > 2:
            return np.asarray(x)[np.newaxis]
        if isinstance(self.samples, np.ndarray):
            alone = np.empty(1, dtype=object if isinstance(x, str) else self.samples.dtype)  # texts of any length
            alone[0] = x
            return alone
        return type(self.samples)([x])


def _taken(samples: Any, rows: Index) -> Any:
    """Return some of the samples, in a collection of the same type."""
    if hasattr(samples, "iloc"):
        return samples.iloc[rows]
    if sp.issparse(samples) and samples.format in ("bsr", "coo", "dia"):
        return samples.tocsr()[rows]
    if hasattr(samples, "shape"):
        return samples[rows]
    return type(samples)([samples[i] for i in rows.tolist()])


def kernel_matrix(kernel: Callable[..., Any], X: Any, Z: Any) -> Array:
    """Return the matrix of a callable kernel for two sets of samples, shape (n_X, n_Z)."""
    matrix = kernel(X, Z)
    if sp.issparse(matrix):
        matrix = matrix.toarray()
    return np.asarray(matrix, dtype=np.float64, order="C")
