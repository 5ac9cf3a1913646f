"""Margins: how far the samples of two classes are from the hyperplane of their machine, in kernel space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Features, Index
from ..machines.bank import Bank
from ..problem.samples import as_data

VALUES_AT_ONCE = 2**22
# Rounding may leave a weight vector of length zero a square below it, by this share of what was summed.
ROUNDING = 1e-8


@dataclass(frozen=True, eq=False)
class Margins(FrozenArrays):
    """What the machine of each pair makes of the samples of its two classes; one entry per machine in every array.

    With s = 1 for the later class and -1 for the earlier, sample x is at the distance s v(x) / |w| from the hyperplane,
    below zero on the wrong side.

    Attributes
    ----------
    smallest : ndarray of float
        The smallest distance of all samples of the two classes: the margin, with its sign.
    placed : ndarray of float
        The smallest among the samples on their own side; NaN if there are none.
    misplaced : ndarray of int64
        How many are not on their own side: beyond the hyperplane, or on it.
    norm : ndarray of float
        |w|, the length of the weight vector.
    slack : ndarray of float
        sqrt(sum of max(0, 1 - s v(x))^2), the length of the vector of slacks.
    """

    smallest: Array
    placed: Array
    misplaced: Index
    norm: Array
    slack: Array

    @property
    def separable(self) -> NDArray[np.bool_]:
        """Whether all samples of the two classes are on their own side."""
        return self.smallest > 0


def margins_of(bank: Bank, X: Features, class_index: Index, n_threads: int = 1) -> Margins:
    """Measure the margin of every machine, in double precision.

    Class by class: the samples of a class are put to the machines of that class alone. So N - 1 values are computed for a
    sample, not one for each of the N(N-1)/2 machines, and no more of them are held than a block of samples needs.

    Parameters
    ----------
    bank : Bank
        Of all pairs.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        For a precomputed kernel, the kernel matrix of the training samples.
    class_index : ndarray of shape (n_samples,), int64
        Each class must be there.
    n_threads : int

    Returns
    -------
    Margins
    """
    n = bank.n_machines
    smallest, placed = np.full(n, np.inf), np.full(n, np.inf)
    misplaced, slack2 = np.zeros(n, dtype=np.int64), np.zeros(n)
    norm2, summed = np.zeros(n), np.zeros(n)
    rows_at_once = max(64, min(4096, VALUES_AT_ONCE // bank.n_classes))
    for c in range(bank.n_classes):
        own = np.delete(bank.machine_of[c], c)
        machines = bank.select(own, precision="double")
        sign = np.where(bank.pairs[own, 1] == c, 1.0, -1.0)
        rows = np.flatnonzero(class_index == c)
        for first in range(0, len(rows), rows_at_once):
            block = as_data(X[rows[first : first + rows_at_once]])
            values = sign * machines.native.values(block, False, n_threads)
            smallest[own] = np.minimum(smallest[own], values.min(axis=0))
            placed[own] = np.minimum(placed[own], np.where(values > 0, values, np.inf).min(axis=0))
            misplaced[own] += (values <= 0).sum(axis=0)
            slack2[own] += (np.maximum(1.0 - values, 0.0) ** 2).sum(axis=0)
        begin, end = machines.class_start[c : c + 2]
        vectors = X[machines.support[begin:end]] if machines.vectors is None else machines.vectors[begin:end]
        terms, sizes = machines.norm2_terms(begin, end, vectors, n_threads)
        norm2[own] += terms
        summed[own] += sizes
    if np.any(norm2 < -ROUNDING * summed):
        raise ValueError("the kernel is not positive semi-definite: a weight vector has a negative squared length")
    norm = np.sqrt(np.maximum(norm2, 0.0))
    # A machine without weights has no hyperplane, and separates nothing.
    distance = np.divide(smallest, norm, out=np.zeros(n), where=norm > 0)
    placed = np.divide(placed, norm, out=np.full(n, np.nan), where=(norm > 0) & np.isfinite(placed))
    return Margins(distance, placed, misplaced, norm, np.sqrt(slack2))
