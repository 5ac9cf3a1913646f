"""Sparse rows: `dagmar.SVC` against its peers on text-like data in CSR form, on two threads and on one.

`make bench-sparse` runs it, and it writes ``results/sparse.json`` and ``sparse.md``. The data is made from a seed, as
`synthetic.text` describes. As a dense array its training rows would take 1.8 GiB; how far memory grows during fit and
predict, each measured in a process of its own, shows which libraries make them dense.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from ..tables import NONE, Table
from .cases import Case
from .command import Benchmark, Screen, positive
from .competitors import Dagmar, DagmarAlone, Intelex, Libsvm, LibsvmAlone, ScikitLearn
from .points import ONE_VS_ONE, SCIKIT_LEARN, Point, measure
from .report import SetBySet
from .results import Result
from .results import measure as measure_speed
from .speed_tables import tables as speed_tables
from .synthetic import TEXT_PARAMETERS, text

LINE_UP = (Dagmar, DagmarAlone, ScikitLearn, Intelex, Libsvm, LibsvmAlone)
LIMIT = 3600.0


def growth(kernel: str, rows: int, threads: int, say: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """How far memory grows in a fresh process, for us on either number of threads and for scikit-learn.

    Parameters
    ----------
    kernel : str
    rows, threads : int
    say : callable
        Told of progress.

    Returns
    -------
    dict of str to dict
        Outcomes of `points.measure`.
    """
    entries = {
        Dagmar.name: (ONE_VS_ONE, threads),
        DagmarAlone.name: (ONE_VS_ONE, 1),
        ScikitLearn.name: (SCIKIT_LEARN, 1),
    }
    outcomes = {}
    for name, (who, used) in entries.items():
        say(f"memory: {name}")
        outcomes[name] = measure(Point(f"text-{kernel}", who, rows=rows, threads=used), LIMIT)
    return outcomes


def tables(name: str, result: Result) -> list[Table]:
    """Memory, after what every benchmark shows.

    Parameters
    ----------
    name : str
    result : dict
        As `results.measure` returns it, with memory.

    Returns
    -------
    list of Table
    """
    case = result["case"]
    dense = case["train_rows"] * case["features"] * 8 / 2**20
    rows = [
        [who, *(f"{outcome[key]:.0f}" if outcome["status"] == "done" else NONE for key in ("fit_grew_mib", "grew_mib"))]
        for who, outcome in result["memory"].items()
    ]
    title = f"{name}: growth of memory, MiB (the training rows are {dense:.0f} if dense, {case['mib']:.0f} as they are)"
    return [*speed_tables(name, result), Table(title, ["", "until fitted", "until predicted"], rows)]


PAGE = SetBySet("sparse", "Sparse rows", tables)


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run everyone on each kernel, and measure memory."""

    def measured(case: Case) -> Result:
        result = measure_speed(case, options.threads, options.repeats, screen.say, LINE_UP)
        X = case.X_train
        result["case"]["mib"] = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
        result["memory"] = growth(case.kernel, options.rows, options.threads, screen.say)
        return result

    return PAGE.run((text(kernel, options.rows) for kernel in options.kernels), measured, options, screen)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which kernels, and how many rows."""
    parser.add_argument("--kernels", nargs="+", choices=TEXT_PARAMETERS, default=list(TEXT_PARAMETERS))
    parser.add_argument("--rows", type=positive, default=8000, help="training rows (default: 8000)")


BENCHMARK = Benchmark("sparse", "dagmar.SVC against its peers on sparse rows.", run, add_options)
