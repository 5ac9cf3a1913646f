"""MNIST with all its 60,000 rows: `dagmar.SVC` against scikit-learn-intelex, the fastest of its peers there.

`make bench-mnist` runs it, and it writes ``results/mnist.json`` and ``mnist.md``. The other peers take many times as long;
``python -m experiments bench peers --sets mnist`` runs them all.
"""

from __future__ import annotations

import argparse

from .cases import load_case
from .command import Benchmark, Screen
from .duel import measure, tables
from .goals import GOALS
from .report import Content, conditions, new_report, write
from .speed_tables import headline


def markdown(report: Content) -> str:
    """The whole report as text."""
    shown = (table.markdown() for table in tables(report, GOALS["mnist"]))
    return "\n\n".join(["# MNIST", conditions(report), f"## {headline('mnist', report['case'])}", *shown]) + "\n"


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Race the two, show and write the results."""
    report = {**new_report(options), **measure(load_case("mnist"), options.threads, options.repeats, screen.say)}
    screen.show(tables(report, GOALS["mnist"]))
    write(report, markdown(report), options.out, "mnist")
    return int(not all(check["passed"] for check in report["checks"]))


BENCHMARK = Benchmark("mnist", "dagmar.SVC against scikit-learn-intelex on MNIST.", run)
