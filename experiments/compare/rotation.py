"""A random rotation of the features, as a step of a pipeline."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ortho_group
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from dagmar.base.typing import Array


class Rotation(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Rotates the samples about the origin, by a rotation (or reflection) that is drawn at random.

    Distances, and with them the kernels of distances, stay the same. Trees split along features, so a rotation takes from them
    what they owe to single features.

    Parameters
    ----------
    random_state : int, default=0

    Attributes
    ----------
    matrix_ : ndarray of shape (n_features, n_features)
        Orthogonal.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.compare.rotation import Rotation
    >>> turned = Rotation().fit_transform(np.array([[3.0, 4.0], [0.0, 0.0]]))
    >>> round(float(np.linalg.norm(turned[0])), 6)
    5.0
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Draw the rotation; of X of shape (n_samples, n_features) only the number of features matters."""
        n_features = validate_data(self, X).shape[1]
        self.matrix_ = np.eye(1)
        if n_features > 1:
            self.matrix_ = ortho_group.rvs(n_features, random_state=self.random_state)
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return the rotated samples, shape (n_samples, n_features)."""
        check_is_fitted(self)
        rotated: Array = validate_data(self, X, reset=False) @ self.matrix_
        return rotated
