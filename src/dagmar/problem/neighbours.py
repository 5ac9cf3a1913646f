"""Nearest neighbours among samples, exactly, with ties to the sample that comes first in the training data.

The search has two steps. A matrix product in single precision bounds the squared distances of a block of samples from below.
The few that the bounds do not rule out are computed from differences of the samples in double precision. So the result does
not depend on the rounding of the product, on the number of threads, or on the size of a block.

Distances that agree in `BITS` bits are ties: rounding can make distances differ that are equal on paper.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array, Index
from .kernels import DOUBLE_ROUNDOFF, SINGLE_ROUNDOFF
from .problem import Problem

# Bits of a squared distance that count.
BITS = 30
# Number of differences of features that are computed at once.
AT_ONCE = 2**20


class Distances(ABC):
    """Squared distances between samples, given by their rows in X: bounds that are cheap, and exact values."""

    @abstractmethod
    def prepare(self, columns: Index) -> Any:
        """Return what `lower` needs to know about these columns."""

    @abstractmethod
    def lower(self, rows: Index, columns: Index, prepared: Any) -> Array:
        """Return lower bounds of the squared distances, shape (n_rows, n_columns)."""

    @abstractmethod
    def width(self, rows: Index, columns: Index) -> Array:
        """Return how far a value can be above its bound, in each row; shape (n_rows,)."""

    @abstractmethod
    def _exact(self, rows: Index, columns: Index) -> Array:
        """Return the squared distance of each pair of samples, shape (n_pairs,)."""

    def __call__(self, rows: Index, columns: Index) -> Array:
        """Return the squared distance of each pair of samples to `BITS` bits, shape (n_pairs,)."""
        mantissa, exponent = np.frexp(self._exact(rows, columns))
        rounded: Array = np.ldexp(np.rint(np.ldexp(mantissa, BITS)), exponent - BITS)
        return rounded


class DenseDistances(Distances):
    """Distances of samples in an array. Bounds are computed from centred samples, so that single precision is enough."""

    def __init__(self, X: Array, scale: float) -> None:
        n, d = X.shape
        centre = X.mean(axis=0, dtype=np.float64)
        self._X, self._scale = X, scale
        # The rounding error of |x|² + |z|² - 2xz is less than this times |x|² + |z|².
        self._error = 4 * (d + 4) * SINGLE_ROUNDOFF
        # A last column for |z|² makes the bound a single product.
        self._samples = np.empty((n, d + 1), dtype=np.float32)
        for first in range(0, n, 4096):  # in parts, to avoid a copy of X in double precision
            part = slice(first, first + 4096)
            self._samples[part, :d] = (X[part] - centre) * scale
        self._norm2 = np.einsum("ij,ij->i", self._samples[:, :d], self._samples[:, :d], dtype=np.float64)
        self._samples[:, d] = (1 - self._error) * self._norm2

    def prepare(self, columns: Index) -> Array:
        """Return what `lower` needs to know about the columns."""
        return self._samples[columns]

    def lower(self, rows: Index, columns: Index, prepared: Array) -> Array:
        """Return lower bounds of the squared distances."""
        left = -2 * self._samples[rows]
        left[:, -1] = 1
        bounds: Array = left @ prepared.T
        bounds += ((1 - self._error) * self._norm2[rows]).astype(np.float32)[:, None]
        return bounds

    def width(self, rows: Index, columns: Index) -> Array:
        """Return how far a value can be above its bound."""
        width: Array = 2 * self._error * (self._norm2[rows] + self._norm2[columns].max())
        return width

    def _exact(self, rows: Index, columns: Index) -> Array:
        out = np.empty(len(rows))
        at_once = max(1, AT_ONCE // self._X.shape[1])
        for first in range(0, len(rows), at_once):
            part = slice(first, first + at_once)
            difference = np.subtract(self._X[rows[part]], self._X[columns[part]], dtype=np.float64)
            difference *= self._scale
            np.einsum("ij,ij->i", difference, difference, out=out[part])
        return out


class SparseDistances(Distances):
    """Distances of samples in a CSR matrix."""

    def __init__(self, X: Any, scale: float) -> None:
        self._X = X * scale
        self._error = 4 * (int(np.diff(X.indptr).max()) + 4) * DOUBLE_ROUNDOFF
        self._norm2 = np.asarray(self._X.multiply(self._X).sum(axis=1)).ravel()

    def prepare(self, columns: Index) -> Any:
        """Return what `lower` needs to know about the columns."""
        return self._X[columns].T.tocsr()

    def lower(self, rows: Index, columns: Index, prepared: Any) -> Array:
        """Return lower bounds of the squared distances."""
        bounds: Array = (-2 * self._X[rows] @ prepared).toarray()
        bounds += (1 - self._error) * self._norm2[columns]
        bounds += (1 - self._error) * self._norm2[rows, None]
        return bounds

    def width(self, rows: Index, columns: Index) -> Array:
        """Return how far a value can be above its bound."""
        width: Array = 2 * self._error * (self._norm2[rows] + self._norm2[columns].max())
        return width

    def _exact(self, rows: Index, columns: Index) -> Array:
        difference = self._X[rows] - self._X[columns]
        return np.asarray(difference.multiply(difference).sum(axis=1)).ravel()


class KernelDistances(Distances):
    """Distances in kernel space, from a kernel matrix. The bounds are the values themselves."""

    def __init__(self, gram: Array) -> None:
        self._gram, self._diagonal = gram, np.diag(gram).astype(np.float64)

    def prepare(self, columns: Index) -> None:
        """Return what `lower` needs to know about the columns."""
        return None

    def lower(self, rows: Index, columns: Index, prepared: None) -> Array:
        """Return lower bounds of the squared distances."""
        products = self._gram[np.ix_(rows, columns)] + self._gram[np.ix_(columns, rows)].T
        return np.maximum(self._diagonal[rows, None] + self._diagonal[columns] - products, 0.0)

    def width(self, rows: Index, columns: Index) -> Array:
        """Return how far a value can be above its bound."""
        return np.zeros(len(rows))

    def _exact(self, rows: Index, columns: Index) -> Array:
        products = self._gram[rows, columns] + self._gram[columns, rows]
        return np.maximum(self._diagonal[rows] + self._diagonal[columns] - products, 0.0)


def distances_of(problem: Problem) -> Distances:
    """Return the distances between the samples of a problem: Euclidean, or in kernel space if there is only a kernel matrix."""
    if problem.kernel.name == "precomputed":
        return KernelDistances(problem.X)
    kind = SparseDistances if sp.issparse(problem.X) else DenseDistances
    return kind(problem.X, problem.kernel.scale)


class Among:
    """Samples among which neighbours are searched, prepared for many searches.

    Parameters
    ----------
    distances : Distances
    columns : ndarray of shape (n_columns,)
        The samples.
    """

    def __init__(self, distances: Distances, columns: Index) -> None:
        self.distances, self.columns = distances, columns
        self._prepared = distances.prepare(columns)

    def lower(self, rows: Index) -> Array:
        """Return lower bounds of the squared distances from other samples, shape (n_rows, n_columns)."""
        return self.distances.lower(rows, self.columns, self._prepared)


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest neighbours of some samples, from the nearest on.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        The samples.
    neighbour : ndarray of shape (n_rows, count)
        Their neighbours; -1 if there are fewer than `count`.
    distance : ndarray of shape (n_rows, count)
        Squared distances; inf if there are fewer.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.neighbours import Among, DenseDistances, Nearest
    >>> distances = DenseDistances(np.array([[0.0], [1.0], [3.0], [2.0]]), 1.0)
    >>> near = Nearest.find(np.array([0, 1]), Among(distances, np.array([0, 1, 2])), count=2)
    >>> near.neighbour.tolist()
    [[1, 2], [0, 2]]
    >>> near.places_for(Among(distances, np.array([3])), group=np.array([0]), n_groups=1).tolist()
    [[1], [1]]
    """

    rows: Index
    neighbour: Index
    distance: Array

    @classmethod
    def find(cls, rows: Index, among: Among, count: int) -> Nearest:
        """Find the `count` nearest neighbours of samples. A sample is not its own neighbour.

        Parameters
        ----------
        rows : ndarray of shape (n_rows,)
        among : Among
            Where to search; ascending.
        count : int

        Returns
        -------
        Nearest
        """
        columns, lower = among.columns, among.lower(rows)
        lower[rows[:, None] == columns] = np.inf
        last = np.full(len(rows), np.inf)
        if count < len(columns):
            last = np.partition(lower, count - 1, axis=1)[:, count - 1] + among.distances.width(rows, columns)
        row, column = _within(lower, last)
        other = rows[row] != columns[column]
        row, column = row[other], column[other]
        distance = among.distances(rows[row], columns[column])
        order, rank = _ranked(distance, row, count)
        shape = len(rows), count
        found = cls(rows, np.full(shape, -1), np.full(shape, np.inf))
        found.neighbour[row[order], rank] = columns[column[order]]
        found.distance[row[order], rank] = distance[order]
        return found

    def places_for(self, others: Among, group: Index, n_groups: int) -> Index:
        """Count the places that other samples would take among the nearest, if one group of them were added.

        Parameters
        ----------
        others : Among
            Samples, group after group; ascending within a group.
        group : ndarray of shape (n_columns,)
            Their groups, from 0 to n_groups - 1.
        n_groups : int

        Returns
        -------
        ndarray of shape (n_rows, n_groups)
            From 0 to `count`, for each group by itself.
        """
        count = self.distance.shape[1]
        row, column = _within(others.lower(self.rows), self.distance[:, -1])
        sample = others.columns[column]
        distance = others.distances(self.rows[row], sample)
        table = row * n_groups + group[column]
        order, rank = _ranked(distance, table, count)
        # The first sample of a group has a place unless all `count` neighbours are before it, the second unless `count` - 1
        # are, and so on.
        rival = row[order], count - 1 - rank
        before = distance[order] < self.distance[rival]
        before |= (distance[order] == self.distance[rival]) & (sample[order] < self.neighbour[rival])
        places = np.bincount(table[order][before], minlength=len(self.rows) * n_groups)
        return places.reshape(-1, n_groups)


def _within(lower: Array, limit: Array) -> tuple[Index, Index]:
    """Return rows and columns of the bounds that are not above the limit of their row."""
    # Limits may have lost half a unit in the last bit by rounding.
    limit = np.nextafter((limit * (1 + 2.0**-BITS)).astype(lower.dtype), lower.dtype.type(np.inf))
    # The same as np.nonzero, which takes ten times as long for an array of two dimensions.
    row, column = np.divmod(np.flatnonzero(lower <= limit[:, None]), lower.shape[1])
    return row, column


def _ranked(value: Array, table: Index, count: int) -> tuple[Index, Index]:
    """Return the `count` entries of each table with the smallest values, in order, and their ranks from 0.

    Entries come table after table; those of equal value stay in their order.
    """
    order = np.lexsort((value, table))
    begin = np.flatnonzero(np.diff(table, prepend=-1))
    rank = np.arange(len(table)) - np.repeat(begin, np.diff(begin, append=len(table)))
    first = rank < count
    return order[first], rank[first]
