"""The data sets: read from folders or downloaded, and checked in the same way."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from dagmar.base.typing import Array, Index

from . import online
from .catalogue import CATALOGUE, Known, Origin
from .exceptions import DataError

FOLDER_VARIABLE = "DAGMAR_DATA"
# Beyond the edge of an image that is smoothed: 0, `scipy.ndimage.gaussian_filter`'s mode "constant". No paper says what it did;
# of "constant" and "nearest" at widths of 0.7 to 0.9 pixels, 0 at 0.8 pixels fits the counts of Platt et al. best. It is the
# same for all papers, and stands in every record.
EDGE = "constant"
Parts = dict[str, tuple[Array, Index]]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Samples and classes: features unscaled, in double precision, classes 0 ... N-1.

    Attributes
    ----------
    name : str
    parts : dict of str to (X, y)
        "train", "test" and, for Covertype, "val" where the set has an official split; else "all".
    source : {"DAGMAR_DATA", "a folder", "OpenML", "scikit-learn"}
        Where it came from; "a folder" was given by its path.
    """

    name: str
    parts: Parts
    source: str = "a folder"

    def __getitem__(self, part: str) -> tuple[Array, Index]:
        """X of shape (n_samples, n_features) and y of shape (n_samples,) of one part."""
        return self.parts[part]

    def __len__(self) -> int:
        """The number of samples in all parts."""
        return sum(len(y) for _, y in self.parts.values())

    @property
    def rows(self) -> tuple[Array, Index]:
        """The samples of all parts, one part after the other."""
        return (
            np.concatenate([X for X, _ in self.parts.values()]),
            np.concatenate([y for _, y in self.parts.values()]),
        )

    def take(self, rows: Index) -> tuple[Array, Index]:
        """Some of `rows`, without copying all of a large set.

        Parameters
        ----------
        rows : ndarray of int
            Row numbers, in any order.

        Returns
        -------
        X : ndarray of shape (len(rows), n_features)
        y : ndarray of shape (len(rows),)
        """
        n_features = next(iter(self.parts.values()))[0].shape[1]
        X, y, first = np.empty((len(rows), n_features)), np.empty(len(rows), dtype=np.int64), 0
        for X_part, y_part in self.parts.values():
            here = (rows >= first) & (rows < first + len(y_part))
            X[here], y[here] = X_part[rows[here] - first], y_part[rows[here] - first]
            first += len(y_part)
        return X, y


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


def data_folders(paths: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the folders of data sets, in the order in which they are searched.

    Parameters
    ----------
    paths : str, path or None
        One folder, or several separated as in PATH; None for those in the environment variable DAGMAR_DATA.

    Examples
    --------
    >>> import os
    >>> from experiments.data import data_folders
    >>> [folder.name for folder in data_folders(f"sets{os.pathsep}more")]
    ['sets', 'more']
    """
    named = os.fspath(paths) if paths else os.environ.get(FOLDER_VARIABLE, "")
    return [Path(folder) for folder in named.split(os.pathsep) if folder]


def find_set(name: str, folders: Sequence[Path]) -> Path | None:
    """Return the file of a data set from the first folder that has it, None if none has."""
    files = (folder / f"{name}.npz" for folder in folders)
    return next((file for file in files if file.is_file()), None)


def listed(folders: Sequence[Path]) -> str:
    """Return the folders as a list in words."""
    return " or ".join(map(str, folders))


class DataSets:
    """The loader of all experiments: folders of ``.npz`` files, one per data set, and downloads for what they lack.

    A file has the arrays ``X_train``, ``y_train``, ``X_test``, ``y_test`` (and ``X_val``, ``y_val``) if the set has an
    official split, else ``X`` and ``y``; classes are numbered from 0. A set that is in no folder is downloaded from OpenML
    through scikit-learn, where `catalogue` has a copy with the same rows.

    Parameters
    ----------
    path : str, path or None
        One folder, or several separated as in PATH; the first that has a set is read. None for the folders in the environment
        variable DAGMAR_DATA, if there are any.
    catalogue : mapping of str to Known
        What each set must look like. A set that is not in it must only be consistent in itself.

    Attributes
    ----------
    digests : dict of str to str
        SHA-256 of every set loaded so far: of the file, or of the arrays of a download.

    Raises
    ------
    DataError
        If a folder does not exist.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, catalogue: Mapping[str, Known] = CATALOGUE) -> None:
        self.folders = data_folders(path)
        self.digests: dict[str, str] = {}
        self._source = "a folder" if path else FOLDER_VARIABLE
        self._catalogue = catalogue
        self._last: DataSet | None = None
        if absent := [folder for folder in self.folders if not folder.is_dir()]:
            raise DataError(f"there is no folder {listed(absent)} of data sets")

    def load(self, name: str) -> DataSet:
        """Load a data set; the last one is kept.

        Parameters
        ----------
        name : str
            Of the file, without its ending.

        Returns
        -------
        DataSet

        Raises
        ------
        DataError
            If the set is neither in a folder nor online, or is not what it should be.
        """
        if self._last is None or self._last.name != name:
            if (file := find_set(name, self.folders)) is not None:
                data = self._read(name, file)
            else:
                data = self._pooled(name) if name == "mnist7x7" else self._download(name)
            check(data, self._catalogue.get(name))
            self._last = data
        return self._last

    def _read(self, name: str, file: Path) -> DataSet:
        self.digests[name] = hashlib.sha256(file.read_bytes()).hexdigest()
        with np.load(file) as arrays:
            suffixes = [s for s in ("_train", "_val", "_test", "") if f"X{s}" in arrays and f"y{s}" in arrays]
            if not suffixes:
                raise DataError(f"{file} has neither arrays X and y nor X_train, y_train, X_test and y_test")
            parts = {(s[1:] or "all"): (_samples(arrays[f"X{s}"]), _classes(name, arrays[f"y{s}"])) for s in suffixes}
        return DataSet(name, parts, self._source)

    def _download(self, name: str) -> DataSet:
        known = self._catalogue.get(name)
        source = online.source_of(name, known)
        where = f"no folder is named by {FOLDER_VARIABLE}"
        if self.folders:
            where = f"there is no {name}.npz in {listed(self.folders)}"
        if known is None or source is None:
            get = f". {how_to_get(name, known.origin)}" if known is not None and known.origin is not None else ""
            raise DataError(f"no data for {name!r}: {where}, and no copy online is known to have the same rows{get}")
        try:
            parts = online.fetch(name, known)
        except DataError as error:
            raise DataError(f"no data for {name!r}: {where}, and {error}") from error
        self.digests[name] = digest_of(parts)
        return DataSet(name, parts, source)

    def _pooled(self, name: str) -> DataSet:
        """MNIST with 49 features: the means of blocks of 4 by 4 pixels, from 0 to 1, in single precision as in the file."""
        mnist = self.load("mnist")
        parts = {
            part: (_samples((X.reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4)).reshape(-1, 49) / 255).astype(np.float32)), y)
            for part, (X, y) in mnist.parts.items()
        }
        self.digests[name] = digest_of(parts)
        return DataSet(name, parts, mnist.source)


def check(data: DataSet, known: Known | None = None) -> None:
    """Refuse a data set that is not what it should be.

    Parameters
    ----------
    data : DataSet
    known : Known, optional
        Without it, the parts must agree with each other, values must be finite, and no class may be missing.

    Raises
    ------
    DataError
        Names the set, where it came from, and the first thing that is wrong.
    """
    shapes = [(X.shape, y.shape) for X, y in data.parts.values()]
    if any(len(x) != 2 or len(y) != 1 or x[0] != y[0] or x[1] != shapes[0][0][1] for x, y in shapes):
        raise _wrong(data, f"its arrays X and y do not fit together: {shapes}")
    if not all(np.isfinite(X).all() for X, _ in data.parts.values()):
        raise _wrong(data, "some values are missing or infinite")
    classes = np.unique(np.concatenate([y for _, y in data.parts.values()])).tolist()
    if classes != list(range(len(classes))):
        raise _wrong(data, f"its classes are {classes} instead of 0 ... {len(classes) - 1}")
    if known is not None:
        _compare(data, known, shapes[0][0][1], len(classes))


def _compare(data: DataSet, known: Known, n_features: int, n_classes: int) -> None:
    absent = [part for part in known.counts if part not in data.parts]
    if absent:
        raise _wrong(data, f"it has the parts {list(data.parts)}, without {', '.join(absent)}")
    if n_features != known.features:
        raise _wrong(data, f"it has {n_features} features instead of {known.features}")
    if n_classes != known.n_classes:
        raise _wrong(data, f"it has {n_classes} classes instead of {known.n_classes}")
    for part in known.counts:
        counts = tuple(np.bincount(data[part][1], minlength=known.n_classes).tolist())
        if sum(counts) != known.rows(part):
            raise _wrong(data, f"part {part!r} has {sum(counts)} rows instead of {known.rows(part)}")
        if counts != known.counts[part]:
            raise _wrong(
                data, f"part {part!r} has {counts} samples of the classes instead of {tuple(known.counts[part])}"
            )


def _wrong(data: DataSet, what: str) -> DataError:
    return DataError(f"{data.name} from {data.source} is not the set that it should be: {what}")


def digest_of(parts: Parts) -> str:
    """The SHA-256 of arrays that were not read from one file.

    Parameters
    ----------
    parts : dict of str to (X, y)
    """
    digest = hashlib.sha256()
    for part, (X, y) in parts.items():
        digest.update(f"{part} {X.shape}".encode())
        digest.update(np.ascontiguousarray(X).tobytes())
        digest.update(np.ascontiguousarray(y).tobytes())
    return digest.hexdigest()


def fingerprint(data: DataSet, known: Known) -> str:
    """The SHA-256 of the arrays of a set in single precision: the same for every file that holds these numbers.

    Parameters
    ----------
    data : DataSet
    known : Known
        Only the parts that it lists count.
    """
    return digest_of({part: (data[part][0].astype(np.float32), data[part][1]) for part in known.counts})


def how_to_get(name: str, origin: Origin) -> str:
    """Where a set is found that cannot be downloaded, and how to know that it is the right one, in words."""
    return (
        f"Get it from: {origin.where}. Save its arrays as {name}.npz; `experiments.data.fingerprint` of them is the SHA-256 "
        f"digest {origin.sha256}"
    )


def blurred(X: Array, pixels: float, edge: str = EDGE) -> Array:
    """Square images, blurred by a Gaussian.

    Parameters
    ----------
    X : ndarray of shape (n_samples, side * side)
    pixels : float
        The standard deviation of the Gaussian.
    edge : str
        What stands beyond the edge, as SciPy's `mode`: "constant" for 0, "nearest" for the value at the edge.

    Returns
    -------
    ndarray of shape (n_samples, side * side)
    """
    side = math.isqrt(X.shape[1])
    images = gaussian_filter(X.reshape(-1, side, side), (0.0, pixels, pixels), mode=edge)
    return np.asarray(images, dtype=np.float64).reshape(len(X), -1)


def _samples(X: NDArray[Any]) -> Array:
    return np.ascontiguousarray(X, dtype=np.float64)


def _classes(name: str, y: NDArray[Any]) -> Index:
    if not np.issubdtype(y.dtype, np.integer):
        raise DataError(f"the classes of {name} are {y.dtype} in its file; they must be whole numbers from 0")
    return y.astype(np.int64)
