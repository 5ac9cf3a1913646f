"""Single or double precision: how large the rounding of kernel values is, and which precision serves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import _core
from ..base.typing import Array, Features
from .kernels import Kernel
from .samples import as_data

# Below this many multiplications (samples squared times features) single precision saves nothing worth having.
SINGLE_PAYS = 2**25

# Rows and columns of the kernel in which single precision is compared with double.
MEASURED_ROWS, MEASURED_COLUMNS = 32, 256


def measured_error(
    X: Features, kernel: Kernel, centre: Array | None, norms: Array, gammas: Array | None = None
) -> float:
    """Standard error of a kernel value in single precision, found by computing some in both.

    Where a kernel falls off quickly, values are small and their errors too, far below what `Kernel.single_error` allows
    for. The samples are spread evenly over the data, and those with the largest norms, whose errors are the largest, are
    always among them. What counts is the worst row, as errors of a row add up in one score.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    kernel : Kernel
        Not a precomputed one.
    centre : ndarray of shape (n_features,) or None
    norms : ndarray of shape (n_samples,)
        Squared norms after centring.
    gammas : ndarray, optional
        Take the worst over the range of these, in place of the kernel's gamma.

    Returns
    -------
    float
    """
    n = len(norms)
    n_far = min(n, MEASURED_ROWS // 2)
    far = np.argpartition(norms, n - n_far)[n - n_far :]
    spread = np.arange(MEASURED_COLUMNS) * n // MEASURED_COLUMNS if n > MEASURED_COLUMNS else np.arange(n)
    spread = np.setdiff1d(spread, far)
    chosen = np.concatenate([far, spread]).astype(np.int64)
    rows = np.concatenate(
        [np.arange(len(far)), len(far) + np.arange(0, len(spread), max(1, 2 * len(spread) // MEASURED_ROWS))]
    )
    tried = [kernel.gamma] if gammas is None else np.geomspace(gammas.min(), gammas.max(), 5).tolist()
    data, class_start = as_data(X), np.array([0, len(chosen)], dtype=np.int64)

    def error(gamma: float) -> float:
        native = replace(kernel, gamma=gamma).native()
        problem = _core.Problem(x=data, order=chosen, class_start=class_start, kernel=native, centre=centre)
        return _core.single_error(problem, rows.astype(np.int32), _core.best_level())

    return max(map(error, tried))


def single_serves(precision: str, kernel: Kernel, error: float, shape: tuple[int, int], tol: float) -> bool:
    """Whether kernel values are to be computed in single precision.

    "auto" chooses it where the error of a kernel value is far below `tol` and the samples are enough to gain by it.

    Parameters
    ----------
    precision : {"auto", "single", "double"}
    kernel : Kernel
    error : float
        Standard error of a kernel value in single precision.
    shape : tuple
        Samples and features.
    tol : float

    Returns
    -------
    bool
    """
    n, d = shape
    safe = kernel.name != "precomputed" and n * n * d >= SINGLE_PAYS and error <= 0.01 * tol
    return precision == "single" or (precision == "auto" and safe)
