"""The adaptive search: first some cells spread evenly over the grid, then the neighbours of the best cells.

Scores change slowly from cell to cell, so the best cell of all is usually near one of the best of a coarse grid. The neighbours
of the best cell are tried first; when all of them are known, those of the next best, as long as its score is within one
standard error of the best.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..base.typing import Array, Index

# The first cells are this many steps apart.
STEP = 3
# The search ends when this share of the cells is tried, but not before the first cells and the neighbours of the best are.
SHARE = 1 / 3
NEIGHBOURS = 8


def spread(n: int) -> Index:
    """Return places from 0 to n - 1, both included, about `STEP` apart.

    Examples
    --------
    >>> from dagmar.tuning.adaptive import spread
    >>> spread(10).tolist(), spread(5).tolist(), spread(1).tolist()
    ([0, 3, 6, 9], [0, 2, 4], [0])
    """
    return np.unique(np.rint(np.linspace(0, n - 1, (n + 1) // STEP + 1)).astype(np.int64))


def inside(n: int) -> Index:
    """Return places between 0 and n - 1, without the ends where there are enough others, about `STEP` apart.

    Examples
    --------
    >>> from dagmar.tuning.adaptive import inside
    >>> inside(15).tolist(), inside(5).tolist(), inside(1).tolist()
    ([3, 6, 8, 11], [2], [0])
    """
    return np.unique(np.rint(np.linspace(0, n - 1, max((n + 1) // STEP + 1, 3))[1:-1]).astype(np.int64))


class Adaptive:
    """Chooses the cells of a grid to try next.

    Parameters
    ----------
    Cs, gammas : array-like of shape (n_Cs,) and (n_gammas,)
        Numbers in any order; neighbours are next to each other in value.
    most : int, optional
        The most cells to try; by default a share of the grid.
    patient : bool, default=True
        Whether to go on with cells within one standard error of the best, when all its neighbours are tried.
    """

    def __init__(self, Cs: Array, gammas: Array, most: int | None = None, patient: bool = True) -> None:
        self._by_value = np.ix_(np.argsort(Cs, kind="stable"), np.argsort(gammas, kind="stable"))
        self._shape = len(Cs), len(gammas)
        n_first = len(spread(len(Cs))) * len(spread(len(gammas)))
        self._most = max(int(SHARE * len(Cs) * len(gammas)), n_first + NEIGHBOURS) if most is None else most
        self._patient = patient

    def first(self, places: Callable[[int], Index] = spread) -> NDArray[np.bool_]:
        """Return the cells to begin with, shape (n_Cs, n_gammas); `places` are those of `spread` or `inside`."""
        cells = np.zeros(self._shape, dtype=bool)
        cells[np.ix_(*map(places, self._shape))] = True
        return self._as_given(cells)

    def next(self, scores: Array, tried: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the cells to try next; none at the end.

        Parameters
        ----------
        scores : ndarray of shape (n_Cs, n_gammas, n_folds)
            Only those of cells that were tried are read; NaN is no score.
        tried : ndarray of shape (n_Cs, n_gammas), bool

        Returns
        -------
        ndarray of shape (n_Cs, n_gammas), bool
        """
        scores, tried = scores[self._by_value], tried[self._by_value]
        mean = np.where(tried, np.nan_to_num(scores.mean(axis=2), nan=-np.inf), -np.inf)
        best = np.unravel_index(int(np.argmax(mean)), self._shape)
        error = np.nan_to_num(scores[best].std()) / np.sqrt(scores.shape[2])
        most = max(0, self._most - int(tried.sum()))
        cells = np.zeros(self._shape, dtype=bool)
        ahead = int(tried.sum()) if self._patient else 1
        for place in np.argsort(-mean, axis=None, kind="stable")[:ahead].tolist():
            c, g = divmod(place, self._shape[1])
            if cells.any() or mean[c, g] < mean[best] - error:
                break
            near = np.zeros(self._shape, dtype=bool)
            near[max(c - 1, 0) : c + 2, max(g - 1, 0) : g + 2] = True
            cells.flat[np.flatnonzero(near & ~tried)[:most]] = True
        return self._as_given(cells)

    def _as_given(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return cells in the order of the values as given."""
        out = np.zeros(self._shape, dtype=bool)
        out[self._by_value] = cells
        return out


def neighbours(Cs: Array, gammas: Array, place: int) -> NDArray[np.bool_]:
    """Return a cell with its neighbours, in all eight directions.

    Parameters
    ----------
    Cs, gammas : array-like of shape (n_Cs,) and (n_gammas,)
    place : int
        The cell, in the order of the values as given; gamma changes fastest.

    Returns
    -------
    ndarray of shape (n_Cs, n_gammas), bool

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.tuning.adaptive import neighbours
    >>> neighbours(np.array([1, 4, 2]), np.array([0.1, 0.2, 0.3]), 0).astype(int).tolist()
    [[1, 1, 0], [0, 0, 0], [1, 1, 0]]
    """
    ranks = [np.argsort(np.argsort(values, kind="stable")) for values in (Cs, gammas)]
    c, g = divmod(place, len(gammas))
    near = [np.abs(rank - rank[k]) <= 1 for rank, k in zip(ranks, (c, g), strict=True)]
    return np.outer(*near)
