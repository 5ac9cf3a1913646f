"""Covertype, whose classes overlap in pairs of many rows: `dagmar.SVC` against scikit-learn-intelex.

`make bench-covertype` runs it, and it writes ``results/covertype.json`` and ``covertype.md``. Every number of rows is run with
a cache that holds much (the same for both), and with the default of both libraries. scikit-learn and LIBSVM would take hours.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, replace

from ..tables import Table
from . import duel
from .agreement import Check
from .cases import CACHE_MB, Case, load_covertype
from .command import Benchmark, Screen, positive
from .goals import COVERTYPE_GOALS, DEFAULTS, EQUAL_CACHE
from .points import ONE_VS_ONE, Point
from .points import measure as measure_alone
from .report import SetBySet
from .results import Result

ROWS = (25_000, 50_000, 100_000)
CACHES = {EQUAL_CACHE: 2000, DEFAULTS: CACHE_MB}  # MB; the default of both libraries is the same
ALL_ROWS = 464_809  # 80 % of the set
MOST_MIB = 2048.0  # beside the data, for all rows
LIMIT = 6 * 3600.0


def alone(case: Case, threads: int) -> Result:
    """Seconds and memory of a fit in a process of its own.

    Parameters
    ----------
    case : Case
        All rows.
    threads : int

    Returns
    -------
    dict
        With case, outcome and checks.
    """
    outcome = measure_alone(Point("covertype", ONE_VS_ONE, rows=len(case.y_train), threads=threads), LIMIT)
    grew = outcome.get("grew_mib", float("inf"))
    check = Check("MiB that memory grew by", grew, MOST_MIB, grew <= MOST_MIB)
    return {"case": case.describe(), "outcome": outcome, "checks": [asdict(check)]}


def tables(name: str, result: Result) -> list[Table]:
    """A race, or the fit of all rows.

    Parameters
    ----------
    name : str
    result : dict
        As `duel.measure` or `alone` returns it.

    Returns
    -------
    list of Table
    """
    if "outcome" not in result:
        goal = COVERTYPE_GOALS[name.partition(", ")[2]]
        return duel.tables(result, dict.fromkeys(("fit", "ddag", "max_wins"), goal))
    outcome = result["outcome"]
    if outcome["status"] != "done":
        return [Table("dagmar alone", ["", ""], [[outcome["status"], str(outcome.get("why", outcome.get("limit")))]])]
    rows = [
        ["fit, s", f"{outcome['fit'][0]:.4g}"],
        ["first predict, s", f"{outcome['first_predict'][0]:.3g}"],
        ["next predict, s", f"{outcome['next_predict'][0]:.3g}"],
        ["accuracy, %", f"{outcome['accuracy']:.2f}"],
        ["support vectors", str(outcome["support_vectors"])],
        ["growth of memory until fitted, MiB", f"{outcome['fit_grew_mib']:.0f}"],
        ["growth of memory until predicted, MiB", f"{outcome['grew_mib']:.0f}"],
        ["goal, MiB", f"{MOST_MIB:.0f}"],
    ]
    return [Table("dagmar alone", ["", ""], rows)]


PAGE = SetBySet("covertype", "Covertype", tables)


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Race the two at every number of rows with every cache; then all rows, if asked for."""

    def cases() -> Iterator[Case]:
        for rows in options.rows:
            case = load_covertype(rows)
            for words, cache_mb in CACHES.items():
                yield replace(case, name=f"{rows} rows, {words}", cache_mb=cache_mb)
        if options.all:
            yield replace(load_covertype(ALL_ROWS), name="80 % of all rows")

    def measured(case: Case) -> Result:
        if len(case.y_train) == ALL_ROWS:
            return alone(case, options.threads)
        return duel.measure(case, options.threads, options.repeats, screen.say, objectives=False)

    return PAGE.run(cases(), measured, options, screen)


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many rows."""
    parser.add_argument(
        "--rows", nargs="*", type=positive, default=ROWS, help="to train on (default: 25000 50000 100000)"
    )
    parser.add_argument("--all", action="store_true", help=f"also {ALL_ROWS} rows, dagmar alone: seconds and memory")


BENCHMARK = Benchmark("covertype", "dagmar.SVC against scikit-learn-intelex on Covertype.", run, add_options)
