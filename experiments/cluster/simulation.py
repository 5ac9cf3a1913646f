"""A discrete-event simulation of a fit on a cluster: client, scheduler, network and workers, batch by batch.

Batches are chosen by `dagmar.dask` itself, which knows the work of a pair but not the seconds that it really takes. The client
and the scheduler handle one batch at a time; so they are what ends the growth.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from dagmar.base.typing import Index
from dagmar.dask.batches import Pace
from dagmar.dask.dispatch import AHEAD

from .costs import Costs, Layout


@dataclass(frozen=True)
class Outcome:
    """How a simulated fit went.

    Attributes
    ----------
    n_workers : int
    seconds : float
        Until the last machine is with the client.
    busy : float
        The share of that time that workers compute.
    batches : int
    moved : float
        Bytes of blocks that went to workers, the first copies included.
    returned : float
        Bytes of machines that came back to the client, or went to the shared disk.
    client_share, scheduler_share, disk_share : float
        The share of the time that each of them is busy.
    held : float
        The most bytes of blocks on one worker.
    """

    n_workers: int
    seconds: float
    busy: float
    batches: int
    moved: float
    returned: float
    client_share: float
    scheduler_share: float
    disk_share: float
    held: float


class Fit:
    """A fit in progress: until when each worker is busy, and which blocks it holds."""

    def __init__(self, layout: Layout, n_workers: int, costs: Costs) -> None:
        self.costs, self.waiting, self.pace = costs, layout.waiting(costs), Pace()
        self.n_workers, self.block_bytes = n_workers, layout.block_bytes
        # The client scatters the blocks, one worker after another.
        self.held = np.zeros((n_workers, layout.n_blocks), dtype=bool)
        self.held[np.arange(layout.n_blocks) % n_workers, np.arange(layout.n_blocks)] = True
        self.holders = self.held.sum(axis=0)
        self.moved = float(self.block_bytes.sum())
        self.client = self.scheduler = self.disk = 0.0
        self.client_busy = self.scheduler_busy = self.disk_busy = self.returned = 0.0
        self.free = np.zeros(n_workers)
        self.running: list[tuple[float, int, int, list[int]]] = []
        self.batches = 0
        self.use_client(0.0, costs.start_seconds + self.moved / costs.bandwidth)

    def use_client(self, now: float, seconds: float) -> None:
        """Keep the client busy, from now on or from when it is free."""
        self.client = max(self.client, now) + seconds
        self.client_busy += seconds

    def give(self, worker: int, now: float) -> None:
        """Give a batch to a worker: client, scheduler, network, and then the worker when its last batch is finished."""
        lot = self.waiting.lot
        if not len(lot):
            return
        length = self.pace.length(lot.left, self.n_workers)
        batch = lot.take(self.held[worker], self.holders, length, self.pace, np.inf, self.n_workers)
        blocks = lot.blocks_of(batch)
        new = blocks[~self.held[worker, blocks]]
        self.held[worker, new] = True
        self.holders[new] += 1
        bytes_in = float(self.block_bytes[new].sum())
        self.use_client(now, self.costs.client_seconds)
        self.scheduler = max(self.scheduler, self.client) + self.costs.scheduler_seconds
        self.scheduler_busy += self.costs.scheduler_seconds
        arrived = self.scheduler + bytes_in / self.costs.bandwidth
        self.free[worker] = self.write(max(self.free[worker], arrived) + self.waiting.seconds[batch].sum(), batch)
        self.batches += 1
        heapq.heappush(self.running, (float(self.free[worker]), self.batches, worker, batch.tolist()))
        self.moved += bytes_in

    def write(self, now: float, batch: Index) -> float:
        """Write machines to the shared disk, if there is one; return when they are there."""
        if self.costs.disk_bandwidth is None:
            return now
        seconds = float(self.waiting.returned[batch].sum()) / self.costs.disk_bandwidth
        self.disk = max(self.disk, now) + seconds
        self.disk_busy += seconds
        return self.disk

    def finish(self) -> None:
        """Receive the batch that is finished next, and give its worker another one."""
        now, _, worker, batch = heapq.heappop(self.running)
        bytes_out = float(self.waiting.returned[batch].sum())
        self.returned += bytes_out
        self.use_client(now, bytes_out / self.costs.bandwidth if self.costs.disk_bandwidth is None else 0.0)
        self.pace.measure(float(self.waiting.lot.work[batch].sum()), float(self.waiting.seconds[batch].sum()))
        self.give(worker, self.client)


def simulate(layout: Layout, n_workers: int, costs: Costs | None = None) -> Outcome:
    """Simulate a fit on workers of one thread each.

    Parameters
    ----------
    layout : Layout
    n_workers : int
    costs : Costs, optional

    Returns
    -------
    Outcome

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.cluster.costs import Layout
    >>> from experiments.cluster.simulation import simulate
    >>> one, two = (simulate(Layout.of(np.full(10, 6000), 784), n) for n in (1, 2))
    >>> bool(one.seconds > 1.5 * two.seconds)
    True
    """
    fit = Fit(layout, n_workers, Costs() if costs is None else costs)
    for _ in range(1 + AHEAD):
        for worker in range(n_workers):
            fit.give(worker, fit.client)
    while fit.running:
        fit.finish()
    return Outcome(
        n_workers=n_workers,
        seconds=fit.client,
        busy=float(fit.waiting.seconds.sum()) / (n_workers * fit.client),
        batches=fit.batches,
        moved=fit.moved,
        returned=fit.returned,
        client_share=fit.client_busy / fit.client,
        scheduler_share=fit.scheduler_busy / fit.client,
        disk_share=fit.disk_busy / fit.client,
        held=float((fit.held @ fit.block_bytes).max()),
    )


def ten_million(n_classes: int = 10_000, n_features: int = 100) -> Layout:
    """Return the layout of ten million rows, with classes of equal size."""
    return Layout.of(np.full(n_classes, 10_000_000 // n_classes), n_features)
