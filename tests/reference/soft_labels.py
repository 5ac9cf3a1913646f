"""Soft labels from nearest neighbours (Tao et al. 2005, as Wang et al. 2011 use them), by brute force."""

import numpy as np


def soft_labels(X, signs, k):
    """Labels y = 2 P(+) - 1 among the k nearest of these samples; itself first, ties in distance by index."""
    X = np.asarray(X, dtype=float).tolist()
    distance2 = [[sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) for z in X] for x in X]
    return from_distances(distance2, signs, k)


def from_distances(distance2, signs, k):
    """The same from a table of squared distances."""
    n, out = len(signs), []
    for a in range(n):
        others = sorted((b for b in range(n) if b != a), key=lambda b: (distance2[a][b], b))
        nearest = [a, *others][:k]
        positive = sum(1 for b in nearest if signs[b] > 0)
        out.append(2 * positive / len(nearest) - 1)
    return np.array(out)
