"""Gamma without training: the one that puts classes farthest apart in kernel space.

For the rbf kernel the distance between two classes (DBTC, see `dagmar.problem.separation`)
lies in [0, 2]. It goes to 0 with gamma;
for large gamma, where every sample is alone, it goes to 1/n_a + 1/n_b. In between it has, for classes that can be told
apart, a maximum: Yu et al. (2011) take gamma there for every pair, and leave only C to be searched for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.exceptions import InvalidParameterError
from ..base.frozen import FrozenArrays
from ..base.pairs import pair_classes
from ..base.parameters import SVC_CHECKS, boolean, check_parameters, none, number
from ..base.threads import n_threads
from ..base.typing import Array
from ..problem import separation
from ..problem.making import ProblemParameters, make_problem
from ..problem.problem import Problem

# The grid, in powers of 4 times one over the mean squared distance of two samples: from where all samples are alike to
# where only very close ones are.
LOWEST, HIGHEST = -4, 8
# A maximum that exceeds the ends of the grid by less than this share is none.
FLAT = 1e-9
# To what the logarithm of gamma is found.
CLOSE = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class GammaChoice(FrozenArrays):
    """The gamma with the largest distance between classes: one for all pairs, or one for each.

    Attributes
    ----------
    gamma : float, or ndarray of shape (n_pairs,)
        For ``SVC(gamma=...)``; pairs in the order (0, 1), (0, 2), ...
    dbtc : float, or ndarray of shape (n_pairs,)
        The distance there (squared, in [0, 2]); for one gamma, its mean over the pairs.
    interior : bool, or ndarray of shape (n_pairs,), bool
        Whether the distance is larger there than at the least and at the largest gamma tried. If not, it grows or falls all
        the way (classes of very few samples, or that cannot be told apart), and `gamma` is an end, or the least gamma from
        which on nothing changes: do not trust it.
    gammas : ndarray of shape (n_gammas,)
        The grid, ascending.
    curve : ndarray of shape (n_gammas,), or (n_pairs, n_gammas)
        The distance at each.
    """

    gamma: float | Array
    dbtc: float | Array
    interior: bool | NDArray[np.bool_]
    gammas: Array
    curve: Array

    def __repr__(self) -> str:
        def span(values: float | Array) -> str:
            low, high = f"{np.min(values):.3g}", f"{np.max(values):.3g}"
            return low if low == high else f"{low} to {high}"

        doubtful = int(np.size(self.interior) - np.sum(self.interior))
        if np.ndim(self.gamma):
            note = f", {doubtful} not interior" if doubtful else ""
            return f"GammaChoice({np.size(self.gamma)} pairs, gamma {span(self.gamma)}, dbtc {span(self.dbtc)}{note})"
        note = ", not interior" if doubtful else ""
        return f"GammaChoice(gamma={self.gamma:.3g}, dbtc={self.dbtc:.3g}{note})"


def dbtc(
    X: ArrayLike,
    y: ArrayLike,
    gammas: ArrayLike | None = None,
    *,
    per_pair: bool = False,
    sample_weight: ArrayLike | None = None,
    max_samples: int | None = None,
    n_jobs: int | None = None,
) -> GammaChoice:
    """Choose gamma of the rbf kernel by the distance between classes in kernel space; nothing is trained.

    Exact, in blocks that never hold the kernel matrix. A grid costs n_samples² / 2 kernel values per gamma, for one gamma as
    for all pairs; the search for the maximum between the points of the grid about ten times that for one gamma, twenty
    times for all pairs.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    gammas : array-like of shape (n_gammas,), optional
        Choose among these. By default the maximum itself is sought, from a grid around the scale of the data.
    per_pair : bool, default=False
        Choose for each pair of classes by itself, in place of the mean over all pairs.
    sample_weight : array-like of shape (n_samples,), optional
        How many samples each sample stands for.
    max_samples : int, optional
        Look at no more than this many samples of a class, spread evenly over it.
    n_jobs : int or None, default=None
        Threads, -1 for all. The result is the same to the bit for any value.

    Returns
    -------
    GammaChoice

    References
    ----------
    Yu, Rhuma, Naqvi & Chambers, An improved DAGSVM, 2011.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> dagmar.tuning.dbtc(X, y)
    GammaChoice(gamma=0.247, dbtc=1.18)
    >>> each = dagmar.tuning.dbtc(X, y, per_pair=True)
    >>> each.gamma.round(2).tolist()
    [0.28, 0.15, 0.52]
    >>> round(dagmar.SVC(gamma=each.gamma, structure="adaptive_ddag").fit(X, y).score(X, y), 2)
    0.98
    """
    check_parameters(
        "dbtc",
        {"per_pair": per_pair, "max_samples": max_samples, "n_jobs": n_jobs},
        {
            "per_pair": boolean,
            "max_samples": none | number(1, np.inf, "left", Integral),
            "n_jobs": SVC_CHECKS["n_jobs"],
        },
    )
    given = None if gammas is None else _checked(gammas)
    distances = _Distances.of(X, y, sample_weight, max_samples, n_jobs)
    grid = distances.grid() if given is None else given
    of_pairs = np.stack([distances.all(gamma) for gamma in grid.tolist()], axis=1)
    curves = of_pairs if per_pair else of_pairs.mean(axis=0, keepdims=True)
    ways: list[Callable[[float], float]] = [distances.mean]
    if per_pair:
        ways = [partial(distances.pair, m) for m in range(len(curves))]
    choices = [
        _choose(grid, curve, value if given is None else None) for curve, value in zip(curves, ways, strict=True)
    ]
    if not per_pair:
        return GammaChoice(*choices[0], grid, curves[0])
    gamma, distance, interior = map(np.array, zip(*choices, strict=True))
    return GammaChoice(gamma, distance, interior, grid, curves)


@dataclass(frozen=True, eq=False)
class _Distances:
    """Distances between the classes of a problem, by gamma."""

    problem: Problem
    max_samples: int | None
    n_threads: int

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, max_samples: int | None, n_jobs: int | None) -> _Distances:
        # Double precision: the search compares values that differ by little.
        parameters = ProblemParameters(gamma=1.0, precision="double")
        problem, learned = make_problem(parameters, X, y, sample_weight, owner="dbtc")
        absent = np.add.reduceat(problem.weight, problem.class_start[:-1]) <= 0
        if absent.any():
            raise ValueError(f"no sample of class {learned.classes[absent.argmax()]} has a positive weight")
        return cls(problem, max_samples, n_threads(n_jobs))

    def grid(self) -> Array:
        moments = separation.Moments.of(self.problem, self.n_threads)
        classes = np.arange(self.problem.n_classes)
        variance = np.average(moments.variance + moments.from_centre(classes), weights=moments.sizes)
        # Twice the variance is the mean squared distance of two samples.
        grid: Array = np.power(4.0, np.arange(LOWEST, HIGHEST + 1)) / (2 * float(variance) if variance > 0 else 1.0)
        return grid

    def all(self, gamma: float) -> Array:
        """Of every pair, shape (n_pairs,)."""
        of_pairs: Array = self._between(None, gamma)[pair_classes(self.problem.n_classes)]
        return of_pairs

    def mean(self, gamma: float) -> float:
        return float(self.all(gamma).mean())

    def pair(self, m: int, gamma: float) -> float:
        """Of the m-th pair."""
        return float(self._between(self._pairs[m], gamma)[0, 1])

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(self.problem.n_classes), 2))

    def _between(self, classes: tuple[int, int] | None, gamma: float) -> Array:
        kernel = replace(self.problem.kernel, gamma=gamma)
        return separation.dbtc(separation.similarity(self.problem, self.max_samples, self.n_threads, classes, kernel))


def _checked(gammas: ArrayLike) -> Array:
    given = np.asarray(gammas)
    numbers = given.ndim == 1 and given.size > 0 and given.dtype.kind in "iuf"
    if not numbers or not (np.isfinite(given) & (given > 0)).all():
        raise InvalidParameterError(
            f"The 'gammas' parameter of dbtc must be an array of positive numbers or None. Got {gammas!r} instead."
        )
    distinct: Array = np.unique(given.astype(np.float64))
    return distinct


def _choose(grid: Array, curve: Array, value: Callable[[float], float] | None) -> tuple[float, float, bool]:
    """The gamma of the highest value, that value, and whether it is higher than both ends; sought with `value` if given."""
    almost = curve.max() * (1 - FLAT)
    place = int(np.argmax(curve >= almost))
    interior = bool(max(curve[0], curve[-1]) < almost)
    best = float(grid[place]), float(curve[place])
    if interior and value is not None:
        best = max(best, _refined(value, grid[place - 1], grid[place + 1]), key=lambda found: found[1])
    return *best, interior


def _refined(value: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The gamma between two others with the largest value, and that value, by Brent's method on a logarithmic scale."""
    from scipy.optimize import minimize_scalar  # slow to load

    found = minimize_scalar(
        lambda log_gamma: -value(float(np.exp(log_gamma))),
        bounds=(np.log(low), np.log(high)),
        method="bounded",
        options={"xatol": CLOSE},
    )
    return float(np.exp(found.x)), -float(found.fun)
