"""Samples of Dask arrays and data frames: they stay on the workers, and are grouped by class there."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import dask
import numpy as np
from dask.base import is_dask_collection
from distributed import Client
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..base.lists import begin_of
from ..base.typing import Array, Index, Labels
from ..problem.problem import Problem
from ..problem.reductions import BLOCK_ROWS, DistantRows
from ..problem.validation import Columns, name_of
from .blocks import ClassBlock, bytes_per_row

Result = TypeVar("Result")
# Grouping rows by class sends a few numbers per row through the scheduler, of which Dask would warn.
NO_WARNING = {"distributed.admin.large-graph-warning-threshold": "10 GiB"}


def named(kind: str) -> str:
    """Return a key for a task, which no other task has. The dashboard groups tasks by their kind."""
    return f"{kind}-{secrets.token_hex(8)}"


class RemoteRows(DistantRows):
    """Samples in parts on the workers. Every part but the last has a multiple of `BLOCK_ROWS` rows.

    Parameters
    ----------
    client : Client
    parts : sequence of Future
        Arrays of shape (n_rows, n_features), C-contiguous, all float64 or all float32.
    begin : ndarray of shape (n_parts + 1,)
        The first row of each part.
    n_features : int
    dtype : dtype
    """

    def __init__(self, client: Client, parts: Sequence[Any], begin: Index, n_features: int, dtype: Any) -> None:
        self._client = client
        self.parts, self.begin = list(parts), begin
        self.shape, self.dtype = (int(begin[-1]), n_features), np.dtype(dtype)

    def __getitem__(self, rows: Any) -> Array:
        """Fetch some rows, given by a slice or an array of indices."""
        if isinstance(rows, slice):
            rows = np.arange(len(self))[rows]
        part_of = np.searchsorted(self.begin, rows, side="right") - 1
        places = [np.flatnonzero(part_of == p) for p in np.unique(part_of)]
        futures = [
            self._client.submit(
                _take, self.parts[part_of[here[0]]], rows[here] - self.begin[part_of[here[0]]], key=named("fetch-rows")
            )
            for here in places
        ]
        out = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        for here, found in zip(places, self._client.gather(futures), strict=True):
            out[here] = found
        return out

    def by_blocks(self, function: Callable[[Array], Result]) -> Iterator[Result]:
        """Call a function on the workers for each block of rows; yield the results in order."""
        futures = [self._client.submit(_map_blocks, function, part, key=named("facts-of-rows")) for part in self.parts]
        for results in self._client.gather(futures):
            yield from results

    def release(self) -> None:
        """Let the workers forget the parts."""
        self.parts.clear()


def _take(part: Array, rows: Index) -> Array:
    return part[rows]


def _map_blocks(function: Callable[[Array], Any], part: Array) -> list[Any]:
    return [function(part[first : first + BLOCK_ROWS]) for first in range(0, len(part), BLOCK_ROWS)]


def read_rows(client: Client, X: Any, owner: str = "SVC") -> tuple[RemoteRows, Columns]:
    """Bring a Dask array or data frame into parts on the workers, and check them there.

    Parameters
    ----------
    client : Client
    X : dask array or data frame of shape (n_samples, n_features)
    owner : str
        Name of the estimator, for messages.

    Returns
    -------
    rows : RemoteRows
    columns : Columns
    """
    names = None
    with client.as_current():
        if hasattr(X, "to_dask_array"):
            columns = np.asarray(X.columns, dtype=object)
            names = columns if all(isinstance(name, str) for name in columns) else None
            X = X.to_dask_array(lengths=True)
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: X must be samples in rows")
        if any(np.isnan(n) for n in X.chunks[0]):
            X = X.compute_chunk_sizes()
        X = X.rechunk({0: max(1, round(max(X.chunks[0]) / BLOCK_ROWS)) * BLOCK_ROWS, 1: -1})
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        raw = client.compute(X.to_delayed().ravel().tolist())
        parts = [client.submit(_checked, part, dtype, owner, key=named("check-rows")) for part in raw]
    rows = RemoteRows(client, parts, begin_of(X.chunks[0]), int(X.shape[1]), dtype)
    return rows, Columns(owner, rows.shape[1], names)


def _checked(part: Any, dtype: Any, owner: str) -> Array:
    if not isinstance(part, np.ndarray):
        raise TypeError(
            f"a block of the Dask array is a {type(part).__name__}, not a NumPy array; pass sparse samples as a SciPy matrix"
        )
    checked: Array = check_array(part, dtype=dtype, order="C", estimator=owner, input_name="X", ensure_min_samples=0)
    return checked


def read_labels(client: Client, X: RemoteRows, y: Any, sample_weight: Any) -> tuple[Labels, Any, str | None]:
    """Fetch labels and weights, which are one number per row, and check the labels.

    Returns
    -------
    y : ndarray of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,) or None
    target : str or None
        The name of y, if it is a series.
    """
    y, weight = (client.compute(part).result() if is_dask_collection(part) else part for part in (y, sample_weight))
    target = name_of(y)
    labels: Labels = np.asarray(column_or_1d(y, warn=True))
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    return labels, None if weight is None else np.asarray(weight), target


class Grouped:
    """The class blocks of a problem whose rows are on the workers. They are made there, from the parts of the rows.

    The client sends which rows belong to which block, with their caps and weights: about 40 bytes per row. The blocks of a lost
    worker are made again by the scheduler.

    Parameters
    ----------
    client : Client
    problem : Problem
        Its X are `RemoteRows`.
    begin : ndarray of shape (n_blocks + 1,)
        As `divide_classes` returns it.
    name : str
        Part of the keys, which must be different for every fit.

    Attributes
    ----------
    futures, block_of, sizes
        As in `Published`.
    """

    def __init__(self, client: Client, problem: Problem, begin: Index, name: str) -> None:
        self._client, self._problem, self._begin, self._name = client, problem, begin, name
        self.block_of: Index = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        rows = np.diff(problem.class_start[begin])
        self.sizes: Array = rows * (bytes_per_row(problem.X) + 24.0)
        self.futures: list[Any] = []
        self._group()

    def _group(self) -> None:
        X, order = self._problem.X, self._problem.order
        ranges = list(pairwise(self._begin.tolist()))
        part_of = np.searchsorted(X.begin, order, side="right") - 1
        starts = self._problem.class_start[self._begin]
        block_of = np.repeat(np.arange(len(ranges)), np.diff(starts))
        # The places of `order` by part, then by block: each run of them is a piece that moves from a part to a block.
        by_piece = np.lexsort((block_of, part_of))
        key = part_of[by_piece] * len(ranges) + block_of[by_piece]
        pieces = np.split(by_piece, np.flatnonzero(np.diff(key)) + 1)
        of_part: dict[int, list[Index]] = {}
        of_block: dict[int, list[tuple[Index, Any]]] = {}
        for piece in pieces:
            of_part.setdefault(int(part_of[piece[0]]), []).append(piece)
        with dask.config.set(NO_WARNING):
            for p, some in of_part.items():
                wanted = [order[piece] - X.begin[p] for piece in some]
                split = self._client.submit(_split, X.parts[p], wanted, key=f"split-rows-{p}-{self._fresh()}")
                for k, piece in enumerate(some):
                    b = int(block_of[piece[0]])
                    moved = self._client.submit(
                        operator.getitem, split, k, key=f"rows-of-block-{b}-{p}-{self._fresh()}"
                    )
                    of_block.setdefault(b, []).append((piece - starts[b], moved))
            self.futures = [
                self._client.submit(
                    _assemble,
                    ClassBlock.of(self._problem, first, last, np.zeros((int(starts[b + 1] - starts[b]), 0), X.dtype)),
                    X.shape[1],
                    [places for places, _ in of_block[b]],
                    *[moved for _, moved in of_block[b]],
                    key=f"class-block-{b}-{self._fresh()}",
                )
                for b, (first, last) in enumerate(ranges)
            ]

    def _fresh(self) -> str:
        return f"{self._name}{secrets.token_hex(4)}"

    def restore(self) -> int:
        """Group the rows anew if a block was lost for good; return how many were."""
        lost = sum(future.status in ("cancelled", "lost") for future in self.futures)
        if lost:
            self._group()
        return lost

    def release(self) -> None:
        """Let the workers forget the blocks."""
        self.futures.clear()


def _split(part: Array, wanted: list[Index]) -> list[Array]:
    return [part[rows] for rows in wanted]


def _assemble(frame: ClassBlock, n_features: int, places: list[Index], *pieces: Array) -> ClassBlock:
    X = np.empty((len(frame.rows), n_features), dtype=frame.X.dtype)
    for here, piece in zip(places, pieces, strict=True):
        X[here] = piece
    return replace(frame, X=X)
