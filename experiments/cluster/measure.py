"""Fits on a cluster of this machine, beside what the model says of them: bytes that move, seconds, and the longest pair.

``python -m experiments.cluster.measure`` measures all sets of `SETS` on one and on two workers, simulates the large fit, writes
``results/cluster.json``, prints both tables and puts them into ``docs/distributed.md``. With names of sets, only these are
measured anew. ``--print`` prints the tables of what is stored. ``python -m experiments.cluster.pictures`` draws it.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from distributed import Client, LocalCluster

import dagmar
import dagmar.dask
from dagmar.base.typing import Array, Labels
from dagmar.dask.batches import Pace
from experiments.benchmarks.cases import load_case, load_covertype

from ..records import read_json, write_json
from .costs import Costs, Layout
from .probe import probe
from .simulation import simulate, ten_million

RECORD = Path(__file__).parent / "results" / "cluster.json"
PAGE = Path(__file__).parents[2] / "docs" / "distributed.md"
COVERTYPE_ROWS = 20_000
WORKERS = (10, 100, 1000)
# Bytes per second of a disk that a cluster shares.
SHARED_DISK = 1e9
# Sets with their titles, and how often they are measured: the fit of least time counts.
SETS = {
    "letter": ("Letter", 5),
    "covertype": (f"Covertype, {COVERTYPE_ROWS:,} rows", 5),
    "classes": ("500 classes of 100 rows", 2),
    "mnist": ("MNIST", 1),
    "many": ("2,000 classes of 50 rows", 1),
}


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
        What the simulation says, with the costs of the probe. It knows nothing of the fit that is measured.
    largest_share : float
        The share of the longest pair in the seconds of all pairs, by the probe.
    largest_by_rows : float
        The share that it would have if all pairs had the same pace.
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
    largest_by_rows: float


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
    """Probe, simulate, fit on a cluster and count.

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
    layout = Layout.of(np.unique(y, return_counts=True)[1], X.shape[1], X.dtype.itemsize)
    costs = probe(client, X, y, **parameters)
    outcome = simulate(layout, len(client.nthreads()), costs)
    before, batches = sum(client.run(_outgoing).values()), _Batches()
    there = sum(client.run(time.process_time).values())
    begun, begun_here = time.perf_counter(), time.process_time()
    with batches.counting():
        clf = dagmar.dask.SVC(client=client, **parameters).fit(X, y)
    seconds, here = time.perf_counter() - begun, time.process_time() - begun_here
    there = sum(client.run(time.process_time).values()) - there
    moved = sum(client.run(_outgoing).values()) - before + float(layout.block_bytes.sum())
    alike = Costs(pace=1.0)
    return Measured(
        seconds=seconds,
        client_seconds=here,
        worker_seconds=there,
        busy=batches.seconds,
        batches=batches.n,
        moved=moved,
        model_moved=outcome.moved + outcome.returned,
        model_seconds=outcome.seconds,
        largest_share=layout.largest_seconds(costs) / layout.seconds(costs),
        largest_by_rows=layout.largest_seconds(alike) / layout.seconds(alike),
    ), clf


def clouds(n_classes: int, per_class: int, n_features: int = 20) -> tuple[Array, Labels]:
    """Return classes around random means, which overlap."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(n_classes), per_class)
    X = 3.0 * rng.normal(size=(n_classes, n_features))[y] + 2.0 * rng.normal(size=(len(y), n_features))
    return X, y


def load(name: str) -> tuple[Array, Labels, dict[str, Any]]:
    """Return samples, labels and parameters of one of `SETS`."""
    made = {"classes": (500, 100), "many": (2000, 50)}
    if name in made:
        return (*clouds(*made[name]), {})
    case = load_covertype(COVERTYPE_ROWS) if name == "covertype" else load_case(name)
    return case.X_train, case.y_train, dict(case.parameters)


def measure_set(name: str, times: int) -> dict[str, Any]:
    """Return the fits of a set on one and on two workers, and a local fit with two threads; of each, the fastest."""
    X, y, parameters = load(name)
    found: dict[str, Any] = {"rows": len(y), "features": X.shape[1], "classes": len(np.unique(y))}
    for n_workers in (1, 2):
        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
        with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
            fits = [measure(client, X, y, **parameters)[0] for _ in range(times)]
        # The least of both: whatever else the machine does, it slows down fits and probes.
        fastest = min(fits, key=lambda fit: fit.seconds)
        found[f"workers {n_workers}"] = asdict(replace(fastest, model_seconds=min(fit.model_seconds for fit in fits)))
    spans = []
    for _ in range(times):
        begun = time.perf_counter()
        dagmar.SVC(**parameters, n_jobs=2).fit(X, y)
        spans.append(time.perf_counter() - begun)
    return {**found, "local_seconds": min(spans)}


def measured_table(record: dict[str, Any]) -> str:
    """Return the fits as a table in Markdown."""
    lines = [
        "| set | workers | seconds | by the model | local, 2 threads | processor time of workers | of client and scheduler "
        "| batches | bytes moved | by the model | longest pair | by its rows |",
        "|" + "---|" * 12,
    ]
    for name, found in record["sets"].items():
        about = f"{SETS[name][0]}: {found['rows']:,} × {found['features']}, {found['classes']:,} classes"
        for n_workers in (1, 2):
            fit, first = found[f"workers {n_workers}"], n_workers == 1
            cells = [
                about if first else "",
                str(n_workers),
                f"{fit['seconds']:.2f}",
                f"{fit['model_seconds']:.2f}",
                f"{found['local_seconds']:.2f}" if first else "",
                f"{fit['worker_seconds']:.2f} s",
                f"{fit['client_seconds']:.2f} s",
                str(fit["batches"]),
                f"{fit['moved'] / 1e6:.1f} MB",
                f"{fit['model_moved'] / 1e6:.1f} MB",
                f"{100 * fit['largest_share']:.1f} %",
                f"{100 * fit['largest_by_rows']:.1f} %",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def scale_table(record: dict[str, Any]) -> str:
    """Return the simulation as a table in Markdown."""
    lines = [
        "| workers | machines go to | time | workers busy | batches | blocks moved | machines | client busy | scheduler busy "
        "| disk busy |",
        "|" + "---|" * 10,
    ]
    for one in record["scale"]:
        cells = [
            str(one["n_workers"]),
            "shards on a disk" if one["sharded"] else "the client",
            f"{one['seconds'] / 3600:.2g} h",
            f"{100 * one['busy']:.0f} %",
            f"{one['batches']:,}",
            f"{one['moved'] / 1e9:,.0f} GB",
            f"{one['returned'] / 1e9:,.0f} GB",
            f"{100 * one['client_share']:.0f} %",
            f"{100 * one['scheduler_share']:.1f} %",
            f"{100 * one['disk_share']:.0f} %" if one["sharded"] else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def with_tables(page: str, record: dict[str, Any]) -> str:
    """Return a page with the tables of a record, each between a comment with its name and the comment "end"."""
    for name, table in (("measured", measured_table(record)), ("scale", scale_table(record))):
        page = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", rf"\g<1>\n{table}\n\n\g<2>", page, flags=re.DOTALL)
    return page


def main(arguments: list[str]) -> None:
    """Measure, simulate, write and print."""
    parser = argparse.ArgumentParser(prog="python -m experiments.cluster.measure", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}, or scale; default: all")
    parser.add_argument("--print", action="store_true", help="only print what is stored")
    options = parser.parse_args(arguments)
    record: dict[str, Any] = read_json(RECORD) if RECORD.exists() else {"sets": {}, "scale": []}
    for name in [] if options.print else options.sets or [*SETS, "scale"]:
        if name == "scale":
            ways = (None, SHARED_DISK)
            record["scale"] = [
                {"sharded": disk is not None, **asdict(simulate(ten_million(), n_workers, Costs(disk_bandwidth=disk)))}
                for disk in ways
                for n_workers in WORKERS
            ]
        else:
            record["sets"][name] = measure_set(name, SETS[name][1])
        record["sets"] = {one: record["sets"][one] for one in SETS if one in record["sets"]}
        write_json(record, RECORD)
    if not options.print:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), record), encoding="utf-8")
    print(measured_table(record), scale_table(record), sep="\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
