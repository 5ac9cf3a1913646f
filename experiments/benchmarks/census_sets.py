"""The data sets of the census: those of the data folder, scikit-learn's own, and stand-ins from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from ..catalogue import CATALOGUE
from ..data import DataSets
from . import stand_ins
from .cases import Case, Samples
from .synthetic import text

SEED = 0
MAX_ROWS = 6000  # in both parts together: more shows nothing new, and takes the peers minutes
TEST_SHARE = 0.3
LEAST_OF_A_CLASS = 2  # rows, so that both parts can have some


def split(name: str, source: str, X: Samples, y: Samples, C: float = 1.0) -> Case:
    """A case of dense rows: 70 % to train on, with the same shares of the classes as the rest, scaled to [-1, 1] by them.

    Parameters
    ----------
    name, source : str
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    C : float

    Returns
    -------
    Case
        Without the classes that have fewer than two rows. The gamma is 4 / n_features.
    """
    _, y, counts = np.unique(y, return_inverse=True, return_counts=True)
    kept = counts[y] >= LEAST_OF_A_CLASS
    X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=SEED)
    scaler = MinMaxScaler((-1, 1)).fit(X_train)
    X_train, X_test = (np.ascontiguousarray(scaler.transform(part)) for part in (X_train, X_test))
    return Case(name, source, X_train, y_train, X_test, y_test, gamma=4 / X.shape[1], C=C)


def of_folder(name: str, max_rows: int) -> Case:
    """A set of the data folders, with at most so many rows in both parts together."""
    data = DataSets().load(name)
    # All parts of a set with an official split are taken together: the split of the census is the same for every set.
    rows = np.random.default_rng(SEED).permutation(len(data))[:max_rows]
    return split(name, data.source, *data.take(rows))


def _of_scikit_learn(name: str, max_rows: int) -> Case:
    X, y = {"digits": load_digits, "breast_cancer": load_breast_cancer}[name](return_X_y=True)
    return split(name, "scikit-learn", X[:max_rows], y[:max_rows])


def _stand_in(name: str, make: Callable[[], stand_ins.Labelled], max_rows: int) -> Case:
    X, y = make()
    rows = np.random.default_rng(SEED).permutation(len(y))[:max_rows]
    return split(name, "a seed", X[rows], y[rows])


def _text(name: str, rows: int, words: int, max_rows: int) -> Case:
    test_rows = round(TEST_SHARE * min(rows, max_rows))
    return replace(text("rbf", min(rows, max_rows) - test_rows, test_rows, words), name=name)


# By name: from the greatest number of rows to the case. Iris and wine of scikit-learn are those of the folder.
SETS: dict[str, Callable[[int], Case]] = {
    **{name: partial(of_folder, name) for name in CATALOGUE},
    **{name: partial(_of_scikit_learn, name) for name in ("digits", "breast_cancer")},
    "faces-38": partial(_stand_in, "faces-38", partial(stand_ins.images, 1700, 32, 38, 1.0)),
    "faces-5": partial(_stand_in, "faces-5", partial(stand_ins.images, 1000, 32, 5, 2.0)),
    "images-16x16": partial(_stand_in, "images-16x16", partial(stand_ins.images, 1120, 16, 10, 1.5)),
    "leaves-100": partial(_stand_in, "leaves-100", partial(stand_ins.images, 1100, 8, 100, 0.5)),
    "dna": partial(_stand_in, "dna", partial(stand_ins.dna, 2000)),
    "proteins": partial(_stand_in, "proteins", stand_ins.proteins),
    "text-20000": partial(_text, "text-20000", 4000, 20_000),
    "text-12000": partial(_text, "text-12000", 3400, 12_000),
}
