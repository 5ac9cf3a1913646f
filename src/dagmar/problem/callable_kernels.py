"""Callable kernels: Python functions that compute kernel matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array


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


def kernel_matrix(kernel: Callable[..., Any], X: Any, Z: Any) -> Array:
    """Return the matrix of a callable kernel for two sets of samples, shape (n_X, n_Z)."""
    matrix = kernel(X, Z)
    if sp.issparse(matrix):
        matrix = matrix.toarray()
    return np.asarray(matrix, dtype=np.float64, order="C")
