"""Reading data: CSV, Parquet, npz and LIBSVM's text, as chunks of rows.

Tables (CSV and Parquet) are streamed, so a file may be larger than the memory. The other two are read as a whole. Rows are
counted from 0, as in the library.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from .csv_files import Opened, open_csv
from .errors import Failed, Misuse, listed
from .numbers import numbers
from .streams import as_file, is_stream, shown

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}
# How files of a kind begin, for streams, which have no suffix.
SIGNS = {"parquet": b"PAR1", "npz": b"PK"}
# A chunk has about NUMBERS_AT_ONCE numbers (16 MB), and at most ROWS_AT_ONCE rows. Larger chunks are no faster.
NUMBERS_AT_ONCE = 2**21
ROWS_AT_ONCE = 2**13
# LIBSVM's text is read into an array if at least this share of the numbers is given.
DENSE_FROM = 0.25


@dataclass(frozen=True)
class Wanted:
    """What to take from the data.

    Attributes
    ----------
    features : list of str or None
        Columns with the features, in the order of the model; None for arrays, which have no names.
    target, weights : str or None
        Columns with the labels and the sample weights.
    names : list of str or None
        Names that the features get; None for none.
    n_features : int or None
        Number of features of the model.
    sparse : bool
        Whether sparse features stay sparse.
    may_miss : bool
        Whether missing numbers are allowed, because the model fills them in.
    """

    features: list[str] | None
    target: str | None = None
    weights: str | None = None
    names: list[str] | None = None
    n_features: int | None = None
    sparse: bool = True
    may_miss: bool = False


@dataclass(frozen=True)
class Rows:
    """Some rows of the data.

    Attributes
    ----------
    first : int
        Number of the first row.
    X : polars.DataFrame, ndarray or CSR matrix
        Features.
    y : polars.Series or None
        Labels as they are in the file: texts, if it is a CSV file.
    weights : ndarray or None
    """

    first: int
    X: Any
    y: pl.Series | None = None
    weights: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])


class Data(ABC):
    """A file with data.

    Attributes
    ----------
    name : str
        What messages call it.
    columns : list of str
        Names that can be the target or the weights.
    features : list of str or None
        The columns that can be features; None if features have no names.
    default_target : str or None
        The target, if none is named.
    """

    name: str
    columns: list[str]
    features: list[str] | None
    default_target: str | None

    @abstractmethod
    def rows(self, wanted: Wanted) -> Iterator[Rows]:
        """Read all rows, in chunks."""

    @abstractmethod
    def row(self, wanted: Wanted, number: int) -> Rows:
        """Read one row; raise Misuse if the data has fewer."""

    def all_rows(self, wanted: Wanted) -> Rows:
        """Read all rows at once; raise Failed if there are none."""
        chunks = list(self.rows(wanted))
        if not chunks:
            raise Failed(f"{self.name} has no rows")
        first = chunks[0]
        if len(chunks) == 1:
            return first
        X = [c.X for c in chunks]
        if isinstance(first.X, pl.DataFrame):
            whole = pl.concat(X)
        else:
            whole = sp.vstack(X, format="csr") if sp.issparse(first.X) else np.concatenate(X)
        y = None if first.y is None else pl.concat([c.y for c in chunks if c.y is not None])
        weights = None if first.weights is None else np.concatenate([c.weights for c in chunks])
        return Rows(0, whole, y, weights)

    def _no_such_row(self, number: int, n_rows: int) -> Misuse:
        return Misuse(f"{self.name} has no row {number}: it has {n_rows} rows, counted from 0")


def open_data(path: Path, format_: str | None = None) -> Data:
    """Open a file with data.

    Parameters
    ----------
    path : Path
        A stream is copied first: see `as_file`.
    format_ : str, optional
        "csv", "parquet", "npz" or "svmlight"; by default it follows from the suffix. A stream without a suffix is
        Parquet or npz if it begins like that, otherwise CSV.

    Returns
    -------
    Data

    Raises
    ------
    Misuse
        If the suffix does not tell the format.
    Failed
        If the file cannot be read.
    """
    lower, name = path.name.lower(), shown(path)
    suffix = Path(lower.removesuffix(".gz")).suffix
    kind = format_ or SUFFIXES.get(suffix)
    if (kind is None and not is_stream(path)) or (kind not in (None, "csv") and lower.endswith(".gz")):
        raise Misuse(
            f"{path}: the suffix must be one of {listed(SUFFIXES)}, .csv.gz, .tsv.gz; or name the format with --format"
        )
    file = as_file(path)
    kind = kind or _begins_like(file)
    try:
        if kind == "npz":
            return read_npz(file, name)
        if kind == "svmlight":
            return read_svmlight(file, name)
        if kind == "parquet":
            scan = pl.scan_parquet(file, glob=False)
            return Table(name, Opened(scan, scan.collect_schema().names(), frozenset()))
        return Table(name, open_csv(file, "\t" if suffix == ".tsv" else None, name))
    except pl.exceptions.PolarsError as error:
        raise unreadable(name, error) from error


def _begins_like(file: Path) -> str:
    with file.open("rb") as opened:
        first = opened.read(4)
    return next((kind for kind, sign in SIGNS.items() if first.startswith(sign)), "csv")


def unreadable(name: str, error: Exception) -> Failed:
    """Return the error for a file that cannot be read, with the first line of the reason."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    advice = ". Save it in the encoding UTF-8" if "utf-8" in reason.lower() else ""
    return Failed(f"{name} cannot be read: {reason}{advice}")


# ------------------------------------------------------------------ tables


class Table(Data):
    """A CSV or Parquet file.

    Parameters
    ----------
    name : str
    opened : Opened
    """

    default_target = None

    def __init__(self, name: str, opened: Opened) -> None:
        self.name, self._scan, self._repeated = name, opened.scan, opened.repeated
        self.columns = self.features = opened.columns

    def rows(self, wanted: Wanted) -> Iterator[Rows]:
        """Read all rows, in chunks; the memory needed does not grow with the file."""
        first = 0
        at_once = max(1, min(ROWS_AT_ONCE, NUMBERS_AT_ONCE // max(1, len(self.columns))))
        try:
            for frame in self._selected(wanted).collect_batches(chunk_size=at_once):
                if frame.height:
                    yield self._taken(frame, wanted, first)
                    first += frame.height
        except pl.exceptions.PolarsError as error:
            raise unreadable(self.name, error) from error

    def row(self, wanted: Wanted, number: int) -> Rows:
        """Read one row."""
        try:
            frame = self._selected(wanted).slice(number, 1).collect()
            if not frame.height:
                raise self._no_such_row(number, int(self._scan.select(pl.len()).collect().item()))
        except pl.exceptions.PolarsError as error:
            raise unreadable(self.name, error) from error
        return self._taken(frame, wanted, number)

    def _selected(self, wanted: Wanted) -> pl.LazyFrame:
        names = [*(wanted.features or []), *(name for name in (wanted.target, wanted.weights) if name is not None)]
        for name in names:
            if name in self._repeated:
                raise Failed(f"{self.name} has more than one column {name!r}: rename or remove all but one")
        return self._scan.select(list(dict.fromkeys(names)))

    def _taken(self, frame: pl.DataFrame, wanted: Wanted, first: int) -> Rows:
        assert wanted.features is not None
        X = numbers(frame.select(wanted.features), first, wanted.may_miss)
        if wanted.names is not None:
            X.columns = wanted.names
        y = None if wanted.target is None else frame[wanted.target]
        weights = None
        if wanted.weights is not None:
            weights = numbers(frame.select(wanted.weights), first).to_series().to_numpy()
        return Rows(first, X if wanted.names is not None else X.to_numpy(order="c"), y, weights)


# ------------------------------------------------------------------ arrays


class Arrays(Data):
    """Features as an array or sparse matrix, and named arrays with one entry per row.

    Parameters
    ----------
    name : str
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    named : dict of str to ndarray
    open_ended : bool
        Whether features at the end may be left out because they are zero.
    """

    features = None

    def __init__(self, name: str, X: Any, named: dict[str, Any], open_ended: bool = False) -> None:
        self.name, self.X, self._named, self._open_ended = name, X, named, open_ended
        self.columns = list(named)
        self.default_target = "y" if "y" in named else None

    def rows(self, wanted: Wanted) -> Iterator[Rows]:
        """Give all rows, in chunks."""
        for first in range(0, self.X.shape[0], ROWS_AT_ONCE):
            yield self._taken(wanted, first, first + ROWS_AT_ONCE)

    def row(self, wanted: Wanted, number: int) -> Rows:
        """Give one row."""
        if number >= self.X.shape[0]:
            raise self._no_such_row(number, self.X.shape[0])
        return self._taken(wanted, number, number + 1)

    def _taken(self, wanted: Wanted, first: int, last: int) -> Rows:
        X = self.X[first:last]
        if self._open_ended and wanted.n_features is not None and X.shape[1] < wanted.n_features:
            X = sp.csr_matrix(X)
            X.resize((X.shape[0], wanted.n_features))
            X = X if sp.issparse(self.X) else X.toarray()
        if sp.issparse(X) and not wanted.sparse:
            X = X.toarray()
        if wanted.names is not None and not sp.issparse(X) and X.shape[1] == len(wanted.names):
            X = pl.DataFrame(X, schema=wanted.names)
        if not wanted.may_miss and not sp.issparse(X) and np.isnan(np.asarray(X)).any():
            row = first + int(np.isnan(np.asarray(X)).any(axis=1).argmax())
            raise Failed(
                f"X has a missing value (NaN) in row {row}. Remove the rows with missing values, or fill them in"
            )
        y = None if wanted.target is None else pl.Series(self._named[wanted.target][first:last])
        weights = None if wanted.weights is None else self._named[wanted.weights][first:last]
        return Rows(first, X, y, weights)


def read_npz(path: Path, name: str) -> Arrays:
    """Read NumPy's npz: the array X, and others with one entry per row, such as y."""
    from zipfile import BadZipFile, is_zipfile

    if not is_zipfile(path):
        raise Failed(f"{name} cannot be read: it is not a file of numpy.savez")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    except (ValueError, EOFError, AttributeError, KeyError, BadZipFile) as error:
        raise Failed(f"{name} cannot be read as npz (arrays of objects cannot be read, either): {error}") from error
    X = arrays.pop("X", None)
    if X is None or X.ndim != 2 or X.dtype.kind not in "iufb":
        raise Failed(f"{name} must have an array X of numbers with two dimensions; its arrays are {listed(arrays)}")
    named = {key: a for key, a in arrays.items() if a.ndim == 1 and len(a) == len(X)}
    return Arrays(name, np.ascontiguousarray(X, dtype=np.float64), named)


def read_svmlight(path: Path, name: str) -> Arrays:
    """Read LIBSVM's text: a label, then index:value for each feature that is not zero, from index 1 on."""
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path), zero_based=False)
    except (ValueError, UnicodeDecodeError, OverflowError) as error:
        raise unreadable(name, error) from error
    if not X.shape[0]:
        raise Failed(f"{name} has no rows")
    if np.array_equal(y, np.trunc(y)) and np.abs(y).max() < 2**53:
        y = y.astype(np.int64)
    dense = X.nnz >= DENSE_FROM * X.shape[0] * X.shape[1]
    return Arrays(name, X.toarray() if dense else X, {"y": y}, open_ended=True)
