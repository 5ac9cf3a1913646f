"""The grid of a search: values of C and gamma, and the table of their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..base.exceptions import InvalidParameterError
from ..base.parameters import Check, number, one_of
from ..base.typing import Array, Features, Index, Labels
from ..problem.kernels import Kernel
from .gamma import dbtc

# The default grid of gamma is "scale" times these factors.
AROUND_SCALE = tuple(4.0**power for power in range(-2, 3))


def some_numbers(low: float, high: float, closed: str) -> Check:
    """Return a check for a list of one or more numbers in an interval."""
    one = number(low, high, closed)

    def accepts(v: Any) -> bool:
        listed = isinstance(v, list | tuple | np.ndarray) and np.ndim(v) == 1 and len(v) > 0
        return listed and all(one.accepts(x) for x in v)

    return Check(accepts, f"an array of one or more floats {one.words.removeprefix('a float ')}")


GRID_CHECKS: dict[str, Check] = {
    "Cs": some_numbers(0.0, np.inf, "neither"),
    "gammas": one_of(["scale-grid", "dbtc"]) | some_numbers(0.0, np.inf, "neither"),
}


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of a search: every C with every gamma; gamma changes fastest, as in scikit-learn's `ParameterGrid`.

    Attributes
    ----------
    Cs : ndarray of shape (n_Cs,)
    gammas : list
        Values for the parameter `gamma` of `SVC`: numbers, or one array with a number for every pair.
    named : bool
        Whether gamma is part of a cell. It is not if the kernel has no gamma, or if every pair has its gamma already.
    """

    Cs: Array
    gammas: list[Any]
    named: bool

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

        Returns
        -------
        Grid
        """
        Cs = np.asarray(Cs, dtype=np.float64)
        if kernel not in ("rbf", "poly", "sigmoid"):
            return cls(Cs, [1.0], named=False)
        if not isinstance(gammas, str):
            gammas = np.asarray(gammas, dtype=np.float64).tolist()
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
            gammas = [scale * factor for factor in AROUND_SCALE]
        if per_pair and kernel != "rbf" and len(gammas) > 1:
            raise InvalidParameterError(
                "The 'gammas' parameter of SVCCV must be a list of one number with per_pair=True, unless kernel='rbf': "
                f"only then can pairs have different gammas. Got kernel={kernel!r}."
            )
        return cls(Cs, gammas, named=True)

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The parameters of every cell."""
        Cs: list[float] = self.Cs.tolist()
        return [{"C": C, "gamma": gamma} if self.named else {"C": C} for C in Cs for gamma in self.gammas]

    def best(self, cell: int | Index) -> dict[str, Any]:
        """Return C and gamma of a cell, or arrays of them for one cell per pair."""
        if isinstance(cell, int):
            return self.cells[cell]
        c, g = np.divmod(cell, len(self.gammas))
        chosen: dict[str, Any] = {"C": self.Cs[c]}
        if self.named or np.ndim(self.gammas[0]):
            # A single gamma stays a number: only the rbf kernel accepts an array.
            several = np.asarray(self.gammas)[g] if len(self.gammas) > 1 else self.gammas[0]
            chosen["gamma"] = several
        return chosen

    def table(self, scores: Array, fit_seconds: Array, score_seconds: Array) -> dict[str, Any]:
        """Return the columns of `cv_results_`, with one row per cell.

        Parameters
        ----------
        scores, fit_seconds, score_seconds : ndarray of shape (n_Cs, n_gammas, n_folds)

        Returns
        -------
        dict
        """
        n_folds = scores.shape[2]
        columns: dict[str, Any] = {}
        for name, values in [("fit_time", fit_seconds), ("score_time", score_seconds)]:
            columns |= _mean_and_std(name, values.reshape(-1, n_folds))
        cells = self.cells
        columns |= {f"param_{name}": np.array([cell[name] for cell in cells]) for name in cells[0]}
        columns["params"] = cells
        by_cell = scores.reshape(-1, n_folds)
        columns |= {f"split{f}_test_score": by_cell[:, f].copy() for f in range(n_folds)}
        columns |= _mean_and_std("test_score", by_cell)
        mean = columns["mean_test_score"]
        worst = np.nanmin(mean) - 1 if not np.isnan(mean).all() else 0.0
        columns["rank_test_score"] = rankdata(-np.nan_to_num(mean, nan=worst), method="min").astype(np.int32)
        return columns


def _mean_and_std(name: str, by_cell: Array) -> dict[str, Array]:
    # Add fold by fold, as scikit-learn does: if two cells differ only by rounding, the same one wins.
    by_fold = np.ascontiguousarray(by_cell.T)
    return {f"mean_{name}": by_fold.mean(axis=0), f"std_{name}": by_fold.std(axis=0)}
