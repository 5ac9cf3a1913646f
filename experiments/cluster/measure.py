"""Fits on a cluster of this machine, beside what the model says of them: bytes that move, and seconds that workers are busy.

``python -m experiments.cluster.measure SET WORKERS`` prints both. SET is "classes" (500 classes of 100 rows), "many" (2,000
classes of 50 rows) or a data set of the benchmarks.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from distributed import Client, LocalCluster

import dagmar
import dagmar.dask
from dagmar.base.typing import Array, Labels
from dagmar.dask.batches import Pace
from experiments.benchmarks.cases import load_case

from .costs import Costs, Layout
from .simulation import simulate


@dataclass(frozen=True)
class Measured:
    """A fit on a cluster, and the figures of the model for it.

    Attributes
    ----------
    seconds, client_seconds : float
        Wall time, and processor time of the client.
    worker_seconds : float
        Processor time of all workers.
    busy : float
        Seconds that workers spent in batches, summed up; more than their processor time on a machine that others use as well.
    batches : int
    moved : float
        Bytes that went to workers and from them: blocks and machines.
    model_moved, model_seconds : float
        What the simulation says, with the measured pace and share of support vectors.
    largest_share : float
        The share of the largest pair in all work, by the model.
    """

    seconds: float
    client_seconds: float
    worker_seconds: float
    busy: float
    batches: int
    moved: float
    model_moved: float
    model_seconds: float
    largest_share: float


class _Batches:
    """Counts batches and the seconds in them, while a fit runs."""

    def __init__(self) -> None:
        self.n, self.seconds = 0, 0.0

    def counting(self) -> Any:
        """Return a context in which finished batches are counted."""
        plain = Pace.measure

        def count(pace: Pace, work: float, seconds: float) -> None:
            self.n += 1
            self.seconds += seconds
            plain(pace, work, seconds)

        return patch.object(Pace, "measure", count)


def _outgoing(dask_worker: Any) -> int:
    return int(dask_worker.transfer_outgoing_bytes_total)


def measure(client: Client, X: Array, y: Labels, **parameters: Any) -> tuple[Measured, dagmar.SVC]:
    """Fit on a cluster and count.

    Parameters
    ----------
    client : Client
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    **parameters
        Of `dagmar.SVC`.

    Returns
    -------
    measured : Measured
    clf : SVC
    """
    before, batches = sum(client.run(_outgoing).values()), _Batches()
    there = sum(client.run(time.process_time).values())
    begun, begun_here = time.perf_counter(), time.process_time()
    with batches.counting():
        clf = dagmar.dask.SVC(client=client, **parameters).fit(X, y)
    seconds, here = time.perf_counter() - begun, time.process_time() - begun_here
    there = sum(client.run(time.process_time).values()) - there
    sizes = np.unique(y, return_counts=True)[1]
    layout = Layout.of(sizes, X.shape[1], X.dtype.itemsize)
    moved = sum(client.run(_outgoing).values()) - before + float(layout.block_bytes.sum())
    bank = clf.bank_
    together = float(sizes[bank.pairs].sum())
    n_workers = len(client.scheduler_info(n_workers=-1)["workers"])
    costs = Costs(
        pace=batches.seconds / layout.seconds(Costs(pace=1.0)), support_share=len(bank.coef) / together, bandwidth=1e9
    )
    outcome = simulate(layout, n_workers, costs)
    return Measured(
        seconds,
        here,
        there,
        batches.seconds,
        batches.n,
        moved,
        outcome.moved + outcome.returned,
        outcome.seconds,
        layout.largest_share(),
    ), clf


def clouds(n_classes: int, per_class: int, n_features: int = 20) -> tuple[Array, Labels]:
    """Return classes around random means, which overlap."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(n_classes), per_class)
    X = 3.0 * rng.normal(size=(n_classes, n_features))[y] + 2.0 * rng.normal(size=(len(y), n_features))
    return X, y


def main(name: str, n_workers: int) -> None:
    """Fit a data set on workers of one thread each, and print what was measured as JSON."""
    made = {"classes": (500, 100), "many": (2000, 50)}
    if name in made:
        (X, y), parameters = clouds(*made[name]), {}
    else:
        case = load_case(name)
        X, y, parameters = case.X_train, case.y_train, dict(case.parameters)
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
        measured, _ = measure(client, X, y, **parameters)
    print(json.dumps({"set": name, "workers": n_workers, **asdict(measured)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
