"""Platt, Cristianini & Shawe-Taylor's bounds as they are printed, and what goes into them, from whole kernel matrices."""

import math

import numpy as np
from scipy.optimize import minimize


def formula(m, D, exponent, R, delta, base):
    """130 R^2 / m (D' log(4em) log(4m) + log(2 (2m)^exponent / delta)); small exponents only, or it overflows."""

    def log(x):
        return math.log(x) / math.log(base)

    return 130 * R**2 / m * (D * log(4 * math.e * m) * log(4 * m) + log(2 * (2 * m) ** exponent / delta))


def nodes(values, K, y, coefs):
    """Per pair (i, j): margin, margin over the samples well placed, samples that are not, norm, and norm of the slacks.

    `values` of every sample at every pair, K the kernel matrix of the samples, `coefs` one list per pair of the
    coefficient of every sample.
    """
    found = []
    n_classes = int(y.max()) + 1
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            norm = math.sqrt(coefs[pair] @ K @ coefs[pair])
            signed = [(1 if y[k] == j else -1) * values[k, pair] for k in range(len(y)) if y[k] in (i, j)]
            placed = [v for v in signed if v > 0]
            found.append(
                (
                    min(signed) / norm,
                    min(placed) / norm if placed else math.nan,
                    sum(v <= 0 for v in signed),
                    norm,
                    math.sqrt(sum(max(0.0, 1 - v) ** 2 for v in signed)),
                )
            )
            pair += 1
    return [np.array(column) for column in zip(*found, strict=True)]


def smallest_radius(K):
    """The radius of the smallest ball around all samples, by a general minimiser of a' K a - sum a_i K_ii."""
    n = len(K)
    found = minimize(
        lambda a: a @ K @ a - a @ np.diag(K),
        np.full(n, 1 / n),
        jac=lambda a: 2 * K @ a - np.diag(K),
        bounds=[(0, 1)] * n,
        constraints=[{"type": "eq", "fun": lambda a: a.sum() - 1, "jac": np.ones_like}],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return math.sqrt(max(-found.fun, 0.0))
