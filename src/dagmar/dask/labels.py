"""Labels and weights of samples that are on the workers: one number per row, which come to this process."""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Client
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..base.typing import Labels
from ..problem.labels import name_of
from .futures import fetch
from .rows import RemoteRows


def read_labels(client: Client, X: RemoteRows, y: Any, sample_weight: Any) -> tuple[Labels, Any, str | None]:
    """Fetch labels and weights, which are one number per row, and check the labels.

    Returns
    -------
    y : ndarray of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,) or None
    target : str or None
        The name of y, if it is a series.
    """
    y, weight = fetch(client, y, sample_weight)
    target = name_of(y)
    labels: Labels = np.asarray(column_or_1d(y, warn=True))
    if labels.dtype == object and (missing := sum(map(_is_missing, labels))):
        raise ValueError(f"Input y contains {missing} missing values.")
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    return labels, None if weight is None else np.asarray(weight), target


def _is_missing(label: Any) -> bool:
    # A comparison with pandas.NA has no truth value, so it is recognised by its type.
    return label is None or type(label).__name__ == "NAType" or bool(label != label)
