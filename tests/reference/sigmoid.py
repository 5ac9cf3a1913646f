"""Platt's sigmoid, by a search that only compares losses: slow and obvious."""

import numpy as np
from scipy.optimize import minimize


def targets(positive, weight):
    """What the probabilities of the positive side should be: close to 1 and 0, the closer the more samples there are."""
    n_positive, n_negative = weight[positive].sum(), weight[~positive].sum()
    return np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))


def loss(slope, offset, values, positive, weight):
    """The log loss of 1 / (1 + exp(slope v + offset)), sample by sample."""
    total = 0.0
    for v, t, w in zip(values, targets(positive, weight), weight, strict=True):
        z = slope * v + offset
        log_p, log_not_p = -np.logaddexp(0.0, z), -np.logaddexp(0.0, -z)
        total -= w * (t * log_p + (1.0 - t) * log_not_p)
    return total


def fit(values, positive, weight):
    """Slope and offset of least loss, by a search that knows no derivatives."""
    scale = max(np.abs(values).max(), 1e-300)
    found = minimize(
        lambda ab: loss(ab[0], ab[1], values / scale, positive, weight),
        [0.0, 0.0],
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000, "maxfev": 8000},
    )
    return found.x[0] / scale, found.x[1]
