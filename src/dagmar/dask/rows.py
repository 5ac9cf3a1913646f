"""Samples of Dask arrays and data frames: they stay on the workers, and are grouped by class there."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import dask
import numpy as np
import scipy.sparse as sp
from dask.base import is_dask_collection
from distributed import Client
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..base.lists import begin_of
from ..base.typing import Array, Features, Index, Labels
from ..problem.problem import Problem
from ..problem.reductions import BLOCK_ROWS, DistantRows
from ..problem.samples import check_entries, core_rows, most_terms
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
        Arrays of shape (n_rows, n_features), C-contiguous, all float64 or all float32; or CSR matrices of float64.
    begin : ndarray of shape (n_parts + 1,)
        The first row of each part.
    n_features : int
    dtype : dtype
    sparse : tuple of int, optional
        For CSR matrices: the number of stored entries, and the most of a row.
    """

    def __init__(
        self,
        client: Client,
        parts: Sequence[Any],
        begin: Index,
        n_features: int,
        dtype: Any,
        sparse: tuple[int, int] | None = None,
    ) -> None:
        self._client = client
        self.parts, self.begin = list(parts), begin
        self.shape, self.dtype = (int(begin[-1]), n_features), np.dtype(dtype)
        if sparse is not None:
            self.nnz, self.most_nonzeros = sparse

    def __getitem__(self, rows: Any) -> Features:
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
        return _put_together(places, self._client.gather(futures))

    def by_blocks(self, function: Callable[[Features], Result]) -> Iterator[Result]:
        """Call a function on the workers for each block of rows; yield the results in order."""
        futures = [self._client.submit(_map_blocks, function, part, key=named("facts-of-rows")) for part in self.parts]
        for results in self._client.gather(futures):
            yield from results

    @cached_property
    def whole(self) -> Any:
        """A future of all rows together, made on a worker."""
        places = [np.arange(first, last) for first, last in pairwise(self.begin.tolist())]
        return self._client.submit(_put_together, places, self.parts, key=f"all-rows-{secrets.token_hex(4)}")

    def release(self) -> None:
        """Let the workers forget the rows."""
        self.parts.clear()
        self.__dict__.pop("whole", None)


def _take(part: Features, rows: Index) -> Features:
    return part[rows]


def _put_together(places: Sequence[Index], pieces: Sequence[Features]) -> Features:
    """Return the rows of some pieces, each of them at its place among all."""
    if sp.issparse(pieces[0]):
        order = np.argsort(np.concatenate(places))
        return type(pieces[0])(sp.vstack(pieces, format="csr"))[order]
    out = np.empty((sum(map(len, places)), pieces[0].shape[1]), dtype=pieces[0].dtype)
    for here, piece in zip(places, pieces, strict=True):
        out[here] = piece
    return out


def _map_blocks(function: Callable[[Features], Any], part: Features) -> list[Any]:
    return [function(part[first : first + BLOCK_ROWS]) for first in range(0, part.shape[0], BLOCK_ROWS)]


def read_rows(client: Client, X: Any, owner: str = "SVC") -> tuple[RemoteRows, Columns]:
    """Bring a Dask array or data frame into parts on the workers, and check them there.

    Parameters
    ----------
    client : Client
    X : dask array or data frame of shape (n_samples, n_features)
        The blocks of an array may be sparse matrices of SciPy.
    owner : str
        Name of the estimator, for messages.

    Returns
    -------
    rows : RemoteRows
    columns : Columns
    """
    # Of its class: a Delayed has any attribute.
    is_frame = hasattr(type(X), "to_dask_array")
    if not is_frame and not hasattr(type(X), "rechunk"):
        raise TypeError(f"X must be a Dask array or data frame, not a Dask {type(X).__name__}")
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: X must be samples in rows")
    names, types = None, {X.dtype} if not is_frame else set(X.dtypes)
    if any(getattr(type_, "kind", "") == "c" for type_ in types):
        raise ValueError("Complex data not supported")
    with client.as_current():
        if is_frame:
            columns = np.asarray(X.columns, dtype=object)
            names = columns if all(isinstance(name, str) for name in columns) else None
        elif len(X.chunks[1]) > 1:
            X = (X.compute_chunk_sizes() if any(map(np.isnan, X.chunks[0])) else X).rechunk({1: -1})
        # Computed once, and lengths are asked of what was computed: a source may be slow, or differ the next time.
        raw = client.compute(np.ravel(X.to_delayed()).tolist())
        parts, begin = _cut(client, raw, np.float32 if types == {np.dtype(np.float32)} else np.float64, owner)
    del raw
    rows = of_parts(client, parts, begin)
    return rows, Columns(owner, rows.shape[1], names)


def _cut(client: Client, raw: Sequence[Any], dtype: Any, owner: str) -> tuple[list[Any], Index]:
    """Cut blocks of any lengths into parts, of which all but the last have whole blocks of `BLOCK_ROWS` rows, and check them.

    Returns
    -------
    parts : list of Future
    begin : ndarray of shape (n_parts + 1,)
        The first row of each part.
    """
    asked = [client.submit(_n_rows, block, key=named("count-rows")) for block in raw]
    with released_on_error([*raw, *asked]):
        lengths = client.gather(asked)
    size = max(1, round(max(lengths) / BLOCK_ROWS)) * BLOCK_ROWS
    start = begin_of(lengths)
    begin = np.append(np.arange(0, max(1, start[-1]), size), start[-1])
    parts = []
    for first, last in pairwise(begin.tolist()):
        # The blocks that have some of these rows; one of them even if there are none, so that its columns are checked.
        here = np.flatnonzero((start[1:] > first) & (start[:-1] < last)).tolist() or [0]
        slices = [slice(max(0, first - start[k]), min(last, start[k + 1]) - start[k]) for k in here]
        blocks = [raw[k] for k in here]
        parts.append(client.submit(_checked_rows, slices, dtype, owner, *blocks, key=named("check-rows")))
    return parts, begin


def _n_rows(block: Any) -> int:
    return int(block.shape[0]) if hasattr(block, "shape") else len(block)


def _checked_rows(slices: list[slice], dtype: Any, owner: str, *blocks: Any) -> Features:
    pieces = [_checked(block, here, dtype, owner) for block, here in zip(blocks, slices, strict=True)]
    if len(pieces) == 1:
        return pieces[0]
    ends = begin_of([piece.shape[0] for piece in pieces])
    return _put_together([np.arange(a, b) for a, b in pairwise(ends.tolist())], pieces)


def of_parts(client: Client, parts: Sequence[Any], begin: Index) -> RemoteRows:
    """Return the samples of parts on the workers.

    Parameters
    ----------
    client : Client
    parts : sequence of Future
        Checked samples.
    begin : ndarray of shape (n_parts + 1,)
        The first row of each part.

    Returns
    -------
    RemoteRows
    """
    asked = [client.submit(_extent, part, key=named("measure-rows")) for part in parts]
    with released_on_error([*parts, *asked]):
        extents = client.gather(asked)
    n_features, dtype, _ = extents[0]
    stored = [counts for _, _, counts in extents if counts is not None]
    if 0 < len(stored) < len(parts):
        raise TypeError(
            f"{len(stored)} of {len(parts)} blocks of the Dask array are sparse and the others dense; make all of them the same"
        )
    sparse = (sum(n for n, _ in stored), max(most for _, most in stored)) if stored else None
    if sparse is not None:
        check_entries(n_features, sparse[0])
    return RemoteRows(client, parts, begin, n_features, dtype, sparse)


def scale_rows(client: Client, X: RemoteRows, scaler: Any, names: Labels | None, owner: str) -> tuple[Any, RemoteRows]:
    """Fit a scaler of scikit-learn on all samples, on a worker; return it and the scaled samples.

    Parameters
    ----------
    client : Client
    X : RemoteRows
    scaler : transformer
    names : ndarray of shape (n_features,) or None
        Names of the features, which the scaler then remembers.
    owner : str

    Returns
    -------
    scaler : transformer
        Fitted.
    scaled : RemoteRows
    """
    name = secrets.token_hex(4)
    both = client.submit(_scale, X.whole, scaler, names, key=f"scale-rows-{name}")
    # Scaled together and then divided: products of matrices may round rows differently in smaller blocks.
    parts = [
        client.submit(_scaled_part, both, first, last, owner, key=f"scaled-rows-{p}-{name}")
        for p, (first, last) in enumerate(pairwise(X.begin.tolist()))
    ]
    return client.submit(operator.getitem, both, 0, key=named("fitted-scaler")).result(), of_parts(
        client, parts, X.begin
    )


def _scale(whole: Features, scaler: Any, names: Labels | None) -> tuple[Any, Any]:
    if names is not None:
        import pandas as pd

        whole = pd.DataFrame(whole, columns=names)
    return scaler, scaler.fit_transform(whole)


def _scaled_part(both: tuple[Any, Any], first: int, last: int, owner: str) -> Features:
    scaled = both[1]
    if hasattr(scaled, "to_numpy"):  # a scaler may be set to return data frames
        scaled = scaled.to_numpy()
    return _checked(scaled, slice(first, last), np.float32 if scaled.dtype == np.float32 else np.float64, owner)


def _checked(block: Any, here: slice, dtype: Any, owner: str) -> Features:
    """Check some rows of a block; return them in the form that the core reads."""
    if not isinstance(block, np.ndarray) and not sp.issparse(block) and not hasattr(block, "iloc"):
        raise TypeError(
            f"a block of the Dask array is a {type(block).__name__}; it must be a NumPy array or a sparse matrix of SciPy"
        )
    if sp.issparse(block) and block.format != "csr":  # not every format has slices
        block = block.tocsr()
    part = block.iloc[here] if hasattr(block, "iloc") else block[here]
    checks = {"accept_sparse": "csr", "estimator": owner, "input_name": "X", "ensure_min_samples": 0}
    checked = check_array(part, dtype=np.float64 if sp.issparse(part) else dtype, order="C", **checks)
    return core_rows(checked) if sp.issparse(checked) else checked


def _extent(part: Features) -> tuple[int, Any, tuple[int, int] | None]:
    """Return columns and type of a block; of a sparse one also its stored entries, and the most of a row."""
    return int(part.shape[1]), part.dtype, (int(part.nnz), most_terms(part)) if sp.issparse(part) else None


def fetch(client: Client, *values: Any) -> list[Any]:
    """Return values, of which Dask collections are computed on the cluster and brought here."""
    futures = [client.compute(value) if is_dask_collection(value) else None for value in values]
    with released_on_error([future for future in futures if future is not None]):
        return [v if f is None else f.result() for v, f in zip(values, futures, strict=True)]


@contextmanager
def released_on_error(futures: Sequence[Any]) -> Iterator[None]:
    """Release futures after an error: its traceback would keep them on the workers for as long as somebody looks at it."""
    try:
        yield
    except BaseException:
        for future in futures:
            future.release()
        raise


def read_labels(client: Client, X: RemoteRows, y: Any, sample_weight: Any) -> tuple[Labels, Any, str | None]:
    """Fetch labels and weights, which are one number per row, and check the labels.

    Returns
    -------
    y : ndarray of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,) or None
    target : str or None
        The name of y, if it is a series.
    """
    y, weight = fetch(client, y, sample_weight)
    target = name_of(y)
    labels: Labels = np.asarray(column_or_1d(y, warn=True))
    if labels.dtype == object and (missing := sum(map(_is_missing, labels))):
        raise ValueError(f"Input y contains {missing} missing values.")
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    return labels, None if weight is None else np.asarray(weight), target


def _is_missing(label: Any) -> bool:
    # pandas.NA, which is equal to nothing, is not even a truth value.
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


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


def _split(part: Features, wanted: list[Index]) -> list[Features]:
    return [part[rows] for rows in wanted]


def _assemble(frame: ClassBlock, places: list[Index], *pieces: Features) -> ClassBlock:
    return replace(frame, X=_put_together(places, pieces))
