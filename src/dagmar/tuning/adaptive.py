"""The adaptive search: some cells of the grid spread evenly, then the neighbours of the best, as long as there is a better one.

Scores change slowly from cell to cell, so a cell near the best of a coarse grid is nearly as good as the best of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.typing import Array, Index

# The first cells are this many steps apart.
STEP = 3
# The search ends when this share of the cells is tried, but not before the neighbours of the best of the first cells are.
SHARE = 1 / 3


def spread(n: int) -> Index:
    """Return places from 0 to n - 1, both included, about `STEP` apart.

    Examples
    --------
    >>> from dagmar.tuning.adaptive import spread
    >>> spread(10).tolist(), spread(5).tolist(), spread(1).tolist()
    ([0, 3, 6, 9], [0, 2, 4], [0])
    """
    return np.unique(np.rint(np.linspace(0, n - 1, (n + 1) // STEP + 1)).astype(np.int64))


class Adaptive:
    """Chooses the cells of a grid to try next.

    Parameters
    ----------
    Cs, gammas : array-like of shape (n_Cs,) and (n_gammas,)
        Numbers in any order; neighbours are next to each other in value.
    """

    def __init__(self, Cs: Array, gammas: Array) -> None:
        self._by_value = np.ix_(np.argsort(Cs, kind="stable"), np.argsort(gammas, kind="stable"))
        self._shape = len(Cs), len(gammas)
        n_first = len(spread(len(Cs))) * len(spread(len(gammas)))
        self._most = max(int(SHARE * len(Cs) * len(gammas)), n_first + 8)

    def first(self) -> NDArray[np.bool_]:
        """Return the cells to begin with, shape (n_Cs, n_gammas)."""
        cells = np.zeros(self._shape, dtype=bool)
        cells[np.ix_(*map(spread, self._shape))] = True
        return self._as_given(cells)

    def next(self, scores: Array, tried: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the neighbours of the best cell that were not tried yet; there may be none.

        Parameters
        ----------
        scores : ndarray of shape (n_Cs, n_gammas)
            The scores of the cells that were tried.
        tried : ndarray of shape (n_Cs, n_gammas), bool

        Returns
        -------
        ndarray of shape (n_Cs, n_gammas), bool
        """
        scores, tried = scores[self._by_value], tried[self._by_value]
        known = np.where(tried & ~np.isnan(scores), scores, -np.inf)
        c, g = np.unravel_index(int(np.argmax(known)), self._shape)
        near = np.zeros(self._shape, dtype=bool)
        near[max(c - 1, 0) : c + 2, max(g - 1, 0) : g + 2] = True
        cells = np.flatnonzero(near & ~tried)[: max(0, self._most - int(tried.sum()))]
        chosen = np.zeros(self._shape, dtype=bool)
        chosen.flat[cells] = True
        return self._as_given(chosen)

    def _as_given(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return cells in the order of the values as given."""
        out = np.zeros(self._shape, dtype=bool)
        out[self._by_value] = cells
        return out
