"""The distance between two classes as Equations 6 and 9 print it, as it must be meant, and beside Fisher's criterion."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dagmar.base.typing import Array, Index


class Means(NamedTuple):
    """Mean kernel values of pairs of classes: everything that the equations need. All arrays have one shape.

    Attributes
    ----------
    n_1, n_2 : ndarray
        Samples of the two classes.
    s_11, s_22, s_12 : ndarray
        The mean of k(x, y) within the first class, within the second, and between them.
    """

    n_1: Array
    n_2: Array
    s_11: Array
    s_22: Array
    s_12: Array


def means_of_pairs(X: Array, y: Index, gammas: Array) -> Means:
    """Compute the mean kernel values of every pair of classes.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    gammas : ndarray of shape (n_pairs,) or (n_pairs, n_gammas)
        The gammas of every pair.

    Returns
    -------
    Means
        Of the shape of `gammas`.
    """
    of_class = [X[y == c] for c in np.unique(y)]
    columns = []
    for (a, b), at in zip(combinations(of_class, 2), gammas, strict=True):
        within_a, within_b, between = (_mean_kernel(u, v, at) for u, v in ((a, a), (b, b), (a, b)))
        columns.append((np.full_like(at, len(a)), np.full_like(at, len(b)), within_a, within_b, between))
    return Means(*(np.array(column) for column in zip(*columns, strict=True)))


def _mean_kernel(A: Array, B: Array, gammas: Array) -> Array:
    distances = cdist(A, B, "sqeuclidean")
    means: Array = np.vectorize(lambda gamma: np.exp(-gamma * distances).mean(), otypes=[float])(gammas)
    return means


def squared(of: Means) -> Array:
    """Equation 6 with 1/n² before the double sums: the squared distance of the two means."""
    return of.s_11 + of.s_22 - 2 * of.s_12


def equation_6(of: Means) -> Array:
    """Equation 6 as printed, with 1/n before the double sums."""
    return of.n_1 * of.s_11 + of.n_2 * of.s_22 - 2 * of.s_12


def halved(of: Means) -> Array:
    """The last line of Equation 9 with the distances within a class halved."""
    # The squared distance of two mapped samples is 2 - 2 k(x, y), so d(A, B) over the number of terms is 2 - 2 s.
    return (2 - 2 * of.s_12) - (2 - 2 * of.s_11) / 2 - (2 - 2 * of.s_22) / 2


def equation_9(of: Means) -> Array:
    """The last line of Equation 9 as printed."""
    return (2 - 2 * of.s_12) - (2 - 2 * of.s_11) - (2 - 2 * of.s_22)


def fisher(of: Means) -> Array:
    """Fisher's criterion in kernel space: the squared distance of the means over the sum of the variances of the classes."""
    return squared(of) / (2 - of.s_11 - of.s_22)


def weighted_fisher(of: Means) -> Array:
    """The same with scatter matrices: classes count by their samples. It is the ratio of the traces."""
    between = of.n_1 * of.n_2 / (of.n_1 + of.n_2) * squared(of)
    return between / (of.n_1 * (1 - of.s_11) + of.n_2 * (1 - of.s_22))


FORMULAS: dict[str, Callable[[Means], Array]] = {
    "squared": squared,
    "equation_6": equation_6,
    "halved": halved,
    "equation_9": equation_9,
    "fisher": fisher,
    "weighted_fisher": weighted_fisher,
}


def distance_of_means(X: Array, y: Index, gammas: Array) -> Array:
    """The squared distance of the means of every pair of classes, as a quadratic form of the kernel matrix.

    It uses none of the equations: the means differ by the sum of w φ(x) with w = 1/n_1 and -1/n_2.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    gammas : ndarray of shape (n_pairs,)
    """
    found = []
    for (i, j), gamma in zip(combinations(np.unique(y), 2), gammas, strict=True):
        rows = (y == i) | (y == j)
        w = np.where(y[rows] == i, 1 / np.sum(y == i), -1 / np.sum(y == j))
        found.append(w @ np.exp(-gamma * cdist(X[rows], X[rows], "sqeuclidean")) @ w)
    return np.array(found)
