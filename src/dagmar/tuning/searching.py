"""Which cells a search tries: all of them, or those that the scores suggest, on all combinations of kernel and scaler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.gradients import KERNELS
from ..base.typing import Index
from ..estimators.svc import SVC
from ..machines.folds import Fold
from .adaptive import Adaptive, inside, neighbours, spread
from .combinations import Attempt, Wanted, behind, best_of
from .scoring import Scoring
from .trials import Samples

# A combination whose best cell is behind by more standard errors than this is not searched any further.
REACH = 2.0
# With more samples, search="auto" first looks at so many of them.
LOOK_ROWS = 1000
# The most combinations that it then tries on all samples, and the most cells of each.
MOST_FINALISTS, MOST_CELLS = 2, 14
# Of each class, a look has at least so many samples for every fold, as far as they are there.
LEAST_IN_FOLD = 2


@dataclass(frozen=True)
class Searcher:
    """Tries cells.

    Attributes
    ----------
    search : {"grid", "adaptive", "auto"}
    wanted : Wanted
    scoring : Scoring
    attempt : callable
        Takes samples, a combination and perhaps its grid; returns an `Attempt` without scores.
    run : callable
        Takes trials and the cells to try.
    machines : dict
        Parameters of the machines from which feature weights are learned.
    """

    search: str
    wanted: Wanted
    scoring: Scoring
    attempt: Callable[..., Attempt]
    run: Callable[[Any, NDArray[np.bool_]], None]
    machines: dict[str, Any]

    def attempts(self, samples: Samples) -> list[Attempt]:
        """Try cells of all combinations, and return the scores."""
        if self.search != "auto" or len(samples.y) <= LOOK_ROWS or not self.wanted.of_samples:
            return self._explore(samples)
        looks = self._explore(part_of(samples, LOOK_ROWS, self.machines["class_weight"]))
        metric = self._metric(looks)
        near = sorted(self._within_reach(looks, metric), key=lambda look: -look.best(metric).mean())[:MOST_FINALISTS]
        # In the order of the combinations, the simplest first.
        return [self._on_all(samples, look, metric) for look in looks if look in near]

    def _on_all(self, samples: Samples, look: Attempt, metric: str) -> Attempt:
        """Try a combination on all samples, near its best cell of a look."""
        weighted = look.combination.machines is not None
        attempt = self.attempt(samples, look.combination, look.grid if weighted else None)
        return self._climb(attempt, look.best_place(metric), metric)

    def _explore(self, samples: Samples) -> list[Attempt]:
        attempts = [self.attempt(samples, combination) for combination in self.wanted.combinations()]
        if self.search == "grid":
            for attempt in attempts:
                self.run(attempt.trials, np.ones(attempt.grid.shape, dtype=bool))
        else:
            self._adaptively(attempts)
        # Weights are learned from gradients, which not every kernel has.
        smooth = [attempt for attempt in attempts if attempt.combination.kernel in KERNELS]
        if self.wanted.weights and smooth:
            metric = self._metric(attempts)
            attempts.append(self._weighted(best_of(smooth, metric), samples, metric))
        return attempts

    def _adaptively(self, attempts: list[Attempt]) -> None:
        """Try the first cells of every attempt, then more of those within reach of the best."""
        # auto has several combinations to look at: it begins without the ends of the grid, where a large C takes long, and
        # refines only the neighbourhood of each best cell.
        patient = self.search != "auto"
        guides = {one: Adaptive(one.grid.Cs, np.asarray(one.grid.gammas), patient=patient) for one in attempts}
        for attempt, guide in guides.items():
            self.run(attempt.trials, guide.first(spread if patient else inside))
        metric = self._metric(attempts)
        more = True
        while more:
            more = False
            for attempt in self._within_reach(attempts, metric):
                more |= self._next(attempt, guides[attempt], metric)

    def _within_reach(self, attempts: list[Attempt], metric: str) -> list[Attempt]:
        """Return the attempts that may still be the best."""
        best = best_of(attempts, metric)
        return [one for one in attempts if one is best or behind(one.best(metric), best.best(metric)) <= REACH]

    def _climb(self, attempt: Attempt, place: int, metric: str) -> Attempt:
        """Try a cell with its neighbours, then those of a better cell, until there is none; return the attempt."""
        Cs, gammas = attempt.grid.Cs, np.asarray(attempt.grid.gammas)
        self.run(attempt.trials, neighbours(Cs, gammas, place))
        guide = Adaptive(Cs, gammas, MOST_CELLS, patient=False)
        while self._next(attempt, guide, metric):
            pass
        return attempt

    def _next(self, attempt: Attempt, guide: Adaptive, metric: str) -> bool:
        """Try the next cells of an attempt; return whether there are any."""
        cells = guide.next(attempt.trials.scores[metric], attempt.trials.tried)
        if cells.any():
            self.run(attempt.trials, cells)
        return bool(cells.any())

    def _weighted(self, best: Attempt, samples: Samples, metric: str) -> Attempt:
        """Return the attempt with feature weights, learned in each fold with C and gamma of the best cell."""
        place = best.best_place(metric)
        c, g = divmod(place, len(best.grid.gammas))
        kernel = best.combination.kernel
        machines = SVC(**{**self.machines, "kernel": kernel}, C=float(best.grid.Cs[c]), gamma=best.grid.gammas[g])
        # The mean of the weights is 1, so the best gamma is about as large. "scale" would be another number.
        grid = replace(best.grid, given=None)
        return self._climb(self.attempt(samples, best.combination.weighted(machines), grid), place, metric)

    def _metric(self, attempts: list[Attempt]) -> str:
        return self.scoring.chosen_metric(list(attempts[0].trials.scores))


def part_of(samples: Samples, n: int, class_weight: Any) -> Samples:
    """Return about n of the samples, with their parts of the folds; every class has its share, or a few more.

    Parameters
    ----------
    samples : Samples
        Without scalers.
    n : int
    class_weight : dict, "balanced" or None

    Returns
    -------
    Samples
    """
    rows = some_of_each(samples.class_index, n, LEAST_IN_FOLD * len(samples.folds))
    place = np.full(len(samples.y), -1)
    place[rows] = np.arange(len(rows))
    class_index, weight = samples.class_index[rows], samples.weight[rows]
    folds = []
    for fold in samples.folds:
        train, test = (place[part][place[part] >= 0] for part in (fold.train, fold.test))
        if weight[test].any():  # a fold with few test samples may have none of them here
            folds.append(Fold.of(train, test, class_index, samples.classes, class_weight, weight))
    return replace(samples, X=samples.X[rows], y=samples.y[rows], class_index=class_index, weight=weight, folds=folds)


def some_of_each(class_index: Index, n: int, least: int) -> Index:
    """Return about n samples in ascending order, drawn from every class by its share, but not fewer than `least` of it."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(class_index))
    order = order[np.argsort(class_index[order], kind="stable")]
    count = np.bincount(class_index)
    taken = np.minimum(count, np.maximum(least, np.ceil(count * (n / len(class_index))).astype(np.int64)))
    begin = np.cumsum(count) - count
    return np.sort(np.concatenate([order[b : b + t] for b, t in zip(begin.tolist(), taken.tolist(), strict=True)]))
