"""Ranks of features: a scaling that depends on the order of values alone."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..base.typing import Array

# Codes of one byte: the Laplacian kernel then has exact distances.
HIGHEST = 255
# Numbers above this, a power of two, are divided by it before they are interpolated.
LARGE = 2.0**500


class Ranks(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace every feature by the rank of its values among the training samples, from 0 to 1 in steps of 1/255.

    The lowest training value becomes 0 and the highest 1; equal values stay equal, and their rank is the mean of the ranks they
    share. A new value between two training values gets a rank between theirs, by linear interpolation; one below or above all
    of them becomes 0 or 1. All ranks are rounded to the nearest of the 256 levels. A feature with two values becomes 0 and 1,
    however rare one of them is. A feature with one value becomes 0.

    Outliers and skewed features do no harm after it, and any increasing function of a feature gives about the same ranks.

    Attributes
    ----------
    thresholds_ : ndarray of shape (255, n_features)
        For each feature, the values where its rank rises by a step, in ascending order; infinite if it has one value only.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if X has string column names.

    See Also
    --------
    sklearn.preprocessing.QuantileTransformer : Ranks that are not on a grid; a value that most samples share is mapped to the
        middle of them.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.tuning import Ranks
    >>> ranks = Ranks().fit([[1.0, 0.0], [2.0, 0.0], [1000.0, 0.0], [3.0, 1.0], [4.0, 0.0]])
    >>> (ranks.transform([[1.0, 0.0], [3.0, 1.0], [500.0, 0.4], [1e6, -1.0]]) * 255).round().tolist()
    [[0.0, 0.0], [128.0, 255.0], [223.0, 102.0], [255.0, 0.0]]
    """

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Find the ranks of the training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Not used.

        Returns
        -------
        self : Ranks
        """
        samples: Array = validate_data(self, X, dtype=[np.float64, np.float32])
        halves = (np.arange(HIGHEST) + 0.5) / HIGHEST
        self.thresholds_ = np.full((HIGHEST, samples.shape[1]), np.inf)
        for feature, values in zip(self.thresholds_.T, samples.T, strict=True):
            known, count = np.unique(values.astype(np.float64), return_counts=True)
            if len(known) > 1:
                rank = np.cumsum(count) - count / 2
                unit = 1.0 if np.abs(known).max() < LARGE else 1 / LARGE  # so that no difference overflows
                feature[:] = np.interp(halves, (rank - rank[0]) / (rank[-1] - rank[0]), known * unit) / unit
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return the ranks of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Multiples of 1/255 from 0 to 1.
        """
        check_is_fitted(self)
        samples: Array = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        level = np.empty(samples.shape, dtype=samples.dtype)
        for k, values in enumerate(samples.T):
            level[:, k] = np.searchsorted(self.thresholds_[:, k], values, side="right")
        level /= HIGHEST
        return level
