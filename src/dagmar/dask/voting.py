"""Votes of a model in shards, counted on the workers: the classes of a block against all later ones."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..base.typing import Features
from ..problem.samples import as_data
from .shards import open_shards

# Values of machines that are computed at a time.
VALUES_AT_ONCE = 2**22


def check_block(X: Any, folder: str, stamp: int) -> Features:
    """Check a block of samples for the model in a folder; it may be empty."""
    shards = open_shards(folder, stamp)
    learned = shards.description.learned
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if not n_rows:
        return np.zeros((0, int(learned.columns.n_features)))  # type: ignore[union-attr, arg-type]
    return learned.check(X, shards.rows(0).X, shards.description.kernel.name)


def count_votes(X: Features, folder: str, stamp: int, a: int) -> NDArray[np.int32]:
    """Count the wins of all classes in the pairs of the classes of block a with later ones.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Checked samples.
    folder, stamp
        As for `open_shards`.
    a : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes), int32
    """
    shards = open_shards(folder, stamp)
    votes = np.zeros((X.shape[0], len(shards.description.learned.classes)), dtype=np.int32)
    rows = shards.rows(a)
    for b in range(a, shards.description.n_blocks):
        machines = shards.machines(a, b)
        if machines is None or not len(votes):
            continue
        bank, classes = shards.bank([rows] if a == b else [rows, shards.rows(b)], machines)
        i, j = bank.pairs.T
        places, ones = np.arange(bank.n_machines), np.ones(bank.n_machines, dtype=np.int32)
        shape = bank.n_machines, len(classes)
        earlier, later = (sp.csr_matrix((ones, (places, of)), shape=shape) for of in (i, j))
        at_once = max(64, VALUES_AT_ONCE // bank.n_machines)
        for first in range(0, len(votes), at_once):
            here = slice(first, first + at_once)
            # Zero is for the later class, as in every decision.
            wins = (bank.native.values(as_data(X[here]), False, 1) >= 0).astype(np.int32)
            votes[here, classes] += (later - earlier).T.dot(wins.T).T + np.asarray(earlier.sum(axis=0), dtype=np.int32)
    return votes


def add_votes(*votes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the sum of votes from several blocks."""
    return reduce(np.add, votes)


def elected_labels(part: Any, votes: NDArray[np.int32], folder: str, stamp: int) -> Any:
    """Return the label with the most votes for each sample; for a part of a data frame, as a series with its index."""
    labels = open_shards(folder, stamp).description.learned.classes[np.argmax(votes, axis=1)]
    if hasattr(part, "index") and hasattr(part, "columns"):
        import pandas as pd

        return pd.Series(labels, index=part.index, name="prediction")
    return labels
