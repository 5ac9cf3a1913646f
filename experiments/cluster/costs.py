"""What a batch of pairs costs: seconds of compute, bytes to the worker, bytes back, and the time of scheduler and client.

The bytes follow from the sizes of classes alone; the seconds from a pace that one fit measures. `Costs` has what is measured,
with figures of a machine with two cores as defaults.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagmar.base.typing import Array, Index
from dagmar.dask.blocks import BLOCK_BYTES, divide_classes

# Bytes of a sample beside its features: its number, cap and weight.
BESIDE = 24
# Bytes of a machine beside its support vectors: classes, bias and its line of the report.
PER_MACHINE = 110
# Bytes of a support vector of a machine: a coefficient and a number.
PER_VECTOR = 12


@dataclass(frozen=True)
class Costs:
    """What is measured.

    Attributes
    ----------
    pace : float
        Seconds per unit of work (squared rows of a pair times features + 32).
    client_seconds, scheduler_seconds : float
        Time of the client and of the scheduler for a batch; each is one thread, so batches wait for them.
    bandwidth : float
        Bytes per second of the network of one machine.
    support_share : float
        The share of the rows of a pair that are its support vectors.
    """

    pace: float = 1.0e-11
    client_seconds: float = 0.004
    scheduler_seconds: float = 0.001
    bandwidth: float = 1.0e8
    support_share: float = 0.3


@dataclass(frozen=True, eq=False)
class Layout:
    """The class blocks of a data set, and what pairs of blocks need.

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
    def block_bytes(self) -> Array:
        """Bytes of each block."""
        rows = np.add.reduceat(self.sizes, self.begin[:-1])
        bytes_: Array = rows * (8.0 * self.n_features + BESIDE)
        return bytes_

    def tiles(self) -> tuple[Index, Index, Array, Array, Array]:
        """Return the pairs of blocks: both blocks, number of pairs, work, and rows of all their pairs together."""
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
        # Steps of the solver take about three times as long as kernel values between all rows.
        return a, b, pairs, 4.0 * squares * (self.n_features + 32), rows

    def result_bytes(self, costs: Costs) -> float:
        """Return the bytes of all machines, as they come back."""
        rows = float(self.tiles()[4].sum())
        return PER_MACHINE * self.n_pairs + PER_VECTOR * costs.support_share * rows

    def seconds(self, costs: Costs) -> float:
        """Return the seconds of all machines on one thread."""
        return costs.pace * float(self.tiles()[3].sum())

    def largest_share(self) -> float:
        """Return the share of the largest pair in all work: a fit is never faster than this pair."""
        first, second = np.sort(self.sizes)[-1:-3:-1].astype(float)
        return float(4.0 * (first + second) ** 2 * (self.n_features + 32) / self.tiles()[3].sum())
