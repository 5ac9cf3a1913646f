"""The choice between single and double precision, from the rounding errors of kernel values."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .. import _core
from ..base.instructions import simd_level
from ..base.typing import Array, Features
from .kernels import Kernel
from .reductions import DistantRows, product_sum
from .samples import as_data

# The error of a kernel value must be at most this share of `tol`.
SAFE = 0.01

# In double precision distances are computed from differences of samples if their error by expansion is above this share of
# `tol`. That costs time, but only data far from its centre, for the length of gamma, needs it.
DOUBLE_SAFE = 1e-6

# With fewer multiplications (samples squared times features) single precision saves too little time.
SINGLE_PAYS = 2**21

# Samples whose largest norm is within these bounds are not scaled: their squares are far inside the range of float32.
SMALLEST_NORM, LARGEST_NORM = 2.0**-30, 2.0**30

# The size of the part of the kernel matrix on which single precision is compared with double: its rows, the most columns, and
# about how many numbers these columns may have. The errors of wide samples differ less from each other, so fewer suffice. Of
# few samples, only a quarter are columns: measuring must not take as long as the training.
MEASURED_ROWS, MEASURED_COLUMNS, MEASURED_NUMBERS = 32, 256, 2**16

# The largest error is about so many standard errors.
LARGEST_IN_ERRORS = 2.0

# Errors of Gaussian kernels were measured to be 0.4 to 3 times the estimate of `Kernel.error`. So many times the estimate need
# not be measured if they can hide at most this share of `tol`: that is a few percent of a fit.
SURELY, HARMLESS = 4.0, 0.5

# Standard errors of a score that the solver allows for, with a reserve.
ALLOWED_ERRORS = 6.0


def scale_of(largest_norm2: float) -> float:
    """Return the power of two by which the core multiplies samples, so that their squares stay within range.

    Parameters
    ----------
    largest_norm2 : float
        The largest squared norm of a sample, after centring.

    Returns
    -------
    float
        1 unless the largest norm is very large or very small; otherwise the largest norm is between 1 and 2 after scaling.

    Examples
    --------
    >>> from dagmar.problem.precision import scale_of
    >>> scale_of(9.0), scale_of(2.0**-100) == 2.0**50
    (1.0, True)
    """
    largest = math.sqrt(largest_norm2)
    if largest == 0 or not math.isfinite(largest) or SMALLEST_NORM <= largest <= LARGEST_NORM:
        return 1.0
    _, exponent = math.frexp(largest)
    return math.ldexp(1.0, 1 - exponent)


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
    samples measured are spread evenly over the data; those with the largest norms, whose errors are the largest, are always
    included. The result is half the largest error, not the root mean square: errors are largest between samples near each
    other, which are few in a row, but they support the machines.

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
    chosen, rows = _core.samples_to_measure(norms, MEASURED_ROWS, n_columns)
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


def harmless_error(kernel: Kernel, estimate: float, cap: Array | float, n_samples: int, tol: float) -> float | None:
    """Return an error of kernel values in single precision that needs no measurement, or None if it might matter.

    A score adds up kernel values times multipliers. If all multipliers were at their caps, the error of a score would still be
    small next to `tol`.

    Parameters
    ----------
    kernel : Kernel
    estimate : float
        The standard error by `Kernel.error`.
    cap : ndarray of shape (n_samples,) or float
        The largest multiplier of each sample, or of every sample.
    n_samples : int
    tol : float

    Returns
    -------
    float or None

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.kernels import Kernel
    >>> from dagmar.problem.precision import harmless_error
    >>> harmless_error(Kernel("rbf", 0.1), 1e-7, np.ones(100), 100, 1e-3)
    4e-07
    >>> harmless_error(Kernel("rbf", 0.1), 1e-7, np.inf, 100, 1e-3) is None
    True
    """
    if kernel.name != "rbf" or kernel.by_differences or kernel.scale != 1.0:
        return None  # values may leave the range of single precision, or have other errors than the estimate
    error = SURELY * estimate
    if isinstance(cap, np.ndarray):
        with np.errstate(over="ignore"):
            score_error = error * math.sqrt(product_sum(cap, cap))
    else:
        score_error = error * cap * math.sqrt(n_samples)
    return error if ALLOWED_ERRORS * score_error <= HARMLESS * tol else None


def single_serves(precision: str, kernel: Kernel, error: float, shape: tuple[int, int], tol: float) -> bool:
    """Return whether to compute kernel values in single precision.

    "auto" does so if the error of a kernel value is at most 1 % of `tol` and there are enough samples to save time. It never
    does for a precomputed kernel.

    Parameters
    ----------
    precision : {"auto", "single", "double"}
    kernel : Kernel
    error : float
        Standard error of a kernel value in single precision.
    shape : tuple
        Number of samples, and of terms in a product of two (`most_terms`).
    tol : float

    Returns
    -------
    bool
    """
    n, d = shape
    safe = kernel.name != "precomputed" and n * n * d >= SINGLE_PAYS and error <= SAFE * tol
    return precision == "single" or (precision == "auto" and safe)
