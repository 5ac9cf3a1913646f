"""Coupling: from the probabilities of all pairs of classes to the probabilities of the classes.

With r_ij the probability of class i if only i and j are possible, the second method of Wu, Lin & Weng (2004) finds the p with
sum 1 that minimises the sum of (r_ji p_i - r_ij p_j)² over all pairs. Then Q p = λ e for the symmetric matrix Q with the
diagonal entries Q_ii = sum_j r_ji² and the others Q_ij = -r_ji r_ij. So p is the solution of Q p = e, divided by its sum.

The system is solved at once, not by the iteration of the paper, which LIBSVM ends at an error of 0.005 / n_classes. It is
scaled to a diagonal of 1, because the diagonal entry of a certain class is tiny. The error of the solution is about that of
rounding, which is not good enough for the least probable classes. So the equations p_i = (sum_j r_ji r_ij p_j + λ) / Q_ii are
applied once to the solution: all their terms are positive, and the large ones are accurate.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from ..base.pairs import pair_classes
from ..base.threads import one_blas_thread
from ..base.typing import Array

# Entries of the systems in memory at once: few megabytes, so that they stay in the cache of the processor.
ENTRIES_AT_ONCE = 2**18
# Added to the diagonal of 1: the matrix is singular but for rounding if two classes are certain to beat all others.
RIDGE = 1e-13
# LAPACK solves larger systems in threads, and then rounds in an order that depends on their number; one thread does not.
ONE_THREAD_FROM = 32


def couple(later: Array, n_classes: int) -> Array:
    """Return the probabilities of the classes from those of all pairs.

    Parameters
    ----------
    later : ndarray of shape (n_samples, n_classes * (n_classes - 1) / 2)
        The probability of the later class of each pair, in the order (0, 1), (0, 2), ...; greater than 0 and less than 1.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Each row has the sum 1.

    References
    ----------
    Wu, Lin & Weng, Probability estimates for multi-class classification by pairwise coupling, 2004.

    Examples
    --------
    Probabilities that agree with each other are found again:

    >>> import numpy as np
    >>> from dagmar.probabilities.coupling import couple
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> later = np.array([[p[j] / (p[i] + p[j]) for i, j in [(0, 1), (0, 2), (1, 2)]]])
    >>> couple(later, 3).round(6).tolist()
    [[0.5, 0.3, 0.2]]
    """
    if n_classes == 2:
        return np.hstack([1.0 - later, later])
    at_once = max(1, ENTRIES_AT_ONCE // n_classes**2)
    with one_blas_thread() if n_classes >= ONE_THREAD_FROM else nullcontext():
        blocks = [_couple(later[first : first + at_once], n_classes) for first in range(0, len(later), at_once)]
    return np.concatenate(blocks) if blocks else np.zeros((0, n_classes))


def _couple(later: Array, n_classes: int) -> Array:
    i, j = pair_classes(n_classes)
    r = np.zeros((len(later), n_classes, n_classes))
    r[:, i, j], r[:, j, i] = 1.0 - later, later
    diagonal = (r**2).sum(axis=1)  # of Q; the other entries of Q are those of `products`, times -1
    products = r * r.swapaxes(1, 2)
    scale = 1.0 / np.sqrt(diagonal)
    scaled = products * -scale[:, :, None]
    scaled *= scale[:, None]
    every = np.arange(n_classes)
    scaled[:, every, every] = 1.0 + RIDGE
    p = scale * np.linalg.solve(scaled, scale[:, :, None])[:, :, 0]
    p = np.maximum(p / p.sum(axis=1, keepdims=True), 0.0)
    from_others = (products @ p[:, :, None])[:, :, 0]
    multiplier = np.maximum((p * (diagonal * p - from_others)).sum(axis=1, keepdims=True), 0.0)
    p = (from_others + multiplier) / diagonal
    normalised: Array = p / p.sum(axis=1, keepdims=True)
    return normalised
