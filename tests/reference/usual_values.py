"""The values that features have in many samples, by sorting whole columns."""

import numpy as np

FEW_NONZEROS, USUAL_SHARE = 0.35, 0.2


def usual_values(X, mean):
    """Return the value that each feature has in many samples, or else its mean; None if the zeros would be too few."""
    X = np.asarray(X, dtype=np.float64)
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
