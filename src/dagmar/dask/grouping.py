"""Samples on the workers, grouped by class there."""

from __future__ import annotations

import operator
import secrets
from dataclasses import replace
from itertools import pairwise
from typing import Any

import dask
import numpy as np
from distributed import Client

from ..base.typing import Array, Features, Index
from ..problem.problem import Problem
from .blocks import ClassBlock, bytes_per_row
from .rows import put_together

# Grouping rows by class sends a few numbers per row through the scheduler; Dask would warn about that.
NO_WARNING = {"distributed.admin.large-graph-warning-threshold": "10 GiB"}


class Grouped:
    """The class blocks of a problem whose rows are on the workers. They are made there, from the parts of the rows.

    The client sends the list of rows of every block, with their caps and weights: about 40 bytes per row. The blocks of a lost
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
        """Group the rows again if a block cannot be made again by the scheduler; return the number of such blocks."""
        lost = sum(future.status in ("cancelled", "lost") for future in self.futures)
        if lost:
            self._group()
        return lost

    def release(self) -> None:
        """Release the blocks on the workers."""
        self.futures.clear()


def _split(part: Features, wanted: list[Index]) -> list[Features]:
    return [part[rows] for rows in wanted]


def _assemble(frame: ClassBlock, places: list[Index], *pieces: Features) -> ClassBlock:
    return replace(frame, X=put_together(places, pieces))
