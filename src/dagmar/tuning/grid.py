"""The grid of a search: values of C and gamma, the table of their scores, and whether the best is on the edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.exceptions import InvalidParameterError
from ..base.parameters import OF_DISTANCE, Check, none, number, one_of
from ..base.typing import Array, Features, Index, Labels
from ..problem.kernels import WITH_GAMMA, Kernel
from .cv_results import CVResults, table_of
from .gamma import dbtc

# The default values of C, and the factors of "scale" for gamma, by the search. The adaptive search tries a third of its cells,
# so its grid can be finer and wider: steps of four miss narrow peaks, and some sets need a large C with a small gamma.
DEFAULT_CS = {
    "grid": tuple(4.0**power for power in range(-1, 6)),
    "adaptive": tuple(2.0**power for power in range(-2, 13)),
}
AROUND_SCALE = {
    "grid": tuple(4.0**power for power in range(-2, 3)),
    "adaptive": tuple(2.0**power for power in range(-6, 5)),
}


# Names of gammas in `SVC`.
NAMES = ("scale", "auto")


def some_numbers(low: float, high: float, closed: str, names: tuple[str, ...] = ()) -> Check:
    """Return a check for a list of one or more numbers in an interval, or names."""
    one = number(low, high, closed)

    def accepts(v: Any) -> bool:
        listed = isinstance(v, list | tuple | np.ndarray) and np.ndim(v) == 1 and len(v) > 0
        return listed and all(x in names if isinstance(x, str) else one.accepts(x) for x in v)

    words = f"an array of one or more floats {one.words.removeprefix('a float ')}"
    return Check(accepts, " or ".join([words, *map(repr, names)]))


GRID_CHECKS: dict[str, Check] = {
    "Cs": none | some_numbers(0.0, np.inf, "neither"),
    "gammas": one_of(["scale-grid", "dbtc", *NAMES]) | some_numbers(0.0, np.inf, "neither", NAMES),
}


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of a search: every C with every gamma; gamma changes fastest, as in scikit-learn's `ParameterGrid`.

    Attributes
    ----------
    Cs : ndarray of shape (n_Cs,)
    gammas : list
        The gammas of the machines: numbers, or one array with a number for every pair.
    named : bool
        Whether gamma is part of a cell. It is not if the kernel has no gamma, or if every pair has its gamma already.
    given : list, optional
        The gammas as the user gave them, "scale" and "auto" among them; by default `gammas`.
    """

    Cs: Array
    gammas: list[Any]
    named: bool
    given: list[Any] | None = None

    @classmethod
    def resolve(
        cls,
        Cs: Any,
        gammas: Any,
        kernel: str,
        X: Features,
        y: Labels,
        weight: Array,
        per_pair: bool,
        n_jobs: int | None,
        search: str = "grid",
    ) -> Grid:
        """Make the grid from the parameters of a search.

        Parameters
        ----------
        Cs, gammas
            As for `SVCCV`.
        kernel : str
        X, y, weight
            All samples, with their weights.
        per_pair : bool
        n_jobs : int or None
        search : {"grid", "adaptive"}

        Returns
        -------
        Grid
        """
        Cs = np.asarray(DEFAULT_CS[search] if Cs is None else Cs, dtype=np.float64)
        given = None
        if kernel not in WITH_GAMMA:
            return cls(Cs, [1.0], named=False)
        if not isinstance(gammas, str) or gammas in NAMES:
            given = [gammas] if isinstance(gammas, str) else list(gammas)
            # NumPy turns the numbers beside a name into strings.
            given = [str(gamma) if gamma in NAMES else float(gamma) for gamma in given]
            gammas = [Kernel.resolve(kernel, gamma, 0.0, 1, X).gamma for gamma in given]
        elif gammas == "dbtc":
            if kernel != "rbf":
                raise InvalidParameterError(
                    f"The 'gammas' parameter of SVCCV may be 'dbtc' for kernel='rbf' only. Got kernel={kernel!r}."
                )
            gamma = dbtc(X, y, per_pair=per_pair, sample_weight=weight, n_jobs=n_jobs).gamma
            if per_pair:
                return cls(Cs, [gamma], named=False)
            gammas = [gamma]
        else:
            scale = Kernel.resolve(kernel, "scale", 0.0, 1, X).gamma
            gammas = [scale * factor for factor in AROUND_SCALE[search]]
        if per_pair and kernel not in OF_DISTANCE and len(gammas) > 1:
            raise InvalidParameterError(
                "The 'gammas' parameter of SVCCV must be a list of one number with per_pair=True, unless kernel is one of "
                f"{', '.join(OF_DISTANCE)}: only then can pairs have different gammas. Got kernel={kernel!r}."
            )
        return cls(Cs, gammas, named=True, given=given)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of values of C and of gamma."""
        return len(self.Cs), len(self.gammas)

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The parameters of every cell."""
        Cs: list[float] = self.Cs.tolist()
        gammas = self.gammas if self.given is None else self.given
        return [{"C": C, "gamma": gamma} if self.named else {"C": C} for C in Cs for gamma in gammas]

    def best_of_pairs(self, cell: Index) -> dict[str, Any]:
        """Return arrays of C and gamma for one cell per pair."""
        c, g = np.divmod(cell, len(self.gammas))
        chosen: dict[str, Any] = {"C": self.Cs[c]}
        if self.named or np.ndim(self.gammas[0]):
            # A single gamma stays a number: only the rbf kernel accepts an array.
            several = np.asarray(self.gammas)[g] if len(self.gammas) > 1 else self.gammas[0]
            chosen["gamma"] = several
        return chosen

    def table(
        self,
        scores: Mapping[str, Array],
        fit_seconds: Array,
        score_seconds: Array,
        tried: NDArray[np.bool_] | None = None,
    ) -> CVResults:
        """Return the columns of `cv_results_`, with one row per cell that was tried.

        Parameters
        ----------
        scores : mapping of str to ndarray of shape (n_Cs, n_gammas, n_folds)
            The scores by each metric.
        fit_seconds, score_seconds : ndarray of shape (n_Cs, n_gammas, n_folds)
        tried : ndarray of shape (n_Cs, n_gammas), bool, optional
            By default all cells.

        Returns
        -------
        CVResults
        """
        rows = np.arange(len(self.Cs) * len(self.gammas)) if tried is None else np.flatnonzero(tried)
        n_folds, every = fit_seconds.shape[2], self.cells
        return table_of(
            [every[row] for row in rows.tolist()],
            {metric: values.reshape(-1, n_folds)[rows] for metric, values in scores.items()},
            *(values.reshape(-1, n_folds)[rows] for values in (fit_seconds, score_seconds)),
        )

    def edges(self, scores: Array, cell: int) -> list[str]:
        """Say where the best cell is on the edge of the grid, and better than every cell that is not on this edge.

        Parameters
        ----------
        scores : ndarray of shape (n_Cs, n_gammas)
            NaN for cells that were not tried.
        cell : int
            The best cell.

        Returns
        -------
        list of str
            The edges, such as "the largest C (64)". An axis of one value has none.
        """
        c, g = divmod(cell, len(self.gammas))
        numbers = [("C", self.Cs, c, scores)]
        if self.named:
            numbers.append(("gamma", np.asarray(self.gammas), g, scores.T))
        found = []
        for name, values, place, by_value in numbers:
            others = by_value[values != values[place]]
            if len(others) and not (others >= scores[c, g]).any():
                for side, end in [("smallest", values.min()), ("largest", values.max())]:
                    if values[place] == end:
                        found.append(f"the {side} {name} ({values[place]:g})")
        return found
