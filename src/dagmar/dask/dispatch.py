"""The dispatcher: it hands batches to workers, takes their results as they finish, and deals with workers that are lost."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from distributed import KilledWorker
from distributed.client import ClosedClientError
from numpy.typing import NDArray

from ..base.exceptions import ClusterError
from ..base.typing import Array, Index
from .batches import Lot, Pace
from .cluster import Cluster
from .jobs import Stopped, UnfitWorker

# Batches that wait at a worker beside those it runs, so that its blocks are moved meanwhile.
AHEAD = 1
# A batch that was lost this often is an error: it seems to end its workers.
MOST_LOSSES = 5
# Bytes for the kernel rows of a batch, if a worker does not have more.
LEAST_ROWS = 2.0**24
# Workers keep copies of all blocks during a run if these take at most this share of the smallest worker's memory.
KEPT_SHARE = 0.25
# Seconds between two looks at the scheduler while no batch finishes, and the longest wait for a result that is ready.
LOOK, RESULT = 0.5, 120.0

LOST = (
    "the Dask scheduler is lost, or the client was closed. With checkpoint=, finished machines are kept, and the next fit with "
    "the same data and parameters continues with them, on a cluster or without one."
)

# Takes the places of a batch, the bytes for its kernel rows, the futures of its blocks and options for `Client.submit`; returns
# a future. Its result is a pair: anything, and the seconds that it took.
Submit = Callable[[Index, float, list[Any], dict[str, Any]], Any]


class Blocks(Protocol):
    """Class blocks on the workers."""

    futures: list[Any]
    sizes: Array

    def restore(self) -> int:
        """Publish lost blocks again."""


@dataclass
class Running:
    """A batch that a worker has: its future, the address of the worker ("" if that is lost), and its places in the lot."""

    future: Any
    address: str
    batch: Index


class Dispatcher:
    """Hands the tasks of lots to the workers of a cluster.

    Parameters
    ----------
    cluster : Cluster
    blocks : Blocks
    rows_memory : float
        Bytes for the kernel rows of a batch, as far as the workers have them.
    """

    def __init__(self, cluster: Cluster, blocks: Blocks, rows_memory: float) -> None:
        self.cluster, self.blocks, self.rows_memory = cluster, blocks, rows_memory
        self.pace = Pace()
        self._held: dict[str, NDArray[np.bool_]] = {}
        self._unfit: set[str] = set()
        there = cluster.client.who_has(blocks.futures)
        for b, future in enumerate(blocks.futures):
            for address in there.get(future.key, ()):
                self._blocks_of(address)[b] = True

    def run(self, lot: Lot, submit: Submit, receive: Callable[[Index, Any], None]) -> None:
        """Have all tasks of a lot done.

        Tasks that need more memory than a thread's share of any worker come first, one at a time per worker.

        Parameters
        ----------
        lot : Lot
        submit : Submit
        receive : callable
            Called with the places of a batch and its result, as batches finish.

        Raises
        ------
        ClusterError
            If a task needs more memory than any worker has, the scheduler is lost, or workers end again and again.
        """
        needs = lot.needs() + LEAST_ROWS
        self._refuse(float(needs.max(initial=0.0)))
        large = np.flatnonzero(needs > max(map(self._share, self.cluster.workers)))
        with self._keeping_copies():
            if len(large):
                lot.keep(large)
                _Run(self, lot, submit, receive, alone=True).all()
                lot.keep(np.setdiff1d(np.arange(len(lot.tasks)), large))
            _Run(self, lot, submit, receive).all()

    @contextmanager
    def _keeping_copies(self) -> Iterator[None]:
        """Let workers keep copies of blocks between batches, if they have room for all blocks.

        Every two seconds, Dask's active memory manager drops copies that no waiting task needs. The next batches may need them.
        """
        client = self.cluster.client
        least = min((facts.memory for facts in self.cluster.workers.values()), default=0.0)
        paused = False
        with suppress(OSError, ClosedClientError):  # the run itself reports a lost scheduler
            if float(self.blocks.sizes.sum()) <= KEPT_SHARE * least and client.amm.running():
                client.amm.stop()
                paused = True
        try:
            yield
        finally:
            if paused and self.cluster.alive:
                with suppress(OSError, ClosedClientError):
                    client.amm.start()

    def _blocks_of(self, address: str) -> NDArray[np.bool_]:
        """Return which blocks a worker has, as far as the client knows; shape (n_blocks,)."""
        return self._held.setdefault(address, np.zeros(len(self.blocks.sizes), dtype=bool))

    def _share(self, address: str) -> float:
        """Return the bytes that a batch may take on a worker."""
        facts = self.cluster.workers[address]
        return facts.memory / (facts.n_threads + AHEAD)

    def _refuse(self, need: float) -> None:
        """Raise ClusterError if a task needs more bytes than every worker has."""
        most = max((facts.memory for facts in self.cluster.workers.values()), default=0.0)
        if need > most:
            raise ClusterError(
                f"a machine needs {need / 2**20:.0f} MB on one worker: its rows twice, their blocks and some kernel rows. "
                f"The largest worker has {most / 2**20:.0f} MB left within its memory limit. Give the workers more memory, or "
                "use fewer workers with more memory each."
            )


class _Run:
    """The work on one lot."""

    def __init__(
        self, of: Dispatcher, lot: Lot, submit: Submit, receive: Callable[[Index, Any], None], alone: bool = False
    ) -> None:
        self.of, self.cluster, self.lot, self.alone = of, of.cluster, lot, alone
        self.submit, self.receive = submit, receive
        self.running: dict[str, Running] = {}
        self.done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.losses = np.zeros(len(lot.tasks), dtype=np.int64)

    def all(self) -> None:
        """Hand out all tasks and receive their results; cancel what is left after an error or an interrupt."""
        try:
            while len(self.lot) or self.running:
                with self._reaching():
                    self._hand_out()
                try:
                    self._take(self.done.get(timeout=LOOK))
                except queue.Empty:
                    self._check_alive()
                with self._reaching():
                    self._look()
                if self.of._unfit and self.of._unfit.issuperset(self.cluster.workers):
                    raise ClusterError(
                        f"no worker has the instruction set {self.cluster.level.name} of this fit any more"
                    )
        finally:
            if self.running and self.cluster.alive:
                self.cluster.client.cancel([one.future for one in self.running.values()], force=True)

    # ------------------------------------------------------------ hand out

    def _hand_out(self) -> None:
        """Give every worker batches until it has enough."""
        busy = dict.fromkeys(self.cluster.workers, 0)
        for one in self.running.values():
            if one.address in busy:
                busy[one.address] += 1
        # Threads first, so that no worker waits while another has batches ahead.
        for ahead in range(1 if self.alone else AHEAD + 1):
            for address, facts in self.cluster.workers.items():
                enough = 1 if self.alone else facts.n_threads + ahead
                while len(self.lot) and address not in self.of._unfit and busy[address] < enough:
                    if not self._hand_to(address):
                        break
                    busy[address] += 1

    def _hand_to(self, address: str) -> bool:
        """Give a batch to a worker; return False if the next task is too large for it."""
        of, lot = self.of, self.lot
        memory = self.cluster.workers[address].memory if self.alone else of._share(address)
        held = of._blocks_of(address)
        holders = np.sum(list(of._held.values()), axis=0)
        n_threads = max(1, self.cluster.n_threads)
        seconds = 0.0 if self.alone else of.pace.length(lot.left, n_threads)
        rows = min(of.rows_memory, max(LEAST_ROWS, memory / 2))
        batch = lot.take(held, holders, seconds, of.pace, memory - rows, n_threads)
        need = lot.memory_of(batch)
        if need + LEAST_ROWS > memory:
            lot.put_back(batch)
            return False
        rows = max(LEAST_ROWS, min(rows, memory - need))
        blocks = lot.blocks_of(batch)
        options = {"workers": [address], "allow_other_workers": not self.alone, "pure": False}
        future = self.submit(batch, rows, [of.blocks.futures[b] for b in blocks.tolist()], options)
        held[blocks] = True
        self.running[future.key] = Running(future, address, batch)
        future.add_done_callback(self.done.put)
        return True

    # ---------------------------------------------------------------- take

    def _take(self, future: Any) -> None:
        """Receive a result, or let the tasks of a lost batch wait again."""
        one = self.running.pop(future.key, None)
        if one is None:
            return
        try:
            result, seconds = future.result(timeout=RESULT)
        except (CancelledError, KilledWorker, UnfitWorker, Stopped, TimeoutError, OSError) as error:
            self._check_alive()
            if isinstance(error, UnfitWorker):
                self.of._unfit.add(one.address)
            self._lost(one.batch, error)
            return
        self.of.pace.measure(float(self.lot.work[one.batch].sum()), seconds)
        self.receive(one.batch, result)

    def _lost(self, batch: Index, error: BaseException) -> None:
        self.losses[batch] += 1
        if self.losses[batch].max() > MOST_LOSSES:
            raise ClusterError(
                f"workers ended {MOST_LOSSES + 1} times while they trained the same {len(batch)} machines ({error!r}). "
                "They may need more memory: see the logs of the workers."
            )
        with self._reaching():
            self.of.blocks.restore()
        self.lot.put_back(batch)

    def _look(self) -> None:
        """Find workers that came or went. The scheduler moves the batches of a lost worker, unless they are bound to it."""
        if not self.cluster.look():
            return
        for key, one in list(self.running.items()):
            if not one.address or one.address in self.cluster.workers:
                continue
            self.of._held.pop(one.address, None)
            one.address = ""
            if self.alone:
                del self.running[key]
                self.cluster.client.cancel([one.future], force=True)
                self._lost(one.batch, RuntimeError("the worker is gone"))

    def _check_alive(self) -> None:
        if not self.cluster.alive:
            raise ClusterError(LOST)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Raise ClusterError if the scheduler cannot be reached; the client notices that a moment later."""
        try:
            yield
        except (OSError, ClosedClientError) as error:
            raise ClusterError(LOST) from error
