"""Training and test parts, drawn as the paper's may have been, and scaled as it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.model_selection import train_test_split

from dagmar.base.typing import Array, Index

from ...data import DataSet, Split
from ..study import Lab
from .published import TABLE

PER_SPEAKER = 66  # rows of Vowel: 11 vowels, 6 times each; the speakers stand one below the other
SPEAKERS = 8  # for training, as in the official split


def scaled(X: Array, y: Index, X_test: Array, y_test: Index) -> Split:
    """Bring every feature to [-1, 1] by its least and largest training value.

    A feature that is constant in training becomes 0. Test values are not clipped.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    width = np.where(varies, high - low, 1.0)

    def scale(values: Array) -> Array:
        return np.where(varies, 2 * (values - low) / width - 1, 0.0)

    return Split(scale(X), y, scale(X_test), y_test)


def draw(lab: Lab, name: str, trial: int, how: str = "published") -> Split:
    """A split of a data set.

    Parameters
    ----------
    lab : Lab
    name : str
    trial : int
        Which; the same one for the same seed.
    how : {"published", "random", "speakers"}
        "published": the official split of Vowel, always the same; else parts of the published sizes, each class in
        proportion. "random": the same sizes, whatever the classes. "speakers": Vowel with other speakers for training.

    Returns
    -------
    Split
    """
    X, y, X_test, y_test = DRAWS["official" if how == "published" and name == "vowel" else how](lab, name, trial)
    rows = slice(QUICK_ROWS if lab.quick else None)
    return scaled(X[rows], y[rows], X_test[rows], y_test[rows])


Parts = tuple[Array, Index, Array, Index]
QUICK_ROWS = 300  # of the training and of the test part, in a quick run


def _official(lab: Lab, name: str, trial: int) -> Parts:
    data = lab.data.load(name)
    return *data["train"], *data["test"]


def _of_sizes(lab: Lab, name: str, trial: int, stratified: bool) -> Parts:
    X, y = _rows(lab.data.load(name))
    row = TABLE[name]
    seed = int(lab.rng("split", name, trial).integers(2**31))
    X, X_test, y, y_test = train_test_split(
        X, y, train_size=row.n_train, test_size=row.n_test, stratify=y if stratified else None, random_state=seed
    )
    return X, y, X_test, y_test


def _rows(data: DataSet) -> tuple[Array, Index]:
    """All rows, without features that are the same in all of them: the paper counts 18 of Segment's 19."""
    X, y = data.rows
    return X[:, np.ptp(X, axis=0) > 0], y


def _by_speakers(lab: Lab, name: str, trial: int) -> Parts:
    X, y = lab.data.load(name).rows
    speaker = np.arange(len(y)) // PER_SPEAKER
    chosen = lab.rng("speakers", trial).permutation(speaker.max() + 1)[:SPEAKERS]
    train = np.isin(speaker, chosen)
    return X[train], y[train], X[~train], y[~train]


DRAWS: dict[str, Callable[[Lab, str, int], Parts]] = {
    "official": _official,
    "published": lambda lab, name, trial: _of_sizes(lab, name, trial, stratified=True),
    "random": lambda lab, name, trial: _of_sizes(lab, name, trial, stratified=False),
    "speakers": _by_speakers,
}
