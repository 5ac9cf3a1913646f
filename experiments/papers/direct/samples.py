"""The small data sets of the four papers, and their splits."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from dagmar.base.typing import Array, Index

from ...data import Split
from ..study import Lab

# All sets of the papers with at most 2400 rows, except winequality-red: its rarest class has too few rows for inner folds.
NAMES = {
    "iris": "Iris",
    "wine": "Wine",
    "glass": "Glass",
    "heart": "Heart",
    "svmguide4": "svmguide4",
    "vehicle": "Vehicle",
    "vowel": "Vowel",
    "segment": "Segment",
    "sensorless2200": "Sensorless",
}
MAX_ROWS = 500  # of a larger set this many are drawn: Crammer & Singer's machine takes too long on more
QUICK_ROWS = 150
TEST_SHARE = 0.3


def drawn(lab: Lab, data: str) -> tuple[Array, Index]:
    """The rows of a set; of a large set, a part with the same shares of the classes, the same one in all trials.

    Parameters
    ----------
    lab : Lab
    data : str

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """
    X, y = lab.data.load(data).rows
    size = QUICK_ROWS if lab.quick else MAX_ROWS
    if len(y) > size:
        X, _, y, _ = train_test_split(X, y, train_size=size, stratify=y, random_state=number(lab, data, "part"))
    return X, y


def splits(lab: Lab, data: str, n_trials: int) -> list[Split]:
    """Random splits in which each class has the same share of both parts; features standardised on the training rows.

    Parameters
    ----------
    lab : Lab
    data : str
    n_trials : int

    Returns
    -------
    list of Split
    """
    X, y = drawn(lab, data)
    found = []
    for trial in range(n_trials):
        seed = number(lab, data, trial)
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=seed)
        scaler = StandardScaler().fit(X_train)
        X_train, X_test = (np.ascontiguousarray(scaler.transform(part)) for part in (X_train, X_test))
        found.append(Split(X_train, y_train, X_test, y_test))
    return found


def number(lab: Lab, *words: object) -> int:
    """A random seed for scikit-learn, by the seed of the run and what it is for."""
    return int(lab.rng("direct", *words).integers(2**31))
