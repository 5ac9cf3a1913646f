"""Tasks and results of a Dask cluster: their keys, and values sent there and brought here."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dask.base import is_dask_collection
from distributed import Client

from ..base.exceptions import ClusterError

# How often values are sent if workers are lost meanwhile, and the seconds before the second time; each wait is twice the last.
TRIES, FIRST_WAIT = 6, 0.1


def named(kind: str) -> str:
    """Return a unique key for a task. The dashboard groups tasks by their kind."""
    return f"{kind}-{secrets.token_hex(8)}"


def fetch(client: Client, *values: Any) -> list[Any]:
    """Return values; Dask collections among them are computed on the cluster and brought here."""
    futures = [client.compute(value) if is_dask_collection(value) else None for value in values]
    with released_on_error([future for future in futures if future is not None]):
        return [v if f is None else f.result() for v, f in zip(values, futures, strict=True)]


def send(client: Client, data: Any, *, broadcast: bool = False) -> Any:
    """Send values to the workers, as `Client.scatter` does; try again if a worker is lost meanwhile.

    The scheduler notices only after a moment that a worker has ended, and until then still sends to it.

    Parameters
    ----------
    client : Client
    data : object, or dict of keys and objects
    broadcast : bool, default=False
        Whether every worker gets the values, or one of them.

    Returns
    -------
    Future, or dict of keys and futures

    Raises
    ------
    ClusterError
        If the workers cannot be reached. If the scheduler is lost, the error is that of Dask.
    """
    for left in reversed(range(TRIES)):
        try:
            return client.scatter(data, broadcast=broadcast, hash=False)
        except (OSError, KeyError) as error:  # a worker is gone, or the scheduler just forgot it
            if client.status != "running":  # the scheduler is lost
                raise
            # A timeout says that there was no worker for as long as Dask waits.
            if not left or isinstance(error, TimeoutError):
                raise ClusterError(f"the workers of the Dask cluster cannot be reached: {error}") from error
        time.sleep(FIRST_WAIT * 2 ** (TRIES - 1 - left))
    raise AssertionError  # not reached


@contextmanager
def released_on_error(futures: Sequence[Any]) -> Iterator[None]:
    """Release futures after an error: its traceback would keep them on the workers for as long as it exists."""
    try:
        yield
    except BaseException:
        for future in futures:
            future.release()
        raise
