"""The data of a comparison: from folders, from OpenML, and from CSV files, prepared in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import train_test_split

from dagmar.base.typing import Array, Index

from ..data import DataSets, digest_of
from ..exceptions import DataError
from ..online import classes_of

if TYPE_CHECKING:
    from pandas import DataFrame

# 70 % of eight rows are at least five, one for each fold of the tuning.
LEAST_PER_CLASS = 8
CSV = re.compile(r"(?P<file>.+\.(?:csv|tsv))(?::(?P<target>.+))?", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """A set that has not been read yet.

    Attributes
    ----------
    name : str
        In keys and tables.
    read : callable
        Returns X of shape (n_rows, n_features) and y of shape (n_rows,).
    """

    name: str
    read: Callable[[], tuple[Array, Index]]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A set as all schemes see it: classes that can be tuned, and no more rows than asked for.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
    all_rows : int
        Before rows were drawn.
    """

    name: str
    X: Array
    y: Index
    all_rows: int

    def describe(self) -> dict[str, Any]:
        """The shape and the digest of the rows, for the record."""
        counts = np.unique(self.y, return_counts=True)[1]
        return {
            "rows": len(self.y),
            "all_rows": self.all_rows,
            "features": self.X.shape[1],
            "classes": len(counts),
            "least_per_class": int(counts.min()),
            "largest_class": round(float(counts.max() / counts.sum()), 4),
            # Nominal features are columns of 0 and 1 in the files.
            "two_valued": round(float(np.mean([len(np.unique(column)) <= 2 for column in self.X.T])), 4),
            "digest": digest_of({"rows": (self.X, self.y)}),
        }


def prepare(source: Source, rows: int, seed: int) -> Prepared:
    """Read a set, draw rows, and leave out classes that are too small to be tuned.

    Parameters
    ----------
    source : Source
    rows : int
        The most rows to use; more are drawn at random, with the shares of the classes kept.
    seed : int

    Returns
    -------
    Prepared

    Raises
    ------
    DataError
        If fewer than two classes are left.
    """
    X, y = source.read()
    all_rows = len(y)
    X, y = _large_classes(X, y)
    if len(y) > rows and len(np.unique(y)) <= rows:
        drawn, _ = train_test_split(np.arange(len(y)), train_size=rows, stratify=y, random_state=seed)
        X, y = _large_classes(X[drawn], y[drawn])
    if len(np.unique(y)) < 2:
        raise DataError(f"{source.name} has fewer than two classes with {LEAST_PER_CLASS} rows or more")
    return Prepared(source.name, X, np.unique(y, return_inverse=True)[1].astype(np.int64), all_rows)


def _large_classes(X: Array, y: Index) -> tuple[Array, Index]:
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= LEAST_PER_CLASS])
    return X[kept], y[kept]


# --------------------------------------------------------------------- sources


def sources_of(words: Sequence[str]) -> list[Source]:
    """Return the sets that the words of ``--data`` name, in their order.

    Parameters
    ----------
    words : sequence of str
        Each a folder of ``.npz`` files, ``file.csv:target``, the id of a set on OpenML, or the name of a set in the folders of
        DAGMAR_DATA. None: all sets in the folders of DAGMAR_DATA.

    Returns
    -------
    list of Source

    Raises
    ------
    DataError
        If a word names nothing, or two sets have one name.
    """
    standard = DataSets()
    found = [source for word in words for source in _sources(word, standard)]
    if not words:
        found = [source for folder in standard.folders for source in _in_folder(folder)]
        if not found:
            raise DataError(
                "no data: give --data, or name folders of .npz files in the environment variable DAGMAR_DATA"
            )
    names = [source.name for source in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"more than one set has the name {', '.join(twice)}")
    return found


def _sources(word: str, standard: DataSets) -> list[Source]:
    if Path(word).is_dir():
        found = _in_folder(Path(word))
        if not found:
            raise DataError(f"there is no .npz file in {word}")
        return found
    if word.isdigit():
        return [Source(f"openml-{word}", partial(_from_openml, int(word)))]
    if csv := CSV.fullmatch(word):
        return [_csv(Path(csv["file"]), csv["target"])]
    return [Source(word, partial(_from_sets, standard, word))]


def _in_folder(folder: Path) -> list[Source]:
    sets = DataSets(folder)
    return [Source(file.stem, partial(_from_sets, sets, file.stem)) for file in sorted(folder.glob("*.npz"))]


def _from_sets(sets: DataSets, name: str) -> tuple[Array, Index]:
    return sets.load(name).rows


def _csv(file: Path, target: str | None) -> Source:
    if target is None:
        raise DataError(f"which column of {file} has the classes? Write {file}:COLUMN")
    if not file.is_file():
        raise DataError(f"there is no file {file}")
    return Source(file.stem, partial(_from_csv, file, target))


def _from_csv(file: Path, target: str) -> tuple[Array, Index]:
    import pandas as pd

    try:
        table = pd.read_csv(file, sep=None, engine="python")
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError(f"{file} cannot be read: {error}") from error
    if target not in table.columns:
        raise DataError(f"{file} has no column {target!r}; it has {', '.join(map(str, table.columns))}")
    return _numbers(table.drop(columns=target), table[target], str(file))


def _from_openml(number: int) -> tuple[Array, Index]:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=number, as_frame=True)
    except (OSError, ValueError) as error:  # urllib's errors are OSErrors, OpenML's are ValueErrors
        raise DataError(f"OpenML failed for the set {number}: {error}") from error
    return _numbers(bunch.data, bunch.target, f"OpenML {number}")


def _numbers(features: DataFrame, labels: Any, where: str) -> tuple[Array, Index]:
    """Features as numbers: nominal ones as 0/1 columns, missing numbers as the median of their column."""
    import pandas as pd

    known = labels.notna().to_numpy()
    features, labels = features[known], labels[known]
    numeric = features.select_dtypes(include=["number", "bool"]).astype(np.float64)
    nominal = features.drop(columns=numeric.columns)
    columns = [numeric.fillna(numeric.median())]
    if nominal.shape[1]:
        columns.append(
            pd.get_dummies(nominal.astype(object), dummy_na=bool(nominal.isna().any().any()), dtype=np.float64)
        )
    X = pd.concat(columns, axis=1).to_numpy(dtype=np.float64)
    X = X[:, np.ptp(X, axis=0) > 0] if len(X) else X
    if not X.size:
        raise DataError(f"{where} has no rows with a class, or no column with more than one value")
    if not np.isfinite(X).all():
        raise DataError(f"{where} has infinite numbers, or a column of which every number is missing")
    return X, classes_of(labels.to_numpy())
