"""Combinations of a kernel and a scaler, each with its own grid of C and gamma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..base.typing import Array, Features, Index
from ..estimators.svc import SVC
from ..problem.reductions import is_sparse
from .feature_weights import FeatureWeights
from .grid import Grid
from .scalers import make_scaler
from .trials import Samples

# What search="auto" tries if the user does not say it. The gradients of more features than this take long.
AUTO_KERNELS, AUTO_SCALERS = ("rbf", "laplacian"), ("standard", "ranks")
MOST_WEIGHTS = 300
# The transformers before a classifier, with their names in a pipeline.
Steps = list[tuple[str, Any]]


@dataclass(frozen=True, eq=False)
class Combination:
    """A kernel, a scaler, and perhaps feature weights.

    Attributes
    ----------
    kernel : str or callable
    scaler : str, transformer or None
        As the user gives it.
    named : dict
        What the cells of the search say about it: the parameters of which several may be searched.
    machines : SVC, optional
        Features have weights, which are learned from such machines.
    """

    kernel: Any
    scaler: Any
    named: dict[str, Any] = field(default_factory=dict)
    machines: SVC | None = None

    def steps(self) -> Steps:
        """Return the transformers of the samples, not fitted."""
        steps = [] if self.scaler is None else [("scaler", make_scaler(self.scaler))]
        return steps if self.machines is None else [*steps, ("feature_weights", FeatureWeights(svc=self.machines))]

    def transformer(self) -> Any:
        """Return one transformer for all steps; None if there are none."""
        steps = self.steps()
        return Pipeline(steps) if len(steps) > 1 else steps[0][1] if steps else None

    def weighted(self, machines: SVC) -> Combination:
        """Return the combination with feature weights, learned from such machines."""
        return replace(self, named={**self.named, "feature_weights": "learned"}, machines=machines)


@dataclass(frozen=True)
class Wanted:
    """What a search tries beside C and gamma.

    Attributes
    ----------
    kernels, scalers : sequence
    weights : bool
        Whether feature weights are tried.
    named : tuple of str
        The parameters that cells have, beside C and gamma.
    """

    kernels: Sequence[Any]
    scalers: Sequence[Any]
    weights: bool
    named: tuple[str, ...]

    @classmethod
    def by(cls, search: Any, X: Features) -> Wanted:
        """Read the parameters of an `SVCCV`; with ``search="auto"``, choose those that are not given."""
        auto = search.search == "auto"
        kernels, weights = search.kernels, search.feature_weights
        scalers = search.scaler if isinstance(search.scaler, list | tuple) else (search.scaler,)
        several = {"kernel": kernels is not None, "scaler": scalers is search.scaler, "feature_weights": bool(weights)}
        if auto:
            several = {"kernel": True, "scaler": True, "feature_weights": weights is not False}
            sampled = kernels is not None or _takes_samples(search.kernel)
            kernels = AUTO_KERNELS if kernels is None and search.kernel == AUTO_KERNELS[0] else kernels
            if search.scaler is None and not is_sparse(X) and sampled:
                scalers = AUTO_SCALERS
            weights = X.shape[1] <= MOST_WEIGHTS if weights is None else weights
        kernels = (search.kernel,) if kernels is None else kernels
        return cls(kernels, scalers, bool(weights), tuple(name for name, there in several.items() if there))

    @property
    def of_samples(self) -> bool:
        """Whether X has samples, and not kernel values."""
        return all(_takes_samples(kernel) for kernel in self.kernels)

    def combinations(self) -> list[Combination]:
        """Return the combinations without weights: the scalers of the first kernel, then those of the next."""
        found = []
        for kernel, scaler in product(self.kernels, self.scalers):
            values = {"kernel": kernel, "scaler": scaler, "feature_weights": None}
            found.append(Combination(kernel, scaler, {name: values[name] for name in self.named}))
        return found


def _takes_samples(kernel: Any) -> bool:
    return isinstance(kernel, str) and kernel != "precomputed"


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
    def samples(self) -> Samples:
        """The samples as the trials see them."""
        seen: Samples = self.trials.samples
        return seen

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

    def best_place(self, metric: str) -> int:
        """Return the cell with the best mean score."""
        means = known(self._scores(metric).mean(axis=1))
        return int(self.tried[int(np.argmax(means))])

    def best(self, metric: str) -> Array:
        """Return the scores of the best cell, one per fold."""
        scores = self._scores(metric)
        best: Array = scores[int(np.argmax(known(scores.mean(axis=1))))]
        return best

    def _scores(self, metric: str) -> Array:
        scores: Array = self.trials.scores[metric].reshape(-1, len(self.samples.folds))[self.tried]
        return scores


def best_of(attempts: list[Attempt], metric: str) -> Attempt:
    """Return the attempt whose best cell has the best mean score."""
    return attempts[int(np.argmax([known(attempt.best(metric).mean()) for attempt in attempts]))]


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
