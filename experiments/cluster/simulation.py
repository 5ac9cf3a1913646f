"""A discrete-event simulation of a fit on a cluster: client, scheduler, network and workers, batch by batch.

The rules are those of `dagmar.dask`: a worker gets pairs of the two blocks for which the fewest bytes must be moved, and a
batch is a third of the work that is left for each thread, within limits. The client and the scheduler handle one batch at a
time; so they are what ends the growth.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from dagmar.dask.batches import LONGEST, SHARE, SHORTEST

from .costs import PER_MACHINE, PER_VECTOR, Costs, Layout

# Of how many groups a worker's next one is chosen, if there are very many: the client looks at them all otherwise.
LOOKED_AT = 4096


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
        Bytes of machines that came back.
    client_share, scheduler_share : float
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
    held: float


def simulate(layout: Layout, n_workers: int, costs: Costs | None = None, longest: float = LONGEST) -> Outcome:
    """Simulate a fit on workers of one thread each.

    Parameters
    ----------
    layout : Layout
    n_workers : int
    costs : Costs, optional
    longest : float
        The longest batch in seconds.

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
    costs = Costs() if costs is None else costs
    a, b, pairs, work, rows = layout.tiles()
    left = costs.pace * work
    seconds_per_pair = np.divide(left, pairs, out=np.zeros_like(left), where=pairs > 0)
    rows_per_second = np.divide(rows, left, out=np.zeros_like(left), where=left > 0)
    total, remaining = float(left.sum()), float(left.sum())
    bytes_ = layout.block_bytes
    # The client scatters the blocks, one worker after another.
    held = np.zeros((n_workers, layout.n_blocks), dtype=bool)
    held[np.arange(layout.n_blocks) % n_workers, np.arange(layout.n_blocks)] = True
    free = [(0.0, w) for w in range(n_workers)]
    heapq.heapify(free)
    client = scheduler = end = returned = 0.0
    moved = float(bytes_.sum())
    busy_client = busy_scheduler = 0.0
    batches = 0
    # The blocks go through the client once.
    client = busy_client = float(bytes_.sum()) / costs.bandwidth
    waiting = np.flatnonzero(left > 0)
    while remaining > 1e-9 * total and len(waiting):
        now, w = heapq.heappop(free)
        length = min(max(SHARE * remaining / n_workers, SHORTEST), longest)
        some = waiting if len(waiting) <= LOOKED_AT else waiting[:: len(waiting) // LOOKED_AT + 1]
        missing = np.where(held[w], 0.0, bytes_)
        cost = missing[a[some]] + np.where(a[some] == b[some], 0.0, missing[b[some]])
        t = int(some[np.argmin(cost)])
        # At least one machine, at most what is left of these blocks.
        took = min(left[t], max(length, seconds_per_pair[t]))
        took = left[t] if left[t] - took < 0.5 * seconds_per_pair[t] else took
        bytes_in = float(missing[a[t]] + (0.0 if a[t] == b[t] else missing[b[t]]))
        held[w, [a[t], b[t]]] = True
        # The client prepares the batch, the scheduler assigns it, the worker fetches and computes, the client receives.
        client = max(client, now) + costs.client_seconds
        scheduler = max(scheduler, client) + costs.scheduler_seconds
        bytes_out = took / seconds_per_pair[t] * PER_MACHINE
        bytes_out += PER_VECTOR * costs.support_share * took * rows_per_second[t]
        done = scheduler + bytes_in / costs.bandwidth + took
        busy_client += costs.client_seconds + bytes_out / costs.bandwidth
        busy_scheduler += costs.scheduler_seconds
        end = max(end, done + bytes_out / costs.bandwidth)
        moved, returned, batches = moved + bytes_in, returned + bytes_out, batches + 1
        left[t] -= took
        remaining -= took
        if left[t] <= 0:
            waiting = waiting[left[waiting] > 0]
        heapq.heappush(free, (done, w))
    # The client cannot end before it has received everything.
    end = max(end, busy_client)
    return Outcome(
        n_workers=n_workers,
        seconds=end,
        busy=total / (n_workers * end),
        batches=batches,
        moved=moved,
        returned=returned,
        client_share=busy_client / end,
        scheduler_share=busy_scheduler / end,
        held=float((held @ bytes_).max()),
    )


def ten_million(n_classes: int = 10_000, n_features: int = 100, block_bytes: float = 2.0**26) -> Layout:
    """Return the layout of ten million rows, with classes of equal size."""
    return Layout.of(np.full(n_classes, 10_000_000 // n_classes), n_features, block_bytes=block_bytes)
