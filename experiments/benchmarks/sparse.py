"""Sparse rows: `dagmar.SVC` against its peers on text-like data in CSR form, on two threads and on one.

Run as ``python -m experiments.benchmarks.sparse``, or ``make bench-sparse``; writes ``results/sparse.json`` and ``sparse.md``. The data
is made from a seed: `synthetic.text` says how. Dense, its training rows would take 1.8 GiB; how far memory grows during
fit and predict, each measured in a process of its own, tells who makes them so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..tables import NONE, Table
from .competitors import Dagmar, DagmarAlone, Intelex, Libsvm, LibsvmAlone, ScikitLearn
from .environment import describe_environment
from .points import ONE_VS_ONE, SCIKIT_LEARN, Point, measure
from .report import conditions, parser, positive, write
from .results import disagreements
from .results import measure as measure_speed
from .synthetic import TEXT_PARAMETERS, text
from .tables import headline
from .tables import tables as speed_tables

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


def tables(name: str, result: dict[str, Any]) -> list[Table]:
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


def markdown(report: dict[str, Any]) -> str:
    """The whole report as Markdown."""
    parts = ["# Sparse rows", conditions(report)]
    for name, result in report["sets"].items():
        parts += [f"## {headline(name, result['case'])}", *(table.markdown() for table in tables(name, result))]
    return "\n\n".join([*parts, *(f"Disagreement: {line}." for line in disagreements(report))]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark, show and write the results.

    Parameters
    ----------
    arguments : list of str, optional
        The command line, without the program's name.

    Returns
    -------
    int
        0 if every answer agreed, else 1.
    """
    from rich.console import Console

    options = parser("experiments.benchmarks.sparse", "dagmar.SVC against its peers on sparse rows.")
    options.add_argument("--kernels", nargs="+", choices=TEXT_PARAMETERS, default=list(TEXT_PARAMETERS))
    options.add_argument("--rows", type=positive, default=8000, help="training rows (default: 8000)")
    chosen = options.parse_args(arguments)
    console = Console()

    def say(line: str) -> None:
        console.print(line, style="dim")

    report: dict[str, Any] = {
        "environment": describe_environment(),
        "threads": chosen.threads,
        "repeats": chosen.repeats,
        "sets": {},
    }
    for kernel in chosen.kernels:
        case = text(kernel, chosen.rows)
        console.print(headline(case.name, case.describe()), style="bold")
        result = measure_speed(case, chosen.threads, chosen.repeats, say, LINE_UP)
        X = case.X_train
        result["case"]["mib"] = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
        result["memory"] = growth(kernel, chosen.rows, chosen.threads, say)
        report["sets"][case.name] = result
        console.print(*(table.rich() for table in tables(case.name, result)), sep="\n")
        write(report, markdown(report), chosen.out, "sparse")
    failures = disagreements(report)
    for line in failures:
        console.print(f"Disagreement: {line}", style="red")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
