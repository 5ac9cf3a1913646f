"""The Fisher ratio of two classes (Wang, Zheng & Zhou 2011), for vectors."""

import math

import numpy as np


def variance(A):
    """Mean squared distance from the mean: the trace of the covariance."""
    mean = np.mean(A, axis=0)
    return float(np.mean([((x - mean) ** 2).sum() for x in A]))


def ratio(A, B):
    """Squared distance of the means over the sum of the variances."""
    distance2 = float(((np.mean(A, axis=0) - np.mean(B, axis=0)) ** 2).sum())
    spread = variance(A) + variance(B)
    if spread > 0:
        return distance2 / spread
    return math.inf if distance2 > 0 else 0.0


def matrix(X, y):
    """The ratio of every two classes; 0 on the diagonal."""
    groups = [np.asarray(X, dtype=float)[np.asarray(y) == c] for c in range(int(np.max(y)) + 1)]
    return np.array([[0.0 if A is B else ratio(A, B) for B in groups] for A in groups])


def choose_pair(ratios, classes):
    """The pair with the largest ratio; ties: the first."""
    best = None
    for a, i in enumerate(classes):
        for j in classes[a + 1 :]:
            if best is None or ratios[i][j] > ratios[best[0]][best[1]]:
                best = i, j
    return best
