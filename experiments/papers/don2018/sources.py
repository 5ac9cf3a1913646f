"""The rows of the fourteen sets, and how they are split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagmar.base.typing import Array, Index

from ...data import DataSet, blurred
from ..study import Lab

SPREAD = 0.2  # of the artificial classes: with it one-versus-one is right on about 98.8 %, as published


@dataclass(frozen=True)
class Source:
    """Which rows stand for a set.

    Attributes
    ----------
    file : str
        Of the data folder; "" for the generated set.
    part : str
        "all" rows, or only those of the "train" or "test" file.
    row_number : bool
        Whether the number of the row in the file is a feature, as in the file of glass.
    sample : int or None
        How many rows are drawn at random; None for all.
    quick : int or None
        The same in a quick run.
    smooth : float
        Width in pixels of the Gaussian that square images are smoothed with, see `data.blurred`; 0 for none.
    """

    file: str
    part: str = "all"
    row_number: bool = False
    sample: int | None = None
    quick: int | None = None
    smooth: float = 0.0


# What the experiments of the report show the paper to have used, where it does not say.
SOURCES = {
    "artificial": Source(""),
    "iris": Source("iris"),
    "segmentation": Source("segment", "train"),
    "heart": Source("heart"),
    "wine": Source("wine"),
    "wine-quality": Source("winequality-red", quick=600),
    "glass": Source("glass", row_number=True),
    "covertype": Source("covertype", sample=1460, quick=600),
    "svmguide4": Source("svmguide4", "train"),
    "vowel": Source("vowel", "train"),
    "usps": Source("usps", "test"),
    "letter": Source("letter", quick=2000),
    "poker": Source("poker", "train", quick=1500),
    "sensorless": Source("sensorless2200", quick=1100),
}


def rows_of(lab: Lab, source: Source) -> tuple[Array, Index]:
    """The samples and classes of a set.

    Parameters
    ----------
    lab : Lab
    source : Source

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Classes 0 ... N-1, none of them without samples.
    """
    if not source.file:
        return artificial(lab.rng("artificial"), 60 if lab.quick else 500)
    parts = {"all": slice(None), "train": slice(0, 1), "test": slice(-1, None)}
    data = DataSet(source.file, dict(list(lab.data.load(source.file).parts.items())[parts[source.part]]))
    wanted = source.quick if lab.quick and source.quick else source.sample
    rows = np.arange(len(data))
    if wanted is not None and wanted < len(data):
        rows = np.sort(lab.rng("rows", source.file, wanted).permutation(len(data))[:wanted])
    X, y = data.take(rows)
    if source.row_number:
        X = np.column_stack([rows, X])
    if source.smooth:
        X = blurred(X, source.smooth)
    return X, np.unique(y, return_inverse=True)[1].astype(np.int64)


def artificial(rng: np.random.Generator, per_class: int) -> tuple[Array, Index]:
    """Six round classes in the plane, their centres on a circle of radius 1.

    Parameters
    ----------
    rng : Generator
    per_class : int

    Returns
    -------
    X : ndarray of shape (6 * per_class, 2)
    y : ndarray of shape (6 * per_class,)
    """
    angle = np.arange(6) * np.pi / 3
    y = np.repeat(np.arange(6), per_class)
    centres = np.column_stack([np.cos(angle), np.sin(angle)])
    return centres[y] + SPREAD * rng.normal(size=(len(y), 2)), y


def split(y: Index, share: float, rng: np.random.Generator, by_class: bool = True) -> tuple[Index, Index]:
    """Rows to train on and rows to test on.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    share : float
        Of the rows, to train on.
    rng : Generator
    by_class : bool
        Whether each class is split by itself, so that all have the same share; at least one row of it is trained on.

    Returns
    -------
    train, test : ndarrays of row numbers
    """
    if by_class:
        places = [rng.permutation(np.flatnonzero(y == c)) for c in range(int(y.max()) + 1)]
        train = np.concatenate([rows[: max(1, round(share * len(rows)))] for rows in places])
    else:
        train = rng.permutation(len(y))[: round(share * len(y))]
    return np.sort(train), np.setdiff1d(np.arange(len(y)), train)
