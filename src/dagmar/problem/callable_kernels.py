"""Callable kernels: Python functions that compute kernel matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array
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

    def rows(self, X: Any) -> Array:
        """Return the kernel values of samples with the training samples, shape (n_X, n_samples)."""
        return kernel_matrix(self.function, X, self.samples)

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


def kernel_matrix(kernel: Callable[..., Any], X: Any, Z: Any) -> Array:
    """Return the matrix of a callable kernel for two sets of samples, shape (n_X, n_Z)."""
    matrix = kernel(X, Z)
    if sp.issparse(matrix):
        matrix = matrix.toarray()
    return np.asarray(matrix, dtype=np.float64, order="C")
