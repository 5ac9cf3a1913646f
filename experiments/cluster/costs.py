"""What a batch of pairs costs: seconds of compute, bytes to the worker, bytes back, and the time of scheduler and client.

The bytes follow from the sizes of classes. The seconds of a pair follow from its size and from how much its classes overlap, so
that they must be measured: `experiments.cluster.probe` trains some pairs of each size. `Costs` has what is measured, with
figures of a machine with two cores as defaults.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagmar.base.pairs import pair_classes
from dagmar.base.typing import Array, Index
from dagmar.dask.batches import Lot
from dagmar.dask.blocks import BLOCK_BYTES, divide_classes
from dagmar.problem.tasks import Tasks, all_pairs

# Bytes of a sample beside its features: its number, cap and weight.
BESIDE = 24
# Bytes of a machine beside its support vectors: classes, bias and its line of the report.
PER_MACHINE = 110
# Bytes of a support vector of a machine: a coefficient and a number.
PER_VECTOR = 12
# With more pairs than this, the tasks of the simulation are parts of tiles, of about this many seconds each.
MOST_PAIRS, PART_SECONDS = 3_000_000, 5.0


@dataclass(frozen=True, eq=False)
class Costs:
    """What is measured.

    Attributes
    ----------
    pace : float or ndarray of shape (n_tiles,)
        Seconds per unit of work (squared rows of a pair times features + 32), of all pairs or of those of each tile.
    client_seconds, scheduler_seconds : float
        Time of the client and of the scheduler for a batch; each is one thread, so batches wait for them.
    bandwidth : float
        Bytes per second of the network of one machine.
    support_share : float or ndarray of shape (n_tiles,)
        The share of the rows of a pair that are its support vectors.
    start_seconds : float
        Time of the client before the first block is sent: facts about the workers, checks, gamma, precision.
    disk_bandwidth : float or None
        Bytes per second that all workers together write to a shared disk, for a model in shards; None if machines go to the
        client.
    """

    pace: float | Array = 1.0e-11
    client_seconds: float = 0.004
    scheduler_seconds: float = 0.001
    bandwidth: float = 1.0e8
    support_share: float | Array = 0.3
    start_seconds: float = 0.0
    disk_bandwidth: float | None = None


@dataclass(frozen=True, eq=False)
class Waiting:
    """What waits for the workers: the tasks as the dispatcher has them, and what they really cost.

    Attributes
    ----------
    lot : Lot
    seconds, returned : ndarray of shape (n_tasks,)
        Seconds on one thread, and bytes that come back.
    """

    lot: Lot
    seconds: Array
    returned: Array


@dataclass(frozen=True, eq=False)
class Layout:
    """The class blocks of a data set, and what pairs of blocks (tiles) need.

    Attributes
    ----------
    n_features : int
    sizes : ndarray of shape (n_classes,)
        Rows of each class.
    begin : ndarray of shape (n_blocks + 1,)
        The first class of each block.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.cluster.costs import Layout
    >>> layout = Layout.of(np.full(10, 6000), 784)
    >>> layout.n_blocks, layout.n_pairs, round(layout.block_bytes.sum() / 1e6)
    (10, 45, 378)
    """

    n_features: int
    sizes: Index
    begin: Index

    @classmethod
    def of(cls, sizes: Index, n_features: int, itemsize: int = 8, block_bytes: float = BLOCK_BYTES) -> Layout:
        """Divide the classes into blocks as a fit does."""
        return cls(n_features, sizes, divide_classes(sizes, float(n_features * itemsize), block_bytes))

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.begin) - 1

    @property
    def n_pairs(self) -> int:
        """Number of machines."""
        return len(self.sizes) * (len(self.sizes) - 1) // 2

    @property
    def block_of(self) -> Index:
        """The block of each class, shape (n_classes,)."""
        return np.repeat(np.arange(self.n_blocks), np.diff(self.begin))

    @property
    def block_bytes(self) -> Array:
        """Bytes of each block."""
        rows = np.add.reduceat(self.sizes, self.begin[:-1])
        bytes_: Array = rows * (8.0 * self.n_features + BESIDE)
        return bytes_

    @property
    def tile_of(self) -> Index:
        """The tile of each pair, shape (n_pairs,)."""
        i, j = pair_classes(len(self.sizes))
        a, b = self.block_of[i], self.block_of[j]
        return np.asarray(a * self.n_blocks - a * (a - 1) // 2 + b - a, dtype=np.int64)

    def work_of(self, rows: Array) -> Array:
        """Return the work of pairs with this many rows: steps of the solver take three times as long as all kernel values."""
        work: Array = 4.0 * rows**2 * (self.n_features + 32)
        return work

    @cached_property
    def _tiles(self) -> tuple[Index, Index, Array, Array, Array]:
        a, b = np.triu_indices(self.n_blocks)
        n = np.diff(self.begin).astype(float)
        one = np.add.reduceat(self.sizes.astype(float), self.begin[:-1])
        two = np.add.reduceat(self.sizes.astype(float) ** 2, self.begin[:-1])
        same = a == b
        # The sum of (m + k)^2 over all pairs of classes of two blocks; within one block each pair counts once.
        pairs = np.where(same, n[a] * (n[a] - 1) / 2, n[a] * n[b])
        squares = n[b] * two[a] + n[a] * two[b] + 2 * one[a] * one[b]
        squares = np.where(same, (squares - 4 * two[a]) / 2, squares)
        rows = np.where(same, (n[a] - 1) * one[a], n[b] * one[a] + n[a] * one[b])
        return a, b, pairs, self.work_of(np.sqrt(squares)), rows

    def tiles(self) -> tuple[Index, Index, Array, Array, Array]:
        """Return the pairs of blocks: both blocks, number of pairs, work, and rows of all their pairs together."""
        return self._tiles

    def result_bytes(self, costs: Costs) -> float:
        """Return the bytes of all machines, as they come back."""
        return PER_MACHINE * self.n_pairs + PER_VECTOR * float((costs.support_share * self.tiles()[4]).sum())

    def seconds(self, costs: Costs) -> float:
        """Return the seconds of all machines on one thread."""
        return float((costs.pace * self.tiles()[3]).sum())

    def largest_seconds(self, costs: Costs) -> float:
        """Return the seconds of the longest pair: a fit is never faster."""
        _, _, pairs, work, _ = self.tiles()
        if self.n_pairs <= MOST_PAIRS:
            return float(self._by_pair(costs)[1].max())
        return float((costs.pace * work / np.maximum(pairs, 1.0)).max())

    def _by_pair(self, costs: Costs) -> tuple[Array, Array, Array]:
        """Return the work, the seconds and the returned bytes of each pair."""
        rows = self.sizes[all_pairs(len(self.sizes)).pairs].sum(axis=1).astype(float)
        pace, share = (np.broadcast_to(v, len(self.tiles()[0])) for v in (costs.pace, costs.support_share))
        tile, work = self.tile_of, self.work_of(rows)
        return work, work * pace[tile], PER_MACHINE + PER_VECTOR * share[tile] * rows

    def waiting(self, costs: Costs) -> Waiting:
        """Return all pairs as tasks; if they are very many, parts of tiles."""
        none = np.zeros(len(self.sizes))
        if self.n_pairs <= MOST_PAIRS:
            work, seconds, returned = self._by_pair(costs)
            lot = Lot(all_pairs(len(self.sizes)), work, none, self.block_of, self.block_bytes)
            return Waiting(lot, seconds, returned)
        a, b, pairs, work, rows = self.tiles()
        seconds = costs.pace * work
        returned = PER_MACHINE * pairs + PER_VECTOR * costs.support_share * rows
        parts = np.maximum(1, np.round(seconds / PART_SECONDS)).astype(np.int64)
        of = np.repeat(np.arange(len(parts)), parts)
        # The blocks stand for classes; a tile on the diagonal needs one block only.
        both = np.where(a == b, 1, 2)[of]
        begin = np.concatenate([[0], np.cumsum(both)]).astype(np.int64)
        classes = np.empty(begin[-1], dtype=np.int32)
        classes[begin[:-1]] = a[of]
        classes[begin[1:] - 1] = b[of]
        tasks = Tasks(begin, classes, np.ones(len(classes), dtype=np.int8))
        blocks = np.arange(self.n_blocks)
        lot = Lot(tasks, (work / parts)[of], none[: self.n_blocks], blocks, self.block_bytes)
        return Waiting(lot, (seconds / parts)[of], (returned / parts)[of])
