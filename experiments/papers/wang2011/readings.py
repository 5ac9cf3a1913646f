"""Readings of the soft label: functions for ``dagmar.SVC(soft_labels=...)``.

The paper says that y = 2 P(+ | x) - 1, with P from the k nearest neighbours, and leaves open whose neighbours count and what
becomes of a sample whose y has the other sign than its label.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from dagmar.base.typing import Array, Index

ROWS_AT_ONCE = 1024  # whose distances to all others are held in memory


def nearest(X: Array, n: int, of: Index | None = None) -> Index:
    """The n nearest samples of every sample, itself first; ties in distance go to the earlier sample.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n : int
    of : ndarray of int, optional
        Only for these samples.

    Returns
    -------
    ndarray of shape (n_samples or len(of), min(n, n_samples))
    """
    size = len(X)
    n = min(n, size)
    of = np.arange(size) if of is None else of
    square = np.einsum("ij,ij->i", X, X)
    # A part of the last digit that counts, so that a tie in distance is none in this sum.
    order = 1e-10 * np.arange(size) / size
    found = np.empty((len(of), n), dtype=np.int64)
    for first in range(0, len(of), ROWS_AT_ONCE):
        here = of[first : first + ROWS_AT_ONCE]
        key = np.round(square[here, None] + square - 2.0 * X[here] @ X.T, 9) + order
        key[np.arange(len(here)), here] = -1.0
        some = np.argpartition(key, n - 1, axis=1)[:, :n]
        ranked = np.argsort(np.take_along_axis(key, some, axis=1), axis=1)
        found[first : first + ROWS_AT_ONCE] = np.take_along_axis(some, ranked, axis=1)
    return found


class Neighbours:
    """Nearest neighbours within sets of samples, searched once for all machines, k, C, gamma and readings.

    The nearest of every sample among all samples are found first; the nearest of a machine's classes are mostly among them.

    Parameters
    ----------
    most : int
        How many are kept: the largest k that will be asked for, and one more to leave the sample itself out.
    depth : int
        How many are found among all samples.
    """

    def __init__(self, most: int = 12, depth: int = 200) -> None:
        self.most, self.depth = most, max(most, depth)
        self._everywhere: dict[str, Index] = {}
        self._among: dict[tuple[str, bytes], Index] = {}
        self._last: tuple[Array, str] | None = None

    def _name(self, X: Array) -> str:
        """Tells one X from another: every fold of a search has its own."""
        if self._last is None or self._last[0] is not X:
            self._last = X, blake2b(np.ascontiguousarray(X).tobytes()).hexdigest()
        return self._last[1]

    def everywhere(self, X: Array) -> Index:
        """For every sample of X its nearest among all, itself first."""
        name = self._name(X)
        if name not in self._everywhere:
            self._everywhere[name] = nearest(X, self.depth)
        return self._everywhere[name]

    def among(self, X: Array, rows: Index) -> Index:
        """For each of the rows of X its nearest among these rows, itself first; rows of X."""
        key = self._name(X), rows.tobytes()
        if key not in self._among:
            near = self.everywhere(X)[rows]
            inside = np.zeros(len(X), dtype=bool)
            inside[rows] = True
            most = min(self.most, len(rows))
            ours = inside[near]
            # Those of the rows first, each lot in its order.
            first = np.argsort(~ours, axis=1, kind="stable")[:, :most]
            found = np.take_along_axis(near, first, axis=1)
            few = np.flatnonzero(ours.sum(axis=1) < most)
            if len(few):  # too many of other classes are nearer
                order = np.sort(rows)  # ties go to the earlier row
                found[few] = order[nearest(X[order], most, np.searchsorted(order, rows[few]))]
            self._among[key] = found
        return self._among[key]


@dataclass(frozen=True)
class Reading:
    """A reading of the soft label, called by `SVC` for every machine.

    Attributes
    ----------
    k : int
        Neighbours.
    neighbours : Neighbours
    itself : bool
        Whether a sample is its own first neighbour; without, the k others count.
    everywhere : bool
        Look for neighbours in all classes, and let those of the machine's own count; else look among the machine's classes.
    flipped : {"kept", "unflipped", "dropped"}
        What becomes of a sample whose y has the other sign than its label.
    hard : bool
        Labels +1 and -1 in the end: with dropped samples this is an edited training set for ordinary machines.
    window : float or None
        Tao's window in place of neighbours: every sample of the machine counts, by exp(-window distance^2).
    """

    k: int
    neighbours: Neighbours
    itself: bool = True
    everywhere: bool = False
    flipped: str = "kept"
    hard: bool = False
    window: float | None = None

    def __call__(self, X: Array, rows: Index, sign: Array) -> Array:
        """Soft labels of some rows of X with these signs."""
        y = self._estimate(X, rows, sign)
        if self.flipped == "unflipped":
            y = np.abs(y) * sign
        elif self.flipped == "dropped":
            y = np.where(y * sign > 0, y, 0.0)
        return np.sign(y) if self.hard else y

    def _estimate(self, X: Array, rows: Index, sign: Array) -> Array:
        if self.window is not None:
            return windowed(X[rows], sign, self.window)
        first = 0 if self.itself else 1
        columns = slice(first, self.k + first)
        if not self.everywhere:
            near = self.neighbours.among(X, rows)[:, columns]
        else:
            near = self.neighbours.everywhere(X)[rows, columns]
        side = np.zeros(len(X))
        side[rows] = sign
        total = np.abs(side[near]).sum(axis=1)  # neighbours of the machine's own classes
        soft: Array = side[near].sum(axis=1) / np.maximum(total, 1.0)
        return np.where(total > 0, soft, sign)


def windowed(X: Array, sign: Array, window: float) -> Array:
    """Soft labels by Parzen windows: the mean sign of all samples, weighted by exp(-window distance^2)."""
    square = np.einsum("ij,ij->i", X, X)
    weight = np.exp(-window * np.maximum(square[:, None] + square - 2.0 * X @ X.T, 0.0))
    y: Array = weight @ sign / weight.sum(axis=1)
    return np.clip(y, -1.0, 1.0)
