"""The values that features have in many samples, by sorting whole columns."""

import numpy as np

FEW_NONZEROS, USUAL_SHARE, FEW_FEATURES = 0.35, 0.2, 32


def usual_centre(X, mean):
    """Return the usual values, or None if there are none; and how far the samples are from the origin then.

    That is the square of the mean by the mean square of the samples. From 1/2 on, they are too far. With few features, only
    zeros are usual.
    """
    X = np.asarray(X, dtype=np.float64)
    if X.shape[1] >= FEW_FEATURES:
        centre = usual_values(X, mean)
    else:
        centre = np.zeros(X.shape[1]) if np.count_nonzero(X) <= FEW_NONZEROS * X.size else None
    if centre is None:
        return None, 0.0
    squares = ((X - centre) ** 2).sum(axis=1).mean()
    return centre, ((mean - centre) ** 2).sum() / squares if squares > 0 else 0.0


def usual_values(X, mean):
    """Return the value that each feature has in many samples, or else its mean; None if the zeros would be too few."""
    if np.count_nonzero(X[1:] == X[:-1]) < 0.5 * (1.0 - FEW_NONZEROS) ** 2 * X.size:
        return None
    usual, total = np.array(mean), 0
    for f, column in enumerate(X.T):
        lowest, middle = column.min(), np.sort(column)[len(X) // 2]
        counts = {value: np.count_nonzero(column == value) for value in (lowest, middle)}
        value = middle if 2 * counts[lowest] <= len(X) and counts[middle] > counts[lowest] else lowest
        if counts[value] > USUAL_SHARE * len(X):
            usual[f] = value
            total += counts[value]
    return usual if 1.0 - total / X.shape[1] / len(X) <= FEW_NONZEROS else None
