"""Choice of gamma without training: the gamma with the largest distance between classes in kernel space.

For the rbf kernel the squared distance between two classes (DBTC, see `dagmar.problem.separation`) is in [0, 2]. As gamma goes
to 0, it goes to 0. As gamma grows, all samples become dissimilar, and it goes to 1/n_a + 1/n_b. For classes that can be
separated it has a maximum in between. Yu et al. (2011) use the gamma of this maximum for every pair, so that only C has to be
searched for.
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

# The grid is 4**LOWEST ... 4**HIGHEST divided by the mean squared distance of two samples. At the lowest gamma all samples are
# similar; at the highest, only very close ones.
LOWEST, HIGHEST = -4, 8
# A value that exceeds both ends of the curve by no more than this share does not count as a maximum.
FLAT = 1e-9
# Accuracy of the logarithm of gamma.
CLOSE = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class GammaChoice(FrozenArrays):
    """The gamma with the largest distance between classes: one for all pairs, or one for each.

    Attributes
    ----------
    gamma : float, or ndarray of shape (n_pairs,)
        The chosen gamma, for ``SVC(gamma=...)``; pairs in the order (0, 1), (0, 2), ...
    dbtc : float, or ndarray of shape (n_pairs,)
        The squared distance at `gamma`, in [0, 2]; for one gamma, the mean over the pairs.
    interior : bool, or ndarray of shape (n_pairs,), bool
        Whether the distance at `gamma` is larger than at both ends of the grid. If not, do not trust `gamma`: the classes
        have very few samples or cannot be separated, and `gamma` is only the smallest of the grid with the largest distance.
    gammas : ndarray of shape (n_gammas,)
        The grid, ascending.
    curve : ndarray of shape (n_gammas,), or (n_pairs, n_gammas)
        The squared distance at each gamma of the grid.

    See Also
    --------
    dagmar.tuning.dbtc : Makes one.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> choice = dagmar.tuning.dbtc(X, y)
    >>> choice.gamma > 0
    True
    """

    gamma: float | Array
    dbtc: float | Array
    interior: bool | NDArray[np.bool_]
    gammas: Array
    curve: Array

    def __repr__(self) -> str:
        doubtful = int(np.size(self.interior) - np.sum(self.interior))
        if np.ndim(self.gamma):
            note = f", {doubtful} not interior" if doubtful else ""
            return f"GammaChoice({np.size(self.gamma)} pairs, gamma {span(self.gamma)}, dbtc {span(self.dbtc)}{note})"
        note = ", not interior" if doubtful else ""
        return f"GammaChoice(gamma={self.gamma:.3g}, dbtc={self.dbtc:.3g}{note})"


def span(values: Any) -> str:
    """Return the range of some numbers as text, or the number if they are all the same."""
    low, high = f"{np.min(values):.3g}", f"{np.max(values):.3g}"
    return low if low == high else f"{low} to {high}"


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
    """Choose gamma of the rbf kernel by the distance between classes in kernel space, without training.

    Distances are exact unless `max_samples` is given; kernel values are computed in blocks, and the kernel matrix is never
    stored. Each gamma of the grid costs n_samples² / 2 kernel values, also with `per_pair`. The search for the maximum
    between the points of the grid costs about ten times as much as one gamma, with `per_pair` about twenty times.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels.
    gammas : array-like of shape (n_gammas,), optional
        Choose one of these. By default, search for the maximum, from a grid around the scale of the data.
    per_pair : bool, default=False
        Choose a gamma for each pair of classes. By default, one gamma is chosen by the mean distance over all pairs.
    sample_weight : array-like of shape (n_samples,), optional
        How many samples each sample counts for; by default 1.
    max_samples : int, optional
        Use at most this many samples of each class, spread evenly over it. By default all are used.
    n_jobs : int or None, default=None
        Number of threads, -1 for all cores. The result is the same, bit for bit, for any value.

    Returns
    -------
    GammaChoice

    See Also
    --------
    dagmar.SVCCV : Chooses C and gamma by cross-validation; ``gammas="dbtc"`` takes gamma from here.

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
    functions: list[Callable[[float], float]] = [distances.mean]
    if per_pair:
        functions = [partial(distances.pair, m) for m in range(len(curves))]
    choices = [
        _choose(grid, curve, value if given is None else None) for curve, value in zip(curves, functions, strict=True)
    ]
    if not per_pair:
        return GammaChoice(*choices[0], grid, curves[0])
    gamma, distance, interior = map(np.array, zip(*choices, strict=True))
    return GammaChoice(gamma, distance, interior, grid, curves)


@dataclass(frozen=True, eq=False)
class _Distances:
    """Squared distances between the classes of a problem as functions of gamma."""

    problem: Problem
    max_samples: int | None
    n_threads: int

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, max_samples: int | None, n_jobs: int | None) -> _Distances:
        # Double precision, because the search compares values that differ little.
        parameters = ProblemParameters(gamma=1.0, precision="double")
        problem, learned = make_problem(parameters, X, y, sample_weight, owner="dbtc", n_threads=n_threads(n_jobs))
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
        """Return the distance of every pair, shape (n_pairs,)."""
        of_pairs: Array = self._between(None, gamma)[pair_classes(self.problem.n_classes)]
        return of_pairs

    def mean(self, gamma: float) -> float:
        return float(self.all(gamma).mean())

    def pair(self, m: int, gamma: float) -> float:
        """Return the distance of the m-th pair."""
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
    """Return the best gamma, its value, and whether it is higher than both ends; refine it with `value`, if given."""
    almost = curve.max() * (1 - FLAT)
    place = int(np.argmax(curve >= almost))
    interior = bool(max(curve[0], curve[-1]) < almost)
    best = float(grid[place]), float(curve[place])
    if interior and value is not None:
        best = max(best, _refined(value, grid[place - 1], grid[place + 1]), key=lambda found: found[1])
    return *best, interior


def _refined(value: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return the gamma between two others with the largest value, and that value, by Brent's method on a log scale."""
    from scipy.optimize import minimize_scalar  # slow to load

    found = minimize_scalar(
        lambda log_gamma: -value(float(np.exp(log_gamma))),
        bounds=(np.log(low), np.log(high)),
        method="bounded",
        options={"xatol": CLOSE},
    )
    return float(np.exp(found.x)), -float(found.fun)
