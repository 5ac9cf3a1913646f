"""Combinations of a kernel and a scaler, each with its own grid of C and gamma."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..base.typing import Array, Index
from .grid import Grid
from .scalers import make_scaler

# The transformers before a classifier, with their names in a pipeline.
Steps = list[tuple[str, Any]]


@dataclass(frozen=True, eq=False)
class Combination:
    """A kernel and a scaler.

    Attributes
    ----------
    kernel : str or callable
    scaler : str, transformer or None
        As the user gives it.
    named : dict
        What the cells of the search say about it: the parameters of which several may be searched.
    """

    kernel: Any
    scaler: Any
    named: dict[str, Any] = field(default_factory=dict)

    def steps(self) -> Steps:
        """Return the transformers of the samples, not fitted."""
        return [] if self.scaler is None else [("scaler", make_scaler(self.scaler))]

    def transformer(self) -> Any:
        """Return one transformer for all steps; None if there are none."""
        steps = self.steps()
        return Pipeline(steps) if len(steps) > 1 else steps[0][1] if steps else None


def combinations_of(kernel: Any, kernels: Any, scaler: Any) -> list[Combination]:
    """Return the combinations of a search: the scalers of the first kernel, then those of the next.

    Parameters
    ----------
    kernel, kernels, scaler
        As for `SVCCV`.

    Returns
    -------
    list of Combination

    Examples
    --------
    >>> from dagmar.tuning.combinations import combinations_of
    >>> [one.named for one in combinations_of("rbf", ("rbf",), ["standard", None])]
    [{'kernel': 'rbf', 'scaler': 'standard'}, {'kernel': 'rbf', 'scaler': None}]
    """
    several = isinstance(scaler, list | tuple)
    found = []
    for one, how in product((kernel,) if kernels is None else kernels, scaler if several else (scaler,)):
        named = {} if kernels is None else {"kernel": one}
        found.append(Combination(one, how, {**named, "scaler": how} if several else named))
    return found


@dataclass(frozen=True, eq=False)
class Attempt:
    """The trials of a combination on its grid.

    Attributes
    ----------
    combination : Combination
    grid : Grid
    trials : StructureTrials or PairTrials
    """

    combination: Combination
    grid: Grid
    trials: Any

    @property
    def tried(self) -> Index:
        """The cells that were tried, as places in the grid."""
        return np.flatnonzero(self.trials.tried)

    def cells(self, places: Index) -> list[dict[str, Any]]:
        """Return the parameters of some cells."""
        every = self.grid.cells
        return [{**every[place], **self.combination.named} for place in places.tolist()]

    def edges(self, metric: str, place: int) -> list[str]:
        """Say where a cell, the best, is on the edge of the grid; see `Grid.edges`."""
        return self.grid.edges(self.trials.scores[metric].mean(axis=2), place)

    def best(self, metric: str) -> Array:
        """Return the scores of the best cell, one per fold."""
        scores: Array = self.trials.scores[metric].reshape(-1, len(self.trials.samples.folds))[self.tried]
        best: Array = scores[int(np.argmax(known(scores.mean(axis=1))))]
        return best


def known(means: Any) -> Any:
    """Return mean scores with -inf for NaN, which is no score."""
    return np.where(np.isnan(means), -np.inf, means)


def behind(scores: Array, best: Array) -> float:
    """Return by how many standard errors the mean of scores is below that of the best, fold by fold.

    Parameters
    ----------
    scores, best : ndarray of shape (n_folds,)

    Returns
    -------
    float
        Positive if `scores` are below; infinite if there is a difference and it is the same in all folds.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.tuning.combinations import behind
    >>> round(behind(np.array([0.8, 0.7, 0.9]), np.array([0.9, 0.7, 0.9])), 3)
    1.0
    """
    difference = best - scores
    mean = float(difference.mean())
    if np.isnan(mean):
        return np.inf
    error = float(difference.std(ddof=min(1, len(difference) - 1)) / np.sqrt(len(difference)))
    return mean / error if error > 0 else np.inf if mean > 0 else 0.0
