"""Predictions on a Dask cluster, for `predict --scheduler`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from ..dask import predicting
from ..dask.cluster import Cluster, find_client
from .columns import for_model
from .models import Loaded
from .reading import open_data
from .streams import is_stream
from .using import PREDICTION, predictions

# Chunks of rows on their way to the workers and back, for each thread of the cluster.
IN_FLIGHT = 2


@contextmanager
def frames_from_cluster(
    scheduler: str, loaded: Loaded, data: Path, format_: str | None, target: str | None, proba: bool
) -> Iterator[Iterator[pl.DataFrame]]:
    """Open a cluster and give the predictions for all rows, a data frame for each part of them, in order.

    Workers read Parquet themselves, so its path must be theirs, too. Other files are read here, and their rows are sent.

    Parameters
    ----------
    scheduler : str
        Address of the scheduler.
    loaded : Loaded
    data : Path
        A file, or a folder of Parquet files.
    format_, target
        As for the command.
    proba : bool
        Whether to compute probabilities as well.
    """
    client = find_client(scheduler)
    try:
        cluster = Cluster(client)
        if not is_stream(data) and ("parquet" in (format_, data.suffix[1:]) or data.is_dir()):
            yield _of_parquet(client, loaded, data, proba)
        else:
            source = open_data(data, format_)
            yield _of_rows(cluster, loaded, source.rows(for_model(source, loaded, target)), proba)
    finally:
        client.close()


def _of_parquet(client: Any, loaded: Loaded, data: Path, proba: bool) -> Iterator[pl.DataFrame]:
    labels = predicting.predict(loaded.model, data.absolute(), client=client)
    parts = [client.compute(labels.partitions[p]) for p in range(labels.npartitions)]
    shares: list[Any] = [None] * len(parts)
    if proba:
        table = predicting.predict_proba(loaded.model, data.absolute(), client=client)
        shares = [client.compute(table.partitions[p]) for p in range(table.npartitions)]
    for part, share in zip(parts, shares, strict=True):
        frame = pl.DataFrame({PREDICTION: pl.Series(part.result().to_numpy())})
        if share is not None:
            found = share.result()
            names = [f"{name}_probability" if str(name) == PREDICTION else str(name) for name in found.columns]
            frame = frame.hstack(pl.DataFrame(found.to_numpy(), schema=names))
        yield frame


def _of_rows(cluster: Cluster, loaded: Loaded, chunks: Iterator[Any], proba: bool) -> Iterator[pl.DataFrame]:
    client = cluster.client
    model = client.scatter(loaded, broadcast=True, hash=False)
    waiting: deque[Any] = deque()
    for number, rows in enumerate(chunks):
        waiting.append(client.submit(predictions, model, rows, proba, key=f"predict-rows-{number}-{id(waiting)}"))
        if len(waiting) > IN_FLIGHT * cluster.n_threads:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
