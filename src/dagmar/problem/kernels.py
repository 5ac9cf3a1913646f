"""Kernels with all parameters resolved, and the rounding errors of their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base.parameters import KERNELS, OF_DIFFERENCES, OF_DISTANCE
from ..base.typing import Array, Features
from .per_pair import is_per_pair
from .reductions import DistantRows, by_blocks, core_array, variance
from .samples import as_data

DOUBLE_ROUNDOFF = 2.0**-53
SINGLE_ROUNDOFF = 2.0**-24  # relative rounding error of a float32 operation

WITH_GAMMA = tuple(name for name, parameters in KERNELS.items() if "gamma" in parameters)

# Kernels of samples without negative values.
NONNEGATIVE = ("chi2", "tanimoto")


@dataclass(frozen=True)
class Kernel:
    """A kernel with a number for every parameter.

    Attributes
    ----------
    name : {"linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "tanimoto", "precomputed"}
        A callable kernel is "precomputed" here, because its matrix is computed before the core gets it.
    gamma : float
        If each pair has its own gamma, the largest of them, which has the largest rounding errors.
    coef0 : float
    degree : int
    scale : float
        A power of two. The core multiplies samples by it and corrects for it in the kernel function; both are exact. It
        keeps the squares of very large or small samples within the range of single precision.
    by_function : bool
        Whether the matrix is that of a callable kernel. Rows to decide then have a column for each support vector, instead of
        one for each training sample.
    by_differences : bool
        Whether training computes distances from differences of samples, for kernels of a distance. The expansion into products
        is faster, but it loses digits if the samples are close to each other and far from the centre.
    """

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    scale: float = 1.0
    by_differences: bool = False
    by_function: bool = False

    @classmethod
    def resolve(
        cls, kernel: str | Callable[..., Any], gamma: str | float | ArrayLike, coef0: float, degree: int, X: Features
    ) -> Kernel:
        """Make a kernel from the parameters of an estimator; "scale" and "auto" are computed from X.

        They are scikit-learn's. But the distances of "laplacian" and "chi2" are in units of the features, not of their squares,
        so that "scale" divides by the standard deviation: the kernel stays the same if all samples are multiplied by a number.
        """
        if callable(kernel):
            return cls("precomputed", by_function=True)
        if kernel in ("precomputed", "tanimoto"):
            return cls(kernel)
        if is_per_pair(gamma):
            gamma = np.max(np.asarray(gamma, dtype=np.float64))
        elif gamma == "scale":
            spread = variance(X)
            # Rounding can make the variance of sparse samples that are all alike negative.
            if kernel in OF_DIFFERENCES:
                spread = math.sqrt(max(spread, 0.0))
            gamma = 1.0 if spread <= 0 else 1.0 / (X.shape[1] * spread)
        elif gamma == "auto":
            gamma = 1.0 / X.shape[1]
        return cls(kernel, float(gamma), float(coef0), int(degree))  # type: ignore[arg-type]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that the kernel depends on."""
        return KERNELS[self.name]

    @property
    def sees_differences_only(self) -> bool:
        """Whether the kernel depends only on differences of samples, so that all samples may be centred."""
        return self.name in ("rbf", "laplacian")

    @property
    def of_distance(self) -> bool:
        """Whether the kernel is exp(-gamma * distance)."""
        return self.name in OF_DISTANCE

    @property
    def trains_centred(self) -> bool:
        """Whether machines may be trained on centred samples.

        Centring changes a linear kernel by a constant per row and per column of its matrix. The coefficients of a machine sum
        to zero, so that only its bias changes.
        """
        return self.sees_differences_only or self.name == "linear"

    @property
    def has_unit_length(self) -> bool:
        """Whether the kernel of every sample with itself is 1."""
        return self.of_distance or self.name == "tanimoto"

    def native(self) -> _core.Kernel:
        """Return the kernel as an object of the C++ core."""
        return _core.Kernel(
            _core.KernelType[self.name], self.gamma, self.coef0, self.degree, self.scale, self.by_differences
        )

    def for_scaled(self, gamma: float | Array) -> float | Array:
        """Return a gamma for samples that are multiplied by `scale`."""
        return gamma / (self.scale if self.name in OF_DIFFERENCES else self.scale**2)

    def of(self, inner: Array, gamma: float | Array | None = None) -> Array:
        """Return kernel values from products of samples, or from distances for kernels of a distance.

        Examples
        --------
        >>> import numpy as np
        >>> from dagmar.problem.kernels import Kernel
        >>> Kernel("poly", 0.5, coef0=1.0, degree=2).of(np.array([2.0, 4.0])).tolist()
        [4.0, 9.0]
        """
        gamma = self.gamma if gamma is None else gamma
        values: Array
        if self.name == "linear":
            values = inner
        elif self.name == "poly":
            values = (gamma * inner + self.coef0) ** self.degree
        elif self.name == "sigmoid":
            values = np.tanh(gamma * inner + self.coef0)
        elif self.of_distance:
            values = np.exp(-gamma * inner)
        else:
            raise ValueError(f"the kernel {self.name!r} has no formula")
        return values

    def errors(self, largest_norm2: float, n_features: int) -> tuple[float, float]:
        """Return estimates of the standard error of a kernel value, in single and in double precision.

        Parameters
        ----------
        largest_norm2 : float
            The largest squared norm of a sample, after centring if samples are centred. For a precomputed kernel, its
            largest value.
        n_features : int

        Returns
        -------
        tuple of float
        """
        if self.name == "precomputed":
            return SINGLE_ROUNDOFF * largest_norm2, DOUBLE_ROUNDOFF * largest_norm2
        return self.native().errors(largest_norm2, n_features)

    def error(self, largest_norm2: float, n_features: int) -> float:
        """Return the first of `errors`: the error in single precision."""
        return self.errors(largest_norm2, n_features)[0]

    def largest(self, largest_norm2: float) -> float:
        """Return the largest size of a kernel value, for samples of squared norms up to this; not for a precomputed kernel."""
        return self.native().largest(largest_norm2)


def tanimoto(dots: Array, distances2: Array) -> Array:
    """Return the Tanimoto kernel, ⟨x, z⟩ / (|x|² + |z|² - ⟨x, z⟩), from products and squared distances.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.kernels import tanimoto
    >>> tanimoto(np.array([2.0, 0.0, 0.0]), np.array([2.0, 3.0, 0.0])).tolist()
    [0.5, 0.0, 1.0]
    """
    either = dots + distances2
    values: Array = np.divide(dots, either, out=np.ones_like(either), where=either != 0)
    return values


def refuse_negative(kernel: str | Callable[..., Any], X: Features) -> None:
    """Raise ValueError if samples have negative values and the kernel is not defined for them.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.kernels import refuse_negative
    >>> refuse_negative("chi2", np.array([[0.0, -2.0]]))
    Traceback (most recent call last):
        ...
    ValueError: kernel='chi2' needs samples without negative values, but X has -2
    """
    if kernel not in NONNEGATIVE:
        return
    smallest = min(by_blocks(X, _smallest), default=0.0)
    if smallest < 0:
        raise ValueError(f"kernel={kernel!r} needs samples without negative values, but X has {smallest:g}")


def _smallest(block: Features) -> float:
    return float((block if isinstance(block, np.ndarray) else block.data).min(initial=0.0))


def squared_norms(X: Features, centre: Array | None, n_threads: int = 1) -> Array:
    """Return the squared norms of samples after centring, shape (n_samples,)."""
    if not isinstance(X, np.ndarray):
        if isinstance(X, DistantRows):
            return np.concatenate(list(by_blocks(X, partial(squared_norms, centre=centre))))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    norms: Array = _core.squared_norms(as_data(core_array(X)), centre, n_threads)
    return norms


def largest_norm2(X: Features, kernel: Kernel, centre: Array | None) -> float:
    """Return the largest squared norm of a sample after centring; for a precomputed kernel, its largest value."""
    return float(np.abs(X).max() if kernel.name == "precomputed" else squared_norms(X, centre).max(initial=0.0))


def distances(name: str, rows: Features, x: Array, sizes: Array | None = None) -> Array:
    """Return the distances of samples from one sample, shape (n_samples,).

    Parameters
    ----------
    name : {"rbf", "laplacian", "chi2"}
        A kernel of a distance.
    rows : ndarray or CSR matrix of shape (n_samples, n_features)
    x : ndarray of shape (n_features,)
    sizes : ndarray of shape (n_samples,), optional
        The `from_origin` of sparse samples, if they have other features than these.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.kernels import distances
    >>> distances("laplacian", np.array([[1.0, 2.0], [0.0, 5.0]]), np.array([1.0, 1.0])).tolist()
    [1.0, 5.0]
    """
    if isinstance(rows, np.ndarray):
        found: Array = _terms(name, rows, x).sum(axis=1)
        return found
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    alone, alone_x = (_terms(name, values, np.zeros(1)) for values in (rows.data, x))
    shared = alone + alone_x[rows.indices] - _terms(name, rows.data, x[rows.indices])
    sizes = from_origin(name, rows) if sizes is None else sizes
    apart: Array = sizes + alone_x.sum() - np.bincount(row, weights=shared, minlength=rows.shape[0])
    return np.maximum(apart, 0.0)


def from_origin(name: str, rows: Features) -> Array:
    """Return the distances of sparse samples from the origin, shape (n_samples,)."""
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    sums = np.bincount(row, weights=_terms(name, rows.data, np.zeros(1)), minlength=rows.shape[0])
    return np.asarray(sums, dtype=np.float64)


def _terms(name: str, x: Array, z: Array) -> Array:
    """Return the terms that features add to a distance."""
    difference = np.asarray(x - z, dtype=np.float64)
    terms: Array
    if name == "rbf":
        terms = difference * difference
    elif name == "laplacian":
        terms = np.abs(difference)
    elif name == "chi2":
        both = np.asarray(x + z, dtype=np.float64)
        terms = difference * (difference / np.where(both > 0, both, 1.0))
    else:
        raise ValueError(f"{name!r} is not a kernel of a distance")
    return terms
