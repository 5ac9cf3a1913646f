"""The scores and times of all cells of a search, as `SVCCV.cv_results_` has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..base.showing import MOST_LINES, frame, html_table
from ..base.typing import Array, Index


class CVResults(dict[str, Any]):
    """A dict of columns as in scikit-learn's `GridSearchCV`, one entry per cell, that can show itself.

    See Also
    --------
    dagmar.SVCCV : Makes one.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> search = dagmar.SVCCV(Cs=[0.1, 1, 10], gammas=[1e-4, 1e-3, 1e-2], cv=3).fit(X[:500], y[:500])
    >>> search.cv_results_
    CVResults(9 cells, 3 folds; best score 0.9219 at C=10.0, gamma=0.001)
    >>> search.cv_results_.to_frame().shape
    (9, 13)
    """

    @property
    def metrics(self) -> list[str]:
        """Names of the scores; a single one is called "score"."""
        return [name.removeprefix("rank_test_") for name in self if name.startswith("rank_test_")]

    def __repr__(self) -> str:
        n_cells = len(self.get("params", ()))
        if not n_cells or not self.metrics:
            return f"CVResults({n_cells} cells)"
        first = self.metrics[0]
        n_folds = sum(name.startswith("split") and name.endswith(f"_test_{first}") for name in self)
        best = (
            f"best {metric} {self[f'mean_test_{metric}'][row]:.4g} at {_said(self['params'][row])}"
            for metric in self.metrics
            for row in [int(np.argmin(self[f"rank_test_{metric}"]))]
        )
        return f"CVResults({n_cells} cells, {n_folds} folds; {'; '.join(best)})"

    def to_frame(self) -> Any:
        """Return the columns as a pandas DataFrame, one row per cell."""
        return frame(self)

    def _repr_html_(self) -> str:
        metrics = self.metrics
        if not metrics:
            return html_table(repr(self), {})
        best: Index = np.argsort(self[f"rank_test_{metrics[0]}"], kind="stable")[:MOST_LINES]
        shown = [name for name in self if name.startswith("param_")]
        shown += [f"{part}_test_{metric}" for metric in metrics for part in ("mean", "std", "rank")] + ["mean_fit_time"]
        columns = {name: [self[name][row] for row in best.tolist()] for name in shown}
        return html_table(repr(self), columns, len(self["params"]), ["Best cells first."])


def _said(cell: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in cell.items())


def table_of(
    cells: list[dict[str, Any]], scores: Mapping[str, Array], fit_seconds: Array, score_seconds: Array
) -> CVResults:
    """Return the columns of `cv_results_`, with one row per cell.

    Parameters
    ----------
    cells : list of dict
        The parameters of every cell.
    scores : mapping of str to ndarray of shape (n_cells, n_folds)
        The scores by each metric.
    fit_seconds, score_seconds : ndarray of shape (n_cells, n_folds)

    Returns
    -------
    CVResults
    """
    columns: dict[str, Any] = {}
    for name, values in [("fit_time", fit_seconds), ("score_time", score_seconds)]:
        columns |= _mean_and_std(name, values)
    names = dict.fromkeys(name for cell in cells for name in cell)
    columns |= {f"param_{name}": _column(cells, name) for name in names}
    columns["params"] = cells
    for metric, values in scores.items():
        columns |= {f"split{f}_test_{metric}": values[:, f].copy() for f in range(values.shape[1])}
        columns |= _mean_and_std(f"test_{metric}", values)
        mean = columns[f"mean_test_{metric}"]
        worst = np.nanmin(mean) - 1 if not np.isnan(mean).all() else 0.0
        columns[f"rank_test_{metric}"] = rankdata(-np.nan_to_num(mean, nan=worst), method="min").astype(np.int32)
    return CVResults(columns)


def _column(cells: list[dict[str, Any]], name: str) -> Any:
    """Return a parameter of all cells: an array of numbers, or of objects; cells without the parameter are masked."""
    there = [name in cell for cell in cells]
    values = [cell[name] for cell in cells if name in cell]
    numbers = all(isinstance(value, int | float) for value in values)
    column = np.zeros(len(cells), dtype=None if numbers else object)
    for row, value in zip(np.flatnonzero(there).tolist(), values, strict=True):
        column[row] = value
    return column if all(there) else np.ma.array(column, mask=~np.array(there))


def _mean_and_std(name: str, by_cell: Array) -> dict[str, Array]:
    # Add fold by fold, as scikit-learn does: if two cells differ only by rounding, the same one wins.
    by_fold = np.ascontiguousarray(by_cell.T)
    with np.errstate(invalid="ignore"):  # an infinite score has no deviation
        return {f"mean_{name}": by_fold.mean(axis=0), f"std_{name}": by_fold.std(axis=0)}
