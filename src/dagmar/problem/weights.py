"""The weights of samples, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.typing import Array, Index


def check_weights(class_weight: Array, class_index: Index, sample_weight: Any) -> Array:
    """Check `sample_weight` and return the weight of each sample; negative weights become 0.

    Parameters
    ----------
    class_weight : ndarray of shape (n_classes,)
    class_index : ndarray of shape (n_samples,)
        From `number_classes`: two classes or more.
    sample_weight : array-like of shape (n_samples,), float or None

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if not np.isfinite(class_weight).all():
        raise ValueError("class_weight contains NaN or infinity; the weight of each class must be a finite number.")
    weight = np.ones(len(class_index))
    if sample_weight is None and class_weight.min() > 0:
        return weight
    if sample_weight is not None:
        given = np.asarray(sample_weight, dtype=np.float64)
        if given.ndim > 0 and given.shape != class_index.shape:
            raise ValueError(
                f"sample_weight and X have incompatible shapes: {given.shape!r} vs {class_index.shape!r}; "
                "there must be one weight per sample"
            )
        if not np.isfinite(given).all():
            raise ValueError("Input sample_weight contains NaN or infinity.")
        weight = weight * np.maximum(given, 0.0)
    present = class_index[weight * class_weight[class_index] > 0]
    if not len(present):
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    if present.min() == present.max():
        raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
    return weight
