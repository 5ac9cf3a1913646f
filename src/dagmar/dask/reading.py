"""Dask arrays and data frames are checked on the workers, and become `RemoteRows`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import Client
from sklearn.utils import check_array

from ..base.lists import begin_of
from ..base.typing import Features, Index
from ..problem.reductions import BLOCK_ROWS
from ..problem.samples import check_entries, core_rows, most_terms
from ..problem.validation import Columns
from .futures import named, released_on_error
from .rows import RemoteRows, put_together


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
    # Ask the class: a Delayed object has any attribute.
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
        # Blocks are computed once, and their lengths are taken from the results: a source may be slow, or differ the next time.
        raw = client.compute(np.ravel(X.to_delayed()).tolist())
        parts, begin = _cut(client, raw, np.float32 if types == {np.dtype(np.float32)} else np.float64, owner)
    del raw
    rows = of_parts(client, parts, begin)
    return rows, Columns(owner, rows.shape[1], names)


def _cut(client: Client, raw: Sequence[Any], dtype: Any, owner: str) -> tuple[list[Any], Index]:
    """Cut blocks of any lengths into checked parts; the length of every part but the last is a multiple of `BLOCK_ROWS`.

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
        # The blocks that have some of these rows; without rows, the first block, so that its columns are checked.
        here = np.flatnonzero((start[1:] > first) & (start[:-1] < last)).tolist() or [0]
        slices = [slice(max(0, first - start[k]), min(last, start[k + 1]) - start[k]) for k in here]
        blocks = [raw[k] for k in here]
        parts.append(client.submit(_check_part, slices, dtype, owner, *blocks, key=named("check-rows")))
    return parts, begin


def _n_rows(block: Any) -> int:
    return int(block.shape[0]) if hasattr(block, "shape") else len(block)


def _check_part(slices: list[slice], dtype: Any, owner: str, *blocks: Any) -> Features:
    pieces = [check_rows(block, here, dtype, owner) for block, here in zip(blocks, slices, strict=True)]
    if len(pieces) == 1:
        return pieces[0]
    ends = begin_of([piece.shape[0] for piece in pieces])
    return put_together([np.arange(a, b) for a, b in pairwise(ends.tolist())], pieces)


def check_rows(block: Any, here: slice, dtype: Any, owner: str) -> Features:
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


def of_parts(client: Client, parts: Sequence[Any], begin: Index) -> RemoteRows:
    """Return checked parts on the workers as samples.

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


def _extent(part: Features) -> tuple[int, Any, tuple[int, int] | None]:
    """Return columns and type of a part; if it is sparse also its stored entries, and the largest number in a row."""
    return int(part.shape[1]), part.dtype, (int(part.nnz), most_terms(part)) if sp.issparse(part) else None
