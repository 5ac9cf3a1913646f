"""Coupling: from the probabilities of all pairs of classes to the probabilities of the classes.

With r_ij the probability of class i if only i and j are possible, the second method of Wu, Lin & Weng (2004) finds the p with
sum 1 that minimises the sum of (r_ji p_i - r_ij p_j)² over all pairs. Then Q p = λ e for the symmetric matrix Q with the
diagonal entries Q_ii = sum_j r_ji² and the others Q_ij = -r_ji r_ij. So p is the solution of Q p = e, divided by its sum.

The system is solved by elimination, not by the iteration of the paper, which LIBSVM ends at an error of 0.005 / n_classes. All
entries outside the diagonal are negative and remain so, hence all sums have terms of one sign, and only the pivots can lose
digits. That does no harm if the likely classes come last: the last pivots determine little more than the scale of p.
"""

from __future__ import annotations

import numpy as np

from ..base.pairs import pair_classes
from ..base.typing import Array

# Entries of the systems in memory at once: few megabytes, so that they stay in the cache of the processor.
ENTRIES_AT_ONCE = 2**19
# A pivot is at least this share of its diagonal entry: what is smaller is rounding.
LEAST_PIVOT = np.finfo(np.float64).eps


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
    blocks = [_couple(later[first : first + at_once].T, n_classes) for first in range(0, len(later), at_once)]
    return np.concatenate(blocks) if blocks else np.zeros((0, n_classes))


def _couple(later: Array, n_classes: int) -> Array:
    """Solve the systems of some samples; here, and here only, samples are the last axis, along which NumPy is fast."""
    i, j = pair_classes(n_classes)
    n = later.shape[1]
    r = np.zeros((n_classes, n_classes, n))
    r[i, j], r[j, i] = 1.0 - later, later
    # Sums are taken term by term: np.sum rounds in an order that depends on the number of samples.
    losses, diagonal = np.zeros((2, n_classes, n))
    for against in r:  # r_ji of one j and all i
        losses += against
        diagonal += against**2
    order = np.argsort(-losses, axis=0, kind="stable")  # the class that loses most comes first
    np.multiply(r, r.swapaxes(0, 1).copy(), out=r)
    sorted_ = np.take(r, (order[:, None] * n_classes + order) * n + np.arange(n))
    p = _solve(sorted_, np.take_along_axis(diagonal, order, axis=0))
    total = np.zeros(n)
    for of_class in p:
        total += of_class
    out = np.empty_like(p)
    np.put_along_axis(out, order, p / total, axis=0)
    return np.ascontiguousarray(out.T)


def _solve(minus: Array, diagonal: Array) -> Array:
    """Solve Q p = e by elimination; `minus` has the entries of Q outside its diagonal, times -1, and is overwritten."""
    n = len(diagonal)
    pivot, p, least = diagonal.copy(), np.ones_like(diagonal), LEAST_PIVOT * diagonal
    for t in range(n):
        pivot[t] = np.maximum(pivot[t], least[t])
        row = minus[t, t + 1 :]
        factor = row / pivot[t]
        pivot[t + 1 :] -= factor * row
        p[t + 1 :] += factor * p[t]
        minus[t + 1 :, t + 1 :] += factor[:, None] * row
    for t in range(n - 1, -1, -1):
        p[t] /= pivot[t]
        p[:t] += minus[:t, t] * p[t]
    return p
