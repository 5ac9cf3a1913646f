"""Tasks and results of a Dask cluster: their keys, and values brought here."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dask.base import is_dask_collection
from distributed import Client


def named(kind: str) -> str:
    """Return a unique key for a task. The dashboard groups tasks by their kind."""
    return f"{kind}-{secrets.token_hex(8)}"


def fetch(client: Client, *values: Any) -> list[Any]:
    """Return values; Dask collections among them are computed on the cluster and brought here."""
    futures = [client.compute(value) if is_dask_collection(value) else None for value in values]
    with released_on_error([future for future in futures if future is not None]):
        return [v if f is None else f.result() for v, f in zip(values, futures, strict=True)]


@contextmanager
def released_on_error(futures: Sequence[Any]) -> Iterator[None]:
    """Release futures after an error: its traceback would keep them on the workers for as long as it exists."""
    try:
        yield
    except BaseException:
        for future in futures:
            future.release()
        raise
