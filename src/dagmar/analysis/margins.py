"""Margins: distances of the samples of two classes from the hyperplane of their machine in kernel space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Features, Index
from ..machines.bank import Bank
from ..problem.samples import as_data

VALUES_AT_ONCE = 2**22
# Rounding can make the squared length of a weight vector negative, by at most this share of the sum of its terms.
ROUNDING = 1e-8


@dataclass(frozen=True, eq=False)
class Margins(FrozenArrays):
    """Distances of samples from the hyperplane of the machine of their pair; every array has one entry per machine.

    With s = 1 for the later class and -1 for the earlier, sample x has the distance s v(x) / |w|, which is negative on the
    wrong side.

    Attributes
    ----------
    smallest : ndarray of float
        The smallest distance of a sample of the two classes: the margin, with its sign.
    placed : ndarray of float
        The smallest distance of a sample on the right side; NaN if there is none.
    misplaced : ndarray of int64
        Number of samples that are not on the right side; samples on the hyperplane count.
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
        """Whether all samples of the two classes are on the right side."""
        return self.smallest > 0


def margins_of(bank: Bank, X: Features, class_index: Index, n_threads: int = 1) -> Margins:
    """Measure the margin of every machine, in double precision.

    The samples of each class are given only to the N - 1 machines of that class, not to all N(N-1)/2, and in blocks of
    samples, so that time and memory stay small.

    Parameters
    ----------
    bank : Bank
        It must hold all pairs.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        For a precomputed kernel, the kernel matrix of the training samples.
    class_index : ndarray of shape (n_samples,), int64
        Every class must occur.
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
    # A machine whose weight vector is zero has no hyperplane and separates nothing.
    distance = np.divide(smallest, norm, out=np.zeros(n), where=norm > 0)
    placed = np.divide(placed, norm, out=np.full(n, np.nan), where=(norm > 0) & np.isfinite(placed))
    return Margins(distance, placed, misplaced, norm, np.sqrt(slack2))
