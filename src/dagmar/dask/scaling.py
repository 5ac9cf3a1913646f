"""A scaler of scikit-learn, fitted on samples that are on the workers."""

from __future__ import annotations

import operator
import secrets
from itertools import pairwise
from typing import Any

import numpy as np
from distributed import Client

from ..base.typing import Features, Labels
from .futures import named
from .reading import check_rows, of_parts
from .rows import RemoteRows


def scale_rows(
    client: Client, X: RemoteRows, scaler: Any, y: Labels, names: Labels | None, owner: str
) -> tuple[Any, RemoteRows]:
    """Fit a scaler of scikit-learn on all samples, on a worker; return it and the scaled samples.

    Parameters
    ----------
    client : Client
    X : RemoteRows
    scaler : transformer
    y : ndarray of shape (n_samples,)
    names : ndarray of shape (n_features,) or None
        Names of the features, which the scaler then remembers.
    owner : str

    Returns
    -------
    scaler : transformer
        Fitted.
    scaled : RemoteRows
    """
    name = secrets.token_hex(4)
    both = client.submit(_scale, X.whole, scaler, y, names, key=f"scale-rows-{name}")
    # All rows are scaled together, then divided: matrix products may round rows differently in smaller blocks.
    parts = [
        client.submit(_scaled_part, both, first, last, owner, key=f"scaled-rows-{p}-{name}")
        for p, (first, last) in enumerate(pairwise(X.begin.tolist()))
    ]
    fitted = client.submit(operator.getitem, both, 0, key=named("fitted-scaler")).result()
    return fitted, of_parts(client, parts, X.begin)


def _scale(whole: Features, scaler: Any, y: Labels, names: Labels | None) -> tuple[Any, Any]:
    if names is not None:
        import pandas as pd

        whole = pd.DataFrame(whole, columns=names)
    return scaler, scaler.fit_transform(whole, y)


def _scaled_part(both: tuple[Any, Any], first: int, last: int, owner: str) -> Features:
    scaled = both[1]
    if hasattr(scaled, "to_numpy"):  # a scaler may be set to return data frames
        scaled = scaled.to_numpy()
    return check_rows(scaled, slice(first, last), np.float32 if scaled.dtype == np.float32 else np.float64, owner)
