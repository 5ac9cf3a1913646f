"""The rounding error of kernel values in single precision, measured."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.instructions import simd_level
from ..base.typing import Array, Features, Index
from .kernels import Kernel
from .reductions import DistantRows
from .samples import as_data

# The size of the part of the kernel matrix on which single precision is compared with double: its rows, the most columns, and
# about how many numbers these columns may have. The errors of wide samples differ less from each other, so fewer suffice. With
# few samples, only a quarter are columns: measuring must not take as long as the training.
MEASURED_ROWS, MEASURED_COLUMNS, MEASURED_NUMBERS = 32, 256, 2**16

# The largest error is about this many standard errors.
LARGEST_IN_ERRORS = 2.0


def measured_error(
    X: Features,
    kernel: Kernel,
    centre: Array | None,
    norms: Array,
    gammas: Array | None = None,
    n_threads: int = 1,
) -> float:
    """Return the standard error of a kernel value in single precision, measured by computing some values in both.

    If a kernel falls off quickly, its values and their errors are small, far below the estimate of `Kernel.error`. The
    samples measured are spread evenly over the data. Those with large norms, whose errors are the largest, are included: the
    one with the largest, and that of each part of the data. The result is half the largest error, not the root mean square:
    errors are largest between samples near each other, which are few in a row, but they support the machines.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    kernel : Kernel
        It must not be precomputed.
    centre : ndarray of shape (n_features,) or None
    norms : ndarray of shape (n_samples,)
        Squared norms of the samples after centring.
    gammas : ndarray, optional
        Measure with five values over the range of these instead of the kernel's gamma, and return the largest error.
    n_threads : int

    Returns
    -------
    float
    """
    n = len(norms)
    n_columns = min(MEASURED_COLUMNS, max(2 * MEASURED_ROWS, min(n // 4, MEASURED_NUMBERS * n // max(1, X.size))))
    chosen, rows = samples_to_measure(norms, MEASURED_ROWS, n_columns)
    tried = [kernel.gamma] if gammas is None else np.geomspace(gammas.min(), gammas.max(), 5).tolist()
    if isinstance(X, DistantRows):
        X, chosen = X[chosen], np.arange(len(chosen))
    data, class_start = as_data(X), np.array([0, len(chosen)], dtype=np.int64)

    def error(gamma: float) -> float:
        native = (kernel if gamma == kernel.gamma else replace(kernel, gamma=gamma)).native()
        problem = _core.Problem(x=data, order=chosen, class_start=class_start, kernel=native, centre=centre)
        return _core.single_error(problem, rows, n_threads, simd_level()) / LARGEST_IN_ERRORS

    errors = [error(gamma) for gamma in tried]
    # Infinite where values are not finite in single precision.
    return max(errors) if all(map(math.isfinite, errors)) else math.inf


def samples_to_measure(norms: Array, n_rows: int, n_spread: int) -> tuple[Index, NDArray[np.int32]]:
    """Choose samples whose kernel values show the error of single precision.

    Parameters
    ----------
    norms : ndarray of shape (n_samples,)
        Squared norms of the samples.
    n_rows : int
        About how many rows of the kernel matrix to compute; half of them are of samples with large norms.
    n_spread : int
        How many samples to choose in addition, spread evenly over the data.

    Returns
    -------
    samples : ndarray of shape (n,), int64
        The one with the largest norm, then that of each part of the data, then those that are spread. A sample may be there
        more than once.
    rows : ndarray of shape (m,), int32
        Places in `samples`.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.precision import samples_to_measure
    >>> samples, rows = samples_to_measure(np.array([1.0, 5.0, 2.0, 9.0, 3.0, 4.0]), 4, 3)
    >>> samples.tolist(), rows.tolist()
    ([3, 1, 3, 0, 2, 4], [0, 1, 2, 3, 4, 5])
    """
    n, n_parts, n_spread = len(norms), min(len(norms), n_rows // 2), min(len(norms), n_spread)
    size = n // n_parts
    of_parts = norms[: n_parts * size].reshape(n_parts, size).argmax(axis=1) + np.arange(n_parts) * size
    spread = np.arange(n_spread) * n // n_spread
    places = np.arange(1 + n_parts + n_spread, dtype=np.int32)
    step = max(1, 2 * n_spread // n_rows)
    rows = np.concatenate([places[: 1 + n_parts], places[1 + n_parts :: step]])
    return np.concatenate([[norms.argmax()], of_parts, spread]), rows
