"""Pairwise coupling (Wu, Lin & Weng 2004, second method), by the iteration of the paper: slow and obvious."""

import numpy as np


def matrix(later, n_classes):
    """The matrix Q of one sample, from the probabilities of the later class of each pair."""
    r = np.zeros((n_classes, n_classes))
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for (i, j), p in zip(pairs, later, strict=True):
        r[i, j], r[j, i] = 1.0 - p, p
    Q = -r.T * r
    for i in range(n_classes):
        Q[i, i] = sum(r[j, i] ** 2 for j in range(n_classes) if j != i)
    return Q


def couple(later, n_classes, eps=1e-12, most=20_000):
    """The probabilities of one sample. Each is set in turn so that its equation holds, until all do to within eps."""
    Q = matrix(later, n_classes)
    p = np.full(n_classes, 1.0 / n_classes)
    for _ in range(most):
        if np.abs(Q @ p - p @ Q @ p).max() < eps:
            break
        for t in range(n_classes):
            p[t] += (p @ Q @ p - Q[t] @ p) / Q[t, t]
            p /= p.sum()
    return p
