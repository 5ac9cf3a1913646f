"""Kernels with all parameters resolved, and the error of single precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base.typing import Array, Features, Index
from .per_pair import is_per_pair
from .reductions import DistantRows, by_blocks, column_sums, count_nonzero, is_sparse, product_sum, variance
from .samples import as_data

DOUBLE_ROUNDOFF = 2.0**-53
SINGLE_ROUNDOFF = 2.0**-24  # relative rounding error of a float32 operation

# Samples that tell whether features have a usual value, the share of them that must have it, and how many features there
# must be.
USUAL_ROWS, USUAL_SHARE, USUAL_FEATURES = 100, 0.2, 32

# Where features have usual values often enough, a sample shares at least (1 - FEW_NONZEROS) squared of its values with the next
# one on average; half of that allows for chance.
REPEATED_SHARE = 0.5 * (1.0 - _core.FEW_NONZEROS) ** 2

WITH_GAMMA = ("rbf", "poly", "sigmoid")


@dataclass(frozen=True)
class Kernel:
    """A kernel with a number for every parameter.

    Attributes
    ----------
    name : {"linear", "poly", "rbf", "sigmoid", "precomputed"}
        A callable kernel is "precomputed" here, because its matrix is computed before the core gets it.
    gamma : float
        If each pair has its own gamma, the largest of them, which has the largest rounding errors.
    coef0 : float
    degree : int
    scale : float
        A power of two. The core multiplies samples by it and corrects for it in the kernel function; both are exact. It
        keeps the squares of very large or small samples within the range of single precision.
    by_differences : bool
        Whether training computes squared distances from differences of samples (rbf only). The expansion into dot products
        is faster, but it loses digits if the samples are close to each other and far from the centre.
    """

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    scale: float = 1.0
    by_differences: bool = False

    @classmethod
    def resolve(
        cls, kernel: str | Callable[..., Any], gamma: str | float | ArrayLike, coef0: float, degree: int, X: Features
    ) -> Kernel:
        """Make a kernel from the parameters of an estimator; "scale" and "auto" are computed from X as in scikit-learn."""
        if callable(kernel):
            kernel = "precomputed"
        if kernel == "precomputed":
            return cls(kernel)
        if is_per_pair(gamma):
            gamma = np.max(np.asarray(gamma, dtype=np.float64))
        elif gamma == "scale":
            with np.errstate(over="ignore", invalid="ignore"):  # values that overflow are refused by name later
                spread = variance(X)
            # Rounding can make the variance of sparse samples that are all alike negative.
            gamma = 1.0 if spread <= 0 else 1.0 / (X.shape[1] * spread)
        elif gamma == "auto":
            gamma = 1.0 / X.shape[1]
        return cls(kernel, float(gamma), float(coef0), int(degree))  # type: ignore[arg-type]

    @property
    def sees_differences_only(self) -> bool:
        """Whether the kernel depends only on differences of samples, so that all samples may be centred."""
        return self.name == "rbf"

    @property
    def trains_centred(self) -> bool:
        """Whether machines may be trained on centred samples.

        Centring changes a linear kernel by a constant per row and per column of its matrix. The coefficients of a machine sum
        to zero, so that only its bias changes.
        """
        return self.sees_differences_only or self.name == "linear"

    def native(self) -> _core.Kernel:
        """Return the kernel as an object of the C++ core."""
        return _core.Kernel(
            _core.KernelType[self.name], self.gamma, self.coef0, self.degree, self.scale, self.by_differences
        )

    def error(self, largest_norm2: float, n_features: int, roundoff: float = SINGLE_ROUNDOFF) -> float:
        """Return an estimate of the standard error of a kernel value, by default in single precision.

        Parameters
        ----------
        largest_norm2 : float
            The largest squared norm of a sample, after centring if samples are centred. For a precomputed kernel, its
            largest value.
        n_features : int
        roundoff : float
            Of one operation.

        Returns
        -------
        float
        """
        if self.name == "precomputed":
            return roundoff * largest_norm2
        return self.native().error(largest_norm2, largest_norm2, n_features, roundoff)

    def largest(self, largest_norm2: float) -> float:
        """Return the largest size of a kernel value, for samples of squared norms up to this; not for a precomputed kernel."""
        return self.native().largest(largest_norm2, largest_norm2)


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
    few = X.shape[1] < USUAL_FEATURES  # then only zeros are looked for, as looking costs more than it saves
    if few and count_nonzero(X) > _core.FEW_NONZEROS * X.size:
        return mean
    some = np.asarray(X[:: len(X) // USUAL_ROWS + 1], dtype=np.float64)
    centre = np.zeros_like(mean) if few else _usual_values(some, mean)
    if centre is None:
        return mean
    away = mean - centre
    if 2.0 * product_sum(away, away) > squared_norms(some, centre).mean():
        return mean
    return centre if centre.any() else None


def _usual_values(X: Array, mean: Array) -> Array | None:
    """Return the value that each feature has in many samples, or else its mean; None if the zeros would be too few."""
    # If values are usual, then neighbours often have the same one. Nearly all data is told apart by this, without sorting.
    if np.count_nonzero(X[1:] == X[:-1]) < REPEATED_SHARE * X.size:
        return None
    value = X.min(axis=0)  # what is absent is low
    count = _count_of(value, X)
    (others,) = np.nonzero(2 * count <= len(X))  # what most samples have is in the middle, and is the lowest elsewhere
    if len(others):
        rest = X[:, others]
        middle = np.sort(rest, axis=0)[len(X) // 2]
        count_of_middle = _count_of(middle, rest)
        better = count_of_middle > count[others]
        value[others[better]], count[others[better]] = middle[better], count_of_middle[better]
    usual = count > USUAL_SHARE * len(X)
    share = np.where(usual, count, 0).mean() / len(X)
    return np.where(usual, value, mean) if 1.0 - share <= _core.FEW_NONZEROS else None


def _count_of(value: Array, X: Array) -> Index:
    """Return how many of at most 255 samples have this value of each feature."""
    same = (value == X).view(np.uint8)
    counts: Index = np.add.reduce(same, axis=0, dtype=np.uint8).astype(np.int64)  # bytes are added side by side
    return counts


def squared_norms(X: Features, centre: Array | None, n_threads: int = 1) -> Array:
    """Return the squared norms of samples after centring, shape (n_samples,)."""
    if not isinstance(X, np.ndarray):
        if isinstance(X, DistantRows):
            return np.concatenate(list(by_blocks(X, partial(squared_norms, centre=centre))))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    if X.dtype.char not in "df" or not X.flags.c_contiguous:  # the core reads nothing else
        X = np.ascontiguousarray(X, dtype=np.float64)
    norms: Array = _core.squared_norms(as_data(X), centre, n_threads)
    return norms


def largest_norm2(X: Features, kernel: Kernel, centre: Array | None) -> float:
    """Return the largest squared norm of a sample after centring; for a precomputed kernel, its largest value."""
    return float(np.abs(X).max() if kernel.name == "precomputed" else squared_norms(X, centre).max())
