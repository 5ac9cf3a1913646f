"""Opening CSV files: their separator, their encoding and the names of their columns."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from .errors import Failed

# polars reads blocks of this many bytes. Its own choice for large files takes some hundred megabytes and is no quicker.
BLOCK_SIZE = 2**20
# What separates columns, if there is no comma in the line of names.
OTHER_SEPARATORS = (";", "\t", "|")
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # how gzip and Zstandard begin; polars reads both


@dataclass(frozen=True)
class Opened:
    """A CSV file that can be read.

    Attributes
    ----------
    scan : polars.LazyFrame
        All columns, as text.
    columns : list of str
        Their names, each once.
    repeated : frozenset of str
        Names that more than one column has.
    """

    scan: pl.LazyFrame
    columns: list[str]
    repeated: frozenset[str]


def open_csv(path: Path, separator: str | None = None, name: str | None = None) -> Opened:
    """Open a CSV file whose first line has the names of the columns.

    Parameters
    ----------
    path : Path
        A text in UTF-8, which may be compressed by gzip.
    separator : str, optional
        What separates columns; by default a comma, or what else separates the names if there is no comma among them.
    name : str, optional
        What messages call the file; by default its path.

    Returns
    -------
    Opened

    Raises
    ------
    Failed
        If it is no text in UTF-8.
    polars.exceptions.PolarsError
        If it is empty.
    """
    with path.open("rb") as file:
        first = file.read(2**16)
    if b"\0" in first and not first.startswith(COMPRESSED):
        raise Failed(f"{name or path} is not a text in UTF-8: it has zero bytes. Save it as CSV in the encoding UTF-8")
    os.environ.setdefault("POLARS_CSV_CHUNK_SIZE", str(BLOCK_SIZE))
    scan, names = _scanned(path, separator or ",")
    if separator is None and len(names) == 1:
        for other in OTHER_SEPARATORS:
            if other in names[0]:
                scan, names = _scanned(path, other)
                break
    repeated = frozenset(name for name, times in Counter(names).items() if times > 1)
    return Opened(scan, list(dict.fromkeys(names)), repeated)


def _scanned(path: Path, separator: str) -> tuple[pl.LazyFrame, list[str]]:
    """Return the table, and the names of all columns as they are in the file; those of the table differ from each other."""
    # Everything is read as text, so that a value that is no number can be shown with its row.
    scan = pl.scan_csv(path, separator=separator, infer_schema=False, glob=False)
    n_columns = len(scan.collect_schema())
    lines = pl.scan_csv(
        path, separator=separator, infer_schema=False, glob=False, has_header=False, truncate_ragged_lines=True
    )
    return scan, [name or "" for name in lines.head(1).collect().row(0)[:n_columns]]
