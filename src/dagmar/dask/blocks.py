"""Class blocks: the rows of whole classes, published once on the workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from distributed import Client

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Features, Index
from ..problem.problem import Problem
from ..problem.reductions import is_sparse
from .futures import send

# Small classes share a block of about this many bytes: a block costs the scheduler the same, whatever its size.
BLOCK_BYTES = 2**20
# The client keeps a table of pairs of blocks; so the blocks of large data are larger, and there are about this many of them.
MOST_BLOCKS = 128


@dataclass(frozen=True, eq=False)
class ClassBlock(FrozenArrays):
    """All samples of one class, or of several small ones that follow each other.

    Attributes
    ----------
    first : int
        Place of the first sample in `Problem.order`.
    classes : ndarray of shape (n_classes,)
        The classes, ascending.
    class_start : ndarray of shape (n_classes + 1,)
        Where each of them begins in the block.
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        The samples, sorted by class; for a precomputed kernel, their rows of the kernel matrix.
    rows : ndarray of shape (n_rows,)
        Their numbers in the training data.
    cap, weight : ndarray of shape (n_rows,)
        As in `Problem`.
    """

    first: int
    classes: Index
    class_start: Index
    X: Features
    rows: Index
    cap: Array
    weight: Array

    @classmethod
    def of(cls, problem: Problem, first: int, last: int, X: Features | None = None) -> ClassBlock:
        """Return the block of the classes from `first` to `last`, with the latter not included.

        Parameters
        ----------
        problem : Problem
        first, last : int
        X : ndarray or CSR matrix, optional
            Their rows, if the problem does not have them.
        """
        here = slice(problem.class_start[first], problem.class_start[last])
        rows = problem.order[here]
        return cls(
            first=int(problem.class_start[first]),
            classes=np.arange(first, last, dtype=np.int64),
            class_start=problem.class_start[first : last + 1] - problem.class_start[first],
            X=problem.X[rows] if X is None else X,
            rows=rows,
            cap=problem.cap[here],
            weight=problem.weight[here],
        )

    def of_class(self, c: int) -> slice:
        """Return where the samples of a class are in the block."""
        k = int(c - self.classes[0])
        return slice(int(self.class_start[k]), int(self.class_start[k + 1]))


def bytes_per_row(X: Any) -> float:
    """Return about how many bytes a sample takes.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.dask.blocks import bytes_per_row
    >>> bytes_per_row(np.zeros((5, 10)))
    80.0
    """
    if is_sparse(X):
        return 4.0 + 12.0 * float(X.nnz) / max(1, int(X.shape[0]))
    return float(X.dtype.itemsize * X.shape[1])


def divide_classes(sizes: Index, row_bytes: float, block_bytes: float = BLOCK_BYTES) -> Index:
    """Divide the classes into blocks: a large class alone, small ones together up to about `block_bytes`.

    If all classes take more than `MOST_BLOCKS` such blocks, the blocks are larger.

    Parameters
    ----------
    sizes : ndarray of shape (n_classes,)
        Number of samples of each class.
    row_bytes : float
        Bytes of a sample.
    block_bytes : float

    Returns
    -------
    ndarray of shape (n_blocks + 1,)
        The first class of each block, and the number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.dask.blocks import divide_classes
    >>> divide_classes(np.array([10, 10, 50, 10, 10, 10]), 1.0, 25.0).tolist()
    [0, 2, 3, 5, 6]
    """
    block_bytes = max(block_bytes, row_bytes * float(sizes.sum()) / MOST_BLOCKS)
    begin, held = [0], 0.0
    for c, size in enumerate((sizes * row_bytes).tolist()):
        if held and held + size > block_bytes:
            begin.append(c)
            held = 0.0
        held += size
    return np.array([*begin, len(sizes)], dtype=np.int64)


class Published:
    """The class blocks of a problem on the workers, as futures.

    Parameters
    ----------
    client : Client
    problem : Problem
    begin : ndarray of shape (n_blocks + 1,)
        As `divide_classes` returns it.
    name : str
        Part of the keys, which must be different for every fit.

    Attributes
    ----------
    futures : list of Future
    block_of : ndarray of shape (n_classes,)
        The block of each class.
    sizes : ndarray of shape (n_blocks,)
        Bytes of each block.
    """

    def __init__(self, client: Client, problem: Problem, begin: Index, name: str) -> None:
        self._client, self._problem, self._name = client, problem, name
        self._ranges = list(pairwise(begin.tolist()))
        self.block_of: Index = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        rows = np.diff(problem.class_start[begin])
        self.sizes: Array = rows * (bytes_per_row(problem.X) + 24.0)  # a number, a cap and a weight for each row
        self.futures: list[Any] = [None] * len(self._ranges)
        self._publish(range(len(self._ranges)))

    def _publish(self, blocks: Sequence[int]) -> None:
        # One by one: the client then holds a copy of a single block at a time.
        for b in blocks:
            block = ClassBlock.of(self._problem, *self._ranges[b])
            key = f"class-block-{b}-{self._name}"
            self.futures[b] = send(self._client, {key: block})[key]

    def restore(self) -> int:
        """Publish again the blocks whose only copy was lost with a worker; return how many."""
        lost = [b for b, future in enumerate(self.futures) if future.status in ("cancelled", "lost", "error")]
        self._publish(lost)
        return len(lost)

    def release(self) -> None:
        """Let the workers forget the blocks."""
        self.futures.clear()
