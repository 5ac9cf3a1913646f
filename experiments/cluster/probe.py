"""What a fit on a cluster will cost, from a few batches of it: pace, support vectors, and the speed of the network.

The pace of a pair depends on its size and on how much its classes overlap. On Covertype one pair has 21 % of the work by its
size and two thirds of the time. So the longest tile is always measured, and of the others some of every size.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import Any

import numpy as np
from distributed import Client, wait

import dagmar
from dagmar.base.typing import Array, Index, Labels
from dagmar.dask.blocks import Published
from dagmar.dask.cluster import Cluster
from dagmar.dask.jobs import Batch, train_batch
from dagmar.estimators.svc import settings_of
from dagmar.problem.making import ProblemParameters, make_problem
from dagmar.problem.tasks import all_pairs

from .costs import Costs, Layout

# Tiles that are measured, and the most pairs of each of them.
PROBED, MOST_OF_A_TILE = 16, 1000
# Tasks without work, to measure how long the client and the scheduler take for a batch.
EMPTY_TASKS = 40


def probe(client: Client, X: Array, y: Labels, **parameters: Any) -> Costs:
    """Train some batches of a fit on the workers, all workers at the same time, as in a fit.

    Parameters
    ----------
    client : Client
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    **parameters
        Of `dagmar.SVC`.

    Returns
    -------
    Costs
        With a pace and a share of support vectors for each tile.
    """
    svc = dagmar.SVC(**parameters)
    begun = time.perf_counter()
    cluster = Cluster(client)  # a fit asks the workers who they are
    problem, _ = make_problem(ProblemParameters.of(svc), X, y)
    start = time.perf_counter() - begun
    layout = Layout.of(np.diff(problem.class_start), X.shape[1], X.dtype.itemsize)
    begun = time.perf_counter()
    published = Published(client, problem, layout.begin, secrets.token_hex(4))
    bandwidth = float(layout.block_bytes.sum()) / (time.perf_counter() - begun)
    settings = replace(settings_of(svc), n_threads=1, level=cluster.level)
    tasks, tile_of = all_pairs(len(layout.sizes)), layout.tile_of
    strata, workers, futures = strata_of(layout), list(cluster.workers), []
    for k, (tile, _) in enumerate(strata):
        some = tasks.select(np.flatnonzero(tile_of == tile)[:MOST_OF_A_TILE])
        blocks = [published.futures[b] for b in np.unique(layout.block_of[some.classes])]
        where = [workers[k % len(workers)]]
        futures.append(
            client.submit(train_batch, Batch.of(problem, some, settings), *blocks, workers=where, pure=False)
        )
    n_tiles = len(layout.tiles()[0])
    pace, share = np.zeros(n_tiles), np.zeros(n_tiles)
    for (_, tiles), (machines, seconds) in zip(strata, client.gather(futures), strict=True):
        rows = layout.sizes[machines.tasks.pairs].sum(axis=1).astype(float)
        pace[tiles] = seconds / layout.work_of(rows).sum()
        share[tiles] = len(machines.coef) / rows.sum()
    published.release()
    client_seconds, scheduler_seconds = empty_tasks(client)
    return Costs(pace, client_seconds, scheduler_seconds, bandwidth, share, start)


def empty_tasks(client: Client) -> tuple[float, float]:
    """Return the seconds of client and scheduler for a task; the client fetches results one by one, as in a fit."""
    begun = time.perf_counter()
    futures = [client.submit(abs, k, pure=False) for k in range(EMPTY_TASKS)]
    submitted = time.perf_counter()
    wait(futures)
    done = time.perf_counter()
    for future in futures:
        future.result()
    fetched = time.perf_counter()
    return (submitted - begun + fetched - done) / EMPTY_TASKS, (done - submitted) / EMPTY_TASKS


def strata_of(layout: Layout) -> list[tuple[int, Index]]:
    """Return tiles to measure, each with the tiles that it stands for: itself and those of about the same size of pairs.

    The tile of the largest pair stands for itself alone. Its pair may take most of the time.
    """
    _, _, pairs, work, _ = layout.tiles()
    there = np.flatnonzero(pairs > 0)
    order = there[np.argsort((work / np.maximum(pairs, 1.0))[there], kind="stable")]
    parts = [order[-1:], *np.array_split(order[:-1], min(PROBED - 1, len(order) - 1))] if len(order) > 1 else [order]
    return [(int(tiles[len(tiles) // 2]), tiles) for tiles in parts]
