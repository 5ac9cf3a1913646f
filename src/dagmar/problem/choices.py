"""The choices that training obeys: centre, scale, precision, integers, dense or sparse.

They are made here, once for a whole fit, from a few facts about the samples. Samples on the workers of a cluster have the same
facts, so that a cluster's models have the bits of a local fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.parameters import OF_DIFFERENCES
from ..base.typing import Array, Features, Index
from .codes import codes_of
from .kernels import DOUBLE_ROUNDOFF, Kernel, largest_norm2, squared_norms
from .precision import measured_error
from .reductions import (
    DenseRows,
    DistantRows,
    SparseRows,
    by_blocks,
    column_sums,
    is_sparse,
    largest_of_rows,
    nonzeros_of,
    product_sum,
    some_rows,
)
from .samples import as_data, common_features, most_terms

NOT_FINITE = (
    "The dual coefficients or intercepts are not finite. The input data may contain large values and need to be "
    "preprocessed."
)

# Sparse samples are trained as dense ones if that is faster: if they have at most this many numbers, with their zeros (2 MiB),
# or if at least this share is stored. Measured with 100 to 2000 samples of 4 to 10,000 features, of which 1 to 100 % are
# stored, dense training then takes 0.2 to 0.9 times as long. Texts have many more zeros and stay sparse.
DENSE_NUMBERS, DENSE_SHARE = _core.DENSE_NUMBERS, 0.5

# Dense samples of these kernels are trained as sparse ones, if they have more numbers than that and few nonzeros
# (`_core.mostly_zeros`).
SKIP_ZEROS = (*OF_DIFFERENCES, "tanimoto")

# The error of a kernel value in single precision must be at most this share of `tol`, for values of size 1. Where values are
# larger, multipliers are smaller, and so is what an error does to a score: errors are divided by `typical_size`. (Over 35 sets
# and C of 1 and 100, linear and poly kernels trained 1.2 times as fast in single precision as in double, in the mean.)
SAFE = 0.01

# In double precision distances are computed from differences of samples if their error by expansion is above this share of
# `tol`. That costs time, but only data far from its centre, compared with the length scale of gamma, needs it.
DOUBLE_SAFE = 1e-6

# With fewer multiplications (samples squared times features) single precision saves too little time.
SINGLE_PAYS = 2**21

# Samples whose largest norm is within these bounds are not scaled: their squares are far inside the range of float32.
SMALLEST_NORM, LARGEST_NORM = 2.0**-30, 2.0**30

# The Tanimoto kernel is a ratio, of which small samples must not lose digits by underflow either: squared norms above 0 must be
# at least this for single and for double precision.
SMALLEST_SINGLE, SMALLEST_DOUBLE = 2.0**-100, 2.0**-960

# Below this, squares of samples lose digits in double precision. Kernels of squares are constant then; others need not be.
SMALLEST_NORM2 = 1e-290

# Errors of Gaussian kernels were measured to be 0.4 to 3 times the estimate of `Kernel.error`. SURELY times the estimate need
# not be measured if it can hide at most the share HARMLESS of `tol`. (Measuring takes a few percent of a fit.)
SURELY, HARMLESS = 4.0, 0.5

# Numbers of a kernel matrix that are read at a time.
AT_ONCE = 2**15

# About how many samples show which values features usually have, and which are common.
USUAL_ROWS, SOME_ROWS = 100, 256


@dataclass(frozen=True, eq=False)
class Choices:
    """How kernel values of a problem are computed; the same for all machines.

    Attributes
    ----------
    kernel : Kernel
        With its scale, and whether distances are computed from differences.
    centre : ndarray of shape (n_features,) or None
        Subtracted from the samples before the kernel is computed.
    precision : {"single", "double"}
        Precision of the kernel rows.
    kernel_error, double_error : float
        Standard errors of a kernel value in single and in double precision.
    common : ndarray of shape (n_common,), int32, or None
        The common features of sparse samples: see `common_features`.
    codes : ndarray of shape (3 * n_features,) or None
        Which features of dense samples are multiples of one step: see `codes_of`.
    converted : bool
        Whether sparse samples are trained as dense ones, or dense samples as sparse ones.
    single_decisions : bool
        Whether decisions may be in single precision if training is. False for sparse samples that are trained as dense ones if
        they are far from the origin: decisions of sparse samples are not centred.
    words : mapping of str to str
        The choices and their reasons, for reports.
    """

    kernel: Kernel
    centre: Array | None
    precision: str
    kernel_error: float
    double_error: float = 0.0
    common: NDArray[np.int32] | None = None
    codes: Array | None = None
    converted: bool = False
    single_decisions: bool = True
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Facts:
    """What the choices depend on.

    Attributes
    ----------
    n_samples, n_terms : int
        Number of samples, and of terms in a product of two (`most_terms`).
    centre : ndarray of shape (n_features,) or None
    norms : ndarray of shape (n_samples,)
        Squared norms of the samples after centring. For a precomputed kernel, the largest absolute value of each row.
    """

    n_samples: int
    n_terms: int
    centre: Array | None
    norms: Array

    @classmethod
    def of(cls, rows: Features, kernel: Kernel, n_threads: int = 1, sums: Array | None = None) -> Facts:
        """Find the facts about samples; `sums` are their `column_sums` or `largest_of_rows`, if these are known."""
        if kernel.name == "precomputed":
            return cls(rows.shape[0], rows.shape[1], None, largest_of_rows(rows, n_threads) if sums is None else sums)
        centre = centre_of(rows, kernel, n_threads, sums)
        return cls(rows.shape[0], most_terms(rows), centre, squared_norms(rows, centre, n_threads))


def choose(
    X: Features,
    rows: Features,
    class_start: Index,
    kernel: Kernel,
    cap: Array | float,
    precision: str,
    tol: float,
    gammas: Array | None = None,
    n_threads: int = 1,
    sums: Array | None = None,
) -> tuple[Choices, Facts]:
    """Choose how to train.

    The error of a machine also grows with its multipliers. The solver watches it and continues in double precision where
    necessary.

    Parameters
    ----------
    X, rows : ndarray, CSR matrix or DistantRows of shape (n_samples, n_features)
        The samples, and the `training_rows` of them.
    class_start : ndarray of shape (n_classes + 1,)
    kernel : Kernel
    cap : ndarray of shape (n_samples,) or float
        The largest multiplier of each sample, or of every sample.
    precision : {"auto", "single", "double"}
    tol : float
    gammas : ndarray, optional
        The gammas of the pairs, if they have their own.
    n_threads : int
    sums : ndarray of shape (n_features,), optional
        The `column_sums` of `rows`, if they are known.

    Returns
    -------
    choices : Choices
    facts : Facts
    """
    facts = Facts.of(rows, kernel, n_threads, sums)
    asked, centre = precision, facts.centre
    shape, largest = (facts.n_samples, facts.n_terms), float(facts.norms.max())
    error, double_error = kernel.errors(largest, facts.n_terms)
    if not math.isfinite(error):
        raise ValueError(NOT_FINITE)
    if kernel.name in OF_DIFFERENCES and largest < SMALLEST_NORM2 and any(by_blocks(rows, partial(_differ, centre))):
        raise ValueError(
            f"the values of X are too small for kernel={kernel.name!r}: their squares vanish. Multiply X by a number, and "
            "divide gamma by it."
        )
    # Decisions of sparse samples are not centred.
    as_given = largest_norm2(X, kernel, None) if is_sparse(X) and not is_sparse(rows) else largest
    if kernel.name != "precomputed":
        by_differences = kernel.of_distance and double_error > DOUBLE_SAFE * tol
        scale = scale_of(max(largest, as_given))
        if scale != 1.0 or by_differences:
            kernel = replace(kernel, scale=scale, by_differences=by_differences)
        if by_differences:
            # Centring rounds, too: samples whose differences matter stay where they are.
            centre = None
            double_error = DOUBLE_ROUNDOFF * np.sqrt(facts.n_terms)
        if kernel.name == "tanimoto" and not ratios_fit_single(facts.norms, scale):
            precision = "double"
        if single_serves(precision, 0.0, shape, tol):
            harmless = harmless_error(kernel, error, cap, facts.n_samples, tol) if gammas is None else None
            if harmless is None:
                measured = measured_error(rows, kernel, centre, facts.norms, gammas, n_threads)
                # Close pairs of samples are rare, so the measurement may miss them. It shows what the estimate cannot know:
                # values beyond the range of single precision.
                error = max(measured, 0.1 * error)
            else:
                error = harmless
            if error > SAFE * kernel.largest(largest):  # values so small that single precision loses their digits
                precision = "double"
    elif 0.0 < largest < SMALLEST_SINGLE:
        precision = "double"
    size = 1.0 if error <= SAFE * tol else typical_size(kernel, rows, facts, n_threads, sums)
    single = single_serves(precision, error / size, shape, tol)
    common = common_features(rows, class_start)
    codes = codes_of(rows, kernel, centre, n_threads) if single else None
    choices = Choices(
        kernel=kernel,
        centre=centre,
        precision="single" if single else "double",
        kernel_error=error,
        double_error=float(double_error),
        common=common,
        codes=codes,
        converted=rows is not X,
        single_decisions=as_given <= largest or kernel.error(as_given, most_terms(X)) <= SAFE * tol * size,
        words={
            "samples": _samples_in_words(X, rows),
            "centre": "none" if centre is None else "mean or usual values of the features",
            "precision": _precision_in_words(asked, single, error / size, shape),
            "distances": "from differences" if kernel.by_differences else "from products",
            "features": "floats" if codes is None else "integers where possible",
        },
    )
    return choices, facts


def _differ(centre: Array | None, block: Features) -> bool:
    """Return whether samples differ from the centre, however little."""
    if not isinstance(block, np.ndarray):
        return bool(block.data.any())
    return bool((block != (0.0 if centre is None else centre)).any())


# --------------------------------------------------------- dense or sparse


def training_rows(X: Features, kernel: str | Callable[..., Any], n_threads: int = 1) -> Features:
    """Return the samples that training reads: X itself, or X in the other form, dense or sparse, if that is faster.

    Then the same numbers give the same machines to the bit, dense or sparse.

    Parameters
    ----------
    X : ndarray, CSR matrix or DistantRows of shape (n_samples, n_features)
    kernel : str or callable
        As given to the estimator.
    n_threads : int

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from dagmar.problem.choices import training_rows
    >>> training_rows(sp.eye(3, format="csr"), "rbf").tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> X = sp.eye(1000, format="csr")
    >>> training_rows(X, "rbf") is X
    True
    >>> training_rows(X.toarray(), "tanimoto").nnz
    1000
    """
    numbers = X.shape[0] * X.shape[1]
    if is_sparse(X):
        return X if numbers > DENSE_NUMBERS and X.nnz < DENSE_SHARE * numbers else in_other_form(X)
    if kernel not in SKIP_ZEROS or numbers <= DENSE_NUMBERS:
        return X
    some, every = some_rows(X, SOME_ROWS)
    zeros = _core.mostly_zeros(as_data(some), every, getattr(_core.KernelType, str(kernel)))
    return in_other_form(X, n_threads) if zeros else X


def in_other_form(X: Features, n_threads: int = 1) -> Features:
    """Return sparse samples as dense ones, and dense samples as sparse ones."""
    if isinstance(X, DistantRows):
        return DenseRows(X) if is_sparse(X) else SparseRows(X)
    return X.toarray() if is_sparse(X) else nonzeros_of(X, n_threads)


# ------------------------------------------------------- centre and scale


def centre_of(X: Features, kernel: Kernel, n_threads: int = 1, sums: Array | None = None) -> Array | None:
    """Return what dense samples should be centred on; None for the origin. `sums` are the `column_sums`, if they are known.

    The difference between two samples far from the origin is lost in the rounding of their products. So samples are centred on
    their mean if the kernel allows it (`Kernel.trains_centred`). But the core skips zeros. So if most features have one value
    in many samples, as pixels and indicators have, those features are centred on that value, unless the samples are then
    far from the origin.
    """
    if is_sparse(X) or not kernel.trains_centred:
        return None
    mean: Array = (column_sums(X, n_threads) if sums is None else sums) / len(X)
    some, every = some_rows(X, USUAL_ROWS)
    centre = _core.usual_centre(as_data(some), every, mean)
    if centre is None:
        return mean
    return centre if centre.any() else None


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
    >>> from dagmar.problem.choices import scale_of
    >>> scale_of(9.0), scale_of(2.0**-100) == 2.0**50
    (1.0, True)
    """
    largest = math.sqrt(largest_norm2)
    if largest == 0 or not math.isfinite(largest) or SMALLEST_NORM <= largest <= LARGEST_NORM:
        return 1.0
    _, exponent = math.frexp(largest)
    return math.ldexp(1.0, 1 - exponent)


# --------------------------------------------------------------- precision


def ratios_fit_single(norms: Array, scale: float) -> bool:
    """Return whether ratios of these squared norms, multiplied by the square of a scale, keep their digits in single precision.

    Raises ValueError if double precision cannot hold them.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.choices import ratios_fit_single
    >>> ratios_fit_single(np.array([0.0, 1.0]), 1.0), ratios_fit_single(np.array([1e-40, 1.0]), 1.0)
    (True, False)
    """
    smallest = float(norms.min(where=norms > 0, initial=np.inf))
    if smallest < SMALLEST_DOUBLE:
        raise ValueError(
            "Samples of X are so small that their squares are below the range of double precision. Multiply X by a large "
            "number: kernel='tanimoto' does not change."
        )
    return smallest * scale * scale >= SMALLEST_SINGLE


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
    >>> from dagmar.problem.choices import harmless_error
    >>> from dagmar.problem.kernels import Kernel
    >>> harmless_error(Kernel("rbf", 0.1), 1e-7, np.ones(100), 100, 1e-3)
    4e-07
    >>> harmless_error(Kernel("rbf", 0.1), 1e-7, np.inf, 100, 1e-3) is None
    True
    """
    if not kernel.of_distance or kernel.by_differences or kernel.scale != 1.0:
        return None  # values may leave the range of single precision, or have other errors than the estimate
    error = SURELY * estimate
    if isinstance(cap, np.ndarray):
        with np.errstate(over="ignore"):
            score_error = error * math.sqrt(product_sum(cap, cap))
    else:
        score_error = error * cap * math.sqrt(n_samples)
    return error if _core.ALLOWED_ERRORS * score_error <= HARMLESS * tol else None


def typical_size(kernel: Kernel, rows: Features, facts: Facts, n_threads: int = 1, sums: Array | None = None) -> float:
    """Return the size of kernel values that counts beside their error; 1 for sparse samples and precomputed kernels.

    The larger the differences between kernel values, the smaller the multipliers that a machine needs for values near 1 on its
    support vectors. Here the difference is that between K(x, x) of a sample, which nine of ten samples exceed, and K(x, z) of
    an average pair of samples.

    Parameters
    ----------
    kernel : Kernel
    rows : ndarray, CSR matrix or DistantRows of shape (n_samples, n_features)
    facts : Facts
    n_threads : int
    sums : ndarray of shape (n_features,), optional
        The `column_sums` of `rows`, if they are known.

    Returns
    -------
    float
        At least 1.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.choices import Facts, typical_size
    >>> from dagmar.problem.kernels import Kernel
    >>> X, kernel = np.array([[10.0], [-10.0]]), Kernel("poly", 1.0, degree=1)
    >>> [typical_size(kernel, rows, Facts.of(rows, kernel)) for rows in (X, X + 10, X / 100)]
    [100.0, 1.0, 1.0]
    """
    if kernel.name == "precomputed" or is_sparse(rows):
        return 1.0
    mean = (column_sums(rows, n_threads) if sums is None else sums) / facts.n_samples
    if facts.centre is not None:
        mean = mean - facts.centre
    smaller = facts.n_samples // 10
    with np.errstate(over="ignore"):
        norm2 = float(np.partition(facts.norms, smaller)[smaller])
        return max(1.0, kernel.largest(norm2) - kernel.largest(float(mean @ mean)))


def single_serves(precision: str, error: float, shape: tuple[int, int], tol: float) -> bool:
    """Return whether to compute kernel values in single precision.

    "auto" does so if the error of a kernel value is at most 1 % of `tol` and there are enough samples to save time.

    Parameters
    ----------
    precision : {"auto", "single", "double"}
    error : float
        Standard error of a kernel value in single precision, as a share of their `typical_size`.
    shape : tuple
        Number of samples, and of terms in a product of two (`most_terms`).
    tol : float

    Returns
    -------
    bool
    """
    n, d = shape
    safe = n * n * d >= SINGLE_PAYS and error <= SAFE * tol
    return precision == "single" or (precision == "auto" and safe)


def _samples_in_words(X: Features, rows: Features) -> str:
    given, trained = ("sparse" if is_sparse(samples) else "dense" for samples in (X, rows))
    return given if given == trained else f"{given}, trained as {trained}"


def _precision_in_words(asked: str, single: bool, error: float, shape: tuple[int, int]) -> str:
    chosen = "single" if single else "double"
    if asked != "auto":
        return f"{chosen}, as asked" if asked == chosen else f"{chosen}: values are below the range of single precision"
    if single:
        return f"single: its error, {error:.1g}, is far below tol"
    if shape[0] * shape[0] * shape[1] < SINGLE_PAYS:
        return "double: there are too few samples for single precision to save time"
    return f"double: the error of single precision, {error:.1g}, is too large for tol"
