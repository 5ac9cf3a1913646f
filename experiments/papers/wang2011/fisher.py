"""Readings of the Fisher ratio, Equation 4, which the paper writes for samples that are numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dagmar.base.typing import Array, Index

ROWS_AT_ONCE = 1000  # whose kernel values are held in memory


@dataclass(frozen=True, eq=False)
class Moments:
    """Means, variances of features, and sizes of the classes.

    Attributes
    ----------
    mean, variance : ndarray of shape (n_classes, n_features)
    size : ndarray of shape (n_classes,)
    within : ndarray of shape (n_classes, n_features, n_features)
        The covariance of each class.
    """

    mean: Array
    variance: Array
    size: Array
    within: Array

    @classmethod
    def of(cls, X: Array, y: Index) -> Moments:
        """Of the classes 0, 1, ... of y."""
        parts = [X[y == c] for c in range(int(y.max()) + 1)]
        return cls(
            np.array([part.mean(axis=0) for part in parts]),
            np.array([part.var(axis=0) for part in parts]),
            np.array([float(len(part)) for part in parts]),
            np.array([np.atleast_2d(np.cov(part.T, bias=True)) for part in parts]),
        )


def _ratio(square: Array, spread: Array) -> Array:
    """A quotient that is 0 where both are 0, as of pixels that are always white."""
    out: Array = np.divide(square, spread, out=np.zeros_like(square), where=spread > 0)
    return out


def _features(m: Moments) -> tuple[Array, Array]:
    """Squared differences of means and sums of variances, for each two classes and each feature."""
    return (m.mean[:, None] - m.mean) ** 2, m.variance[:, None] + m.variance


def by_trace(m: Moments) -> Array:
    """Equation 4 with distances for differences and the sum of all features' variances: the reading of Table 2."""
    square, spread = _features(m)
    return _ratio(square.sum(axis=2), spread.sum(axis=2))


def by_sum(m: Moments) -> Array:
    """The ratios of the features, summed."""
    total: Array = _ratio(*_features(m)).sum(axis=2)
    return total


def by_largest(m: Moments) -> Array:
    """The largest ratio of a feature."""
    largest: Array = _ratio(*_features(m)).max(axis=2)
    return largest


def by_deviations(m: Moments) -> Array:
    """With standard deviations where Equation 4 has variances."""
    deviation = np.sqrt(m.variance.sum(axis=1))
    return _ratio(by_trace(m) * (deviation[:, None] ** 2 + deviation**2), deviation[:, None] + deviation)


def by_line(m: Moments) -> Array:
    """The samples as numbers: projected on the line through the two means."""
    difference = m.mean[:, None] - m.mean
    square = (difference**2).sum(axis=2)
    along = np.einsum("ijf,ifg,ijg->ij", difference, m.within, difference)
    return _ratio(square**2, along + along.T)


def by_direction(m: Moments) -> Array:
    """Along Fisher's direction of the pair, where the ratio is largest."""
    n = len(m.mean)
    out = np.zeros((n, n))
    ridge = 1e-6 * np.eye(m.mean.shape[1]) * m.variance.mean()  # pixels without variance
    for i in range(n):
        for j in range(i + 1, n):
            difference = m.mean[i] - m.mean[j]
            out[i, j] = out[j, i] = difference @ np.linalg.solve(m.within[i] + m.within[j] + ridge, difference)
    return out


def by_kernel(X: Array, y: Index, gamma: float) -> Array:
    """As of Table 2, in the space of the Gaussian kernel, where every sample has the length 1.

    Parameters
    ----------
    X, y : ndarray
        The training data; classes 0, 1, ...
    gamma : float
    """
    of_class = np.eye(int(y.max()) + 1)[y]
    of_class /= of_class.sum(axis=0)
    square = np.einsum("ij,ij->i", X, X)
    mean = np.zeros((of_class.shape[1], of_class.shape[1]))  # of the kernel, between two classes
    for first in range(0, len(y), ROWS_AT_ONCE):
        here = slice(first, first + ROWS_AT_ONCE)
        kernel = np.exp(-gamma * np.maximum(square[here, None] + square - 2.0 * X[here] @ X.T, 0.0))
        mean += of_class[here].T @ (kernel @ of_class)
    own = np.diag(mean)
    return _ratio(np.maximum(own[:, None] + own - 2.0 * mean, 0.0), 2.0 - own[:, None] - own)


def by_smallest(m: Moments) -> Array:
    """As of Table 2, but the least separable pair comes first: the opposite of what the paper advises."""
    return -by_trace(m)


RATIOS: dict[str, Callable[[Moments], Array]] = {
    "distance of means, sum of variances (Table 2)": by_trace,
    "ratios of features, summed": by_sum,
    "largest ratio of a feature": by_largest,
    "deviations in place of variances": by_deviations,
    "along the line through the means": by_line,
    "along Fisher's direction": by_direction,
    "least separable pair first": by_smallest,
}
TABLE2, SMALLEST, IN_KERNEL_SPACE = next(iter(RATIOS)), list(RATIOS)[-1], "in the space of the kernel"
