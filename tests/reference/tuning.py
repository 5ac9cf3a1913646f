"""Gamma by the distance between classes (Yu et al. 2011): the whole matrix of distances, and a fine grid."""

from itertools import combinations

import numpy as np


def distances(X, y, gamma, weight=None):
    """DBTC of every pair (0, 1), (0, 2), ... at one gamma."""
    weight = np.ones(len(y)) if weight is None else weight
    K = np.exp(-gamma * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))

    def mean(a, b):
        w = np.outer(weight[y == a], weight[y == b])
        return (w * K[np.ix_(y == a, y == b)]).sum() / w.sum()

    return np.array([mean(a, a) + mean(b, b) - 2 * mean(a, b) for a, b in combinations(range(y.max() + 1), 2)])


def best(X, y, gammas, per_pair):
    """The gamma of a list with the largest DBTC, of each pair or on average, and its value."""
    curves = np.array([distances(X, y, gamma) for gamma in gammas]).T
    curves = curves if per_pair else curves.mean(axis=0, keepdims=True)
    return np.array(gammas)[curves.argmax(axis=1)], curves.max(axis=1)
