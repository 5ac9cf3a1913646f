"""The data sets, as they are read from a folder."""

from __future__ import annotations

import hashlib
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from dagmar.base.exceptions import MissingDataError
from dagmar.base.typing import Array, Index


@dataclass(frozen=True, eq=False)
class DataSet:
    """Samples and classes, as they stand in the file: features unscaled, in double precision, classes 0 ... N-1.

    Attributes
    ----------
    name : str
    parts : dict of str to (X, y)
        "train", "test" and, for Covertype, "val" where the set has an official split; else "all".
    """

    name: str
    parts: dict[str, tuple[Array, Index]]

    def __getitem__(self, part: str) -> tuple[Array, Index]:
        """X of shape (n_samples, n_features) and y of shape (n_samples,), of one part."""
        return self.parts[part]

    @property
    def rows(self) -> tuple[Array, Index]:
        """All parts, one below the other."""
        return (
            np.concatenate([X for X, _ in self.parts.values()]),
            np.concatenate([y for _, y in self.parts.values()]),
        )


@dataclass(frozen=True, eq=False)
class Split:
    """Samples to train on and to test with.

    Attributes
    ----------
    X, y : ndarray of shape (n_train, n_features), (n_train,)
    X_test, y_test : ndarray of shape (n_test, n_features), (n_test,)
    """

    X: Array
    y: Index
    X_test: Array
    y_test: Index


def blurred(X: Array, pixels: float, mode: str) -> Array:
    """Square images, blurred by a Gaussian of so many pixels.

    Parameters
    ----------
    X : ndarray of shape (n_samples, side * side)
    pixels : float
    mode : str
        What is beyond the edge, as in `scipy.ndimage.gaussian_filter`.

    Returns
    -------
    ndarray of shape (n_samples, side * side)
    """
    side = math.isqrt(X.shape[1])
    images = gaussian_filter(X.reshape(-1, side, side), (0.0, pixels, pixels), mode=mode)
    return np.asarray(images, dtype=np.float64).reshape(len(X), -1)


class DataFolder:
    """A folder of ``.npz`` files, one per data set.

    A file has the arrays ``X_train``, ``y_train``, ``X_test``, ``y_test`` (and ``X_val``, ``y_val``) if the set has an
    official split, else ``X`` and ``y``; classes are small integers from 0.

    Parameters
    ----------
    path : str, path or None
        None for the folder that the environment variable DAGMAR_DATA names.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        path = path or os.environ.get("DAGMAR_DATA")
        if not path:
            raise MissingDataError(
                "no folder of data sets: give one with --data, or name it in the environment variable DAGMAR_DATA"
            )
        self.path = Path(path)
        if not self.path.is_dir():
            raise MissingDataError(f"there is no folder {self.path} of data sets")
        self._last: tuple[str, DataSet] | None = None
        self.digests: dict[str, str] = {}

    def load(self, name: str) -> DataSet:
        """Read a data set; the last one read is kept.

        Parameters
        ----------
        name : str
            Of the file, without its ending.

        Returns
        -------
        DataSet

        Raises
        ------
        MissingDataError
            If the folder has no such file, or the file lacks its arrays.
        """
        if self._last is not None and self._last[0] == name:
            return self._last[1]
        file = self.path / f"{name}.npz"
        if not file.is_file():
            raise MissingDataError(f"there is no {name}.npz in {self.path}")
        self.digests[name] = hashlib.sha256(file.read_bytes()).hexdigest()
        with np.load(file) as arrays:
            suffixes = [s for s in ("_train", "_val", "_test", "") if f"X{s}" in arrays and f"y{s}" in arrays]
            if not suffixes:
                raise MissingDataError(f"{file} has neither arrays X and y nor X_train, y_train, X_test and y_test")
            parts = {(s[1:] or "all"): (_samples(arrays[f"X{s}"]), _classes(arrays[f"y{s}"])) for s in suffixes}
        self._last = (name, DataSet(name, parts))
        return self._last[1]


def _samples(X: NDArray[Any]) -> Array:
    return np.ascontiguousarray(X, dtype=np.float64)


def _classes(y: NDArray[Any]) -> Index:
    return y.astype(np.int64)
