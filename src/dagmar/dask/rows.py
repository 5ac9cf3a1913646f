"""Samples in parts on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from distributed import Client

from ..base.typing import Features, Index
from ..problem.reductions import BLOCK_ROWS, DistantRows
from .futures import named

Result = TypeVar("Result")


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
        For CSR matrices: the number of stored entries, and the largest number in a row.
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
        return put_together(places, self._client.gather(futures))

    def by_blocks(self, function: Callable[[Features], Result]) -> Iterator[Result]:
        """Call a function on the workers for each block of rows; yield the results in order."""
        futures = [self._client.submit(_map_blocks, function, part, key=named("facts-of-rows")) for part in self.parts]
        for results in self._client.gather(futures):
            yield from results

    @cached_property
    def whole(self) -> Any:
        """A future of all rows together, made on a worker."""
        places = [np.arange(first, last) for first, last in pairwise(self.begin.tolist())]
        return self._client.submit(put_together, places, self.parts, key=named("all-rows"))

    def release(self) -> None:
        """Release the rows on the workers."""
        self.parts.clear()
        self.__dict__.pop("whole", None)


def _take(part: Features, rows: Index) -> Features:
    return part[rows]


def put_together(places: Sequence[Index], pieces: Sequence[Features]) -> Features:
    """Return the rows of all pieces in one matrix, each at its place."""
    if sp.issparse(pieces[0]):
        order = np.argsort(np.concatenate(places))
        return type(pieces[0])(sp.vstack(pieces, format="csr"))[order]
    out = np.empty((sum(map(len, places)), pieces[0].shape[1]), dtype=pieces[0].dtype)
    for here, piece in zip(places, pieces, strict=True):
        out[here] = piece
    return out


def _map_blocks(function: Callable[[Features], Any], part: Features) -> list[Any]:
    return [function(part[first : first + BLOCK_ROWS]) for first in range(0, part.shape[0], BLOCK_ROWS)]
