"""The workers of a Dask cluster: who they are, what they can do, and whether they fit this process."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import psutil
from distributed import Client, default_client

from .. import _core
from ..base.exceptions import ClusterError
from ..base.instructions import simd_level
from ..base.versions import running_version

# The share of a worker's memory limit that tasks may use; Dask spills from 60 % on and pauses the worker at 80 %.
USABLE = 0.7
# Seconds between two looks at which workers there are.
LOOK_EVERY = 1.0
# How long to wait for the first worker, in seconds.
PATIENCE = 30.0


@dataclass(frozen=True)
class WorkerFacts:
    """What a worker says about itself.

    Attributes
    ----------
    version : str
        Version of dagmar.
    processor : str
        Kind of processor, such as "x86_64".
    level : str
        Name of its best instruction set, or of the one that ``DAGMAR_SIMD`` names there.
    n_threads : int
        Tasks that it runs at a time.
    limit : float
        Its memory limit in bytes; inf if it has none.
    resident : float
        Memory that its process takes without our tasks.
    """

    version: str
    processor: str
    level: str
    n_threads: int = 1
    limit: float = float("inf")
    resident: float = 0.0

    @property
    def memory(self) -> float:
        """Bytes for all tasks together."""
        return max(0.0, USABLE * self.limit - self.resident)


def tell(dask_worker: Any) -> WorkerFacts:
    """Return the facts about the worker that runs this; `Client.run` passes the worker."""
    limit = dask_worker.memory_manager.memory_limit
    return WorkerFacts(
        version=running_version(),
        processor=platform.machine(),
        level=simd_level().name,
        n_threads=int(dask_worker.state.nthreads),
        limit=float(limit) if limit else float("inf"),
        resident=float(psutil.Process().memory_info().rss),
    )


def find_client(client: Any) -> Client:
    """Return the client for the parameter `client` of an estimator.

    Parameters
    ----------
    client : Client, str or None
        A client, the address of a scheduler, or None for the client that was opened last in this process.

    Returns
    -------
    Client

    Raises
    ------
    ClusterError
        If there is none, or the scheduler cannot be reached.
    """
    if isinstance(client, str):
        try:
            return Client(client, set_as_default=False, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            raise ClusterError(f"the Dask scheduler at {client} cannot be reached: {error}") from error
    if client is None:
        try:
            client = default_client()
        except ValueError as error:
            raise ClusterError(
                "there is no Dask cluster: pass client=, a distributed.Client or the address of a scheduler, or open a Client"
            ) from error
    if not isinstance(client, Client):
        raise TypeError(
            f"client must be a distributed.Client, the address of a scheduler, or None; got {type(client).__name__}. A cluster "
            "has cluster.get_client()"
        )
    if client.asynchronous:
        raise ClusterError(
            "the Dask client is asynchronous, and dagmar waits for results: pass the address of the scheduler, "
            "client.scheduler.address, and await asyncio.to_thread(...)"
        )
    if client.status != "running":
        raise ClusterError(f"the Dask client is {client.status}: open a new distributed.Client")
    return client


class Cluster:
    """The workers of a client that can train machines for this process.

    Parameters
    ----------
    client : Client

    Attributes
    ----------
    client : Client
    workers : dict of str to WorkerFacts
        By their addresses.
    level : Level
        The lowest instruction set of the workers and this process, which all of them use.

    Raises
    ------
    ClusterError
        If there is no worker, or if a worker has another version of dagmar or another kind of processor.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.workers: dict[str, WorkerFacts] = {}
        self._looked = -LOOK_EVERY
        begun = time.monotonic()
        while not self.workers:
            self.look(now=True)
            if not self.workers and time.monotonic() > begun + PATIENCE:
                raise ClusterError(f"the Dask cluster has no workers after {PATIENCE:.0f} seconds")
            if not self.workers:
                time.sleep(0.1)
        levels = [simd_level(), *(_core.Level[worker.level] for worker in self.workers.values())]
        self.level: _core.Level = min(levels, key=lambda level: level.value)

    @property
    def n_threads(self) -> int:
        """Number of tasks that all workers run at a time."""
        return sum(worker.n_threads for worker in self.workers.values())

    @property
    def alive(self) -> bool:
        """Whether the scheduler can be reached."""
        return bool(self.client.status == "running")

    def look(self, now: bool = False) -> bool:
        """Find workers that came or went, about once a second; return whether that was done.

        A worker that comes later is used if it fits; with a lower instruction set it is left out.
        """
        if not now and time.monotonic() < self._looked + LOOK_EVERY:
            return False
        self._looked = time.monotonic()
        # Not by scheduler_info: the client refreshes that from time to time with few of the workers.
        there = self.client.nthreads()
        new = [address for address in there if address not in self.workers]
        known = {address: facts for address, facts in self.workers.items() if address in there}
        told: dict[str, Any] = self._ask(new) if new else {}
        fit = {address: facts for address, facts in told.items() if self._fits(facts)}
        self.workers = {**known, **fit}
        return True

    def _ask(self, addresses: Iterable[str]) -> dict[str, WorkerFacts]:
        """Return the facts about some workers; those that went away meanwhile are left out."""
        told = self.client.run(tell, workers=list(addresses), on_error="return")
        facts = {address: said for address, said in told.items() if isinstance(said, WorkerFacts)}
        for address, said in told.items():
            if isinstance(said, ImportError | AttributeError):
                raise ClusterError(f"the worker {address} has no dagmar, or another one than this process: {said}")
        check_versions(facts)
        return facts

    def _fits(self, facts: WorkerFacts) -> bool:
        return not hasattr(self, "level") or _core.Level[facts.level].value >= self.level.value


def check_versions(workers: dict[str, WorkerFacts]) -> None:
    """Raise ClusterError if a worker has another version of dagmar, or another kind of processor, than this process."""
    here = running_version()
    other = [f"{address} has {facts.version}" for address, facts in workers.items() if facts.version != here]
    if other:
        raise ClusterError(f"all workers must have dagmar {here}, the version of this process; {', '.join(other)}")
    kind = platform.machine()
    other = [f"{address} is {facts.processor}" for address, facts in workers.items() if facts.processor != kind]
    if other:
        raise ClusterError(
            f"all workers must be {kind}, like this process, to compute the same bits; {', '.join(other)}"
        )
