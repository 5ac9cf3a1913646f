"""Kernels with all parameters resolved, and the rounding errors of their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base.typing import Array, Features
from .per_pair import is_per_pair
from .reductions import DistantRows, by_blocks, core_array, variance
from .samples import as_data

DOUBLE_ROUNDOFF = 2.0**-53
SINGLE_ROUNDOFF = 2.0**-24  # relative rounding error of a float32 operation

WITH_GAMMA = ("rbf", "poly", "sigmoid")
NONNEGATIVE = ("tanimoto",)  # kernels of samples without negative values


@dataclass(frozen=True)
class Kernel:
    """A kernel with a number for every parameter.

    Attributes
    ----------
    name : {"linear", "poly", "rbf", "sigmoid", "tanimoto", "precomputed"}
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
        if kernel in ("precomputed", "tanimoto"):
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

    @property
    def has_unit_length(self) -> bool:
        """Whether the kernel of every sample with itself is 1."""
        return self.name in ("rbf", "tanimoto")

    def native(self) -> _core.Kernel:
        """Return the kernel as an object of the C++ core."""
        return _core.Kernel(
            _core.KernelType[self.name], self.gamma, self.coef0, self.degree, self.scale, self.by_differences
        )

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
    """Raise ValueError if samples have negative values that the kernel is not defined for.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.kernels import refuse_negative
    >>> refuse_negative("rbf", np.array([[-1.0]]))
    >>> refuse_negative("tanimoto", np.array([[-1.0]]))
    Traceback (most recent call last):
        ...
    ValueError: Negative values in X: kernel='tanimoto' is defined for samples without negative values only
    """
    if kernel not in NONNEGATIVE:
        return
    if min(by_blocks(X, _smallest), default=0.0) < 0:
        raise ValueError(f"Negative values in X: kernel={kernel!r} is defined for samples without negative values only")


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
