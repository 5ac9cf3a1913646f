"""MNIST with all its 60,000 rows: `dagmar.SVC` against scikit-learn-intelex, the fastest of its peers there.

`make bench-mnist` runs it, and it writes ``results/mnist.json`` and ``mnist.md``. The other peers take many times as long;
``python -m experiments bench peers --sets mnist`` runs them all.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from ..tables import Table
from .agreement import Check, compare_objectives, percent_equal
from .cases import Case, load_case
from .command import Benchmark, Screen
from .competitors import MAX_WINS, Dagmar, Intelex
from .goals import times_best_peer
from .race import Laps, line_up, race
from .report import Content, conditions, new_report, write
from .speed_tables import headline, median_and_min

FIT_GOAL = 5.0


def tables(result: dict[str, Any]) -> list[Table]:
    """Seconds, ratios and agreement.

    Parameters
    ----------
    result : dict
        As `summary` returns it.

    Returns
    -------
    list of Table
    """
    seconds = result["seconds"]
    times = [
        [who, *(median_and_min(seconds[what][who]) for what in seconds), f"{result['accuracy'][who]:.2f}"]
        for who in result["accuracy"]
    ]
    agreement = [
        [
            check["what"],
            f"{check['value']:.4g}",
            f"{check['limit']:.4g}",
            "holds" if check["passed"] else "does not hold",
        ]
        for check in result["checks"]
    ]
    met = "met" if result["fit_ratio"] >= FIT_GOAL else "not met"
    return [
        Table("Seconds: median (least)", ["", "fit", "first predict", "next predict", "accuracy %"], times),
        Table(
            "Times scikit-learn-intelex",
            ["what", "ratio", "goal", ""],
            [["fit", f"{result['fit_ratio']:.1f}", f"{FIT_GOAL:.0f}", met]]
            + [[f"predict, {who}", f"{ratio:.1f}", "–", ""] for who, ratio in result["predict_ratios"].items()],
        ),
        Table("Agreement of max_wins with scikit-learn-intelex", ["", "value", "limit", ""], agreement),
    ]


def summary(laps: Laps, case: Case) -> dict[str, Any]:
    """What is known after the race, as plain data."""
    accuracy = {name: percent_equal(labels, case.y_test) for name, labels in laps.labels.items()}
    objectives = compare_objectives(laps.models[Dagmar.name], laps.models[Intelex.name], case)
    apart = {
        "points of accuracy": (abs(accuracy[MAX_WINS] - accuracy[Intelex.name]), 0.1),
        "relative distance of objectives": (abs(objectives["objective_apart"]), 1e-4),
    }
    # A race has one entry for our fit, and one per structure for its predictions.
    fit = {name: laps.fit[name if name in laps.fit else Dagmar.name] for name in laps.first}
    return {
        "case": case.describe(),
        "seconds": {"fit": fit, "first_predict": dict(laps.first), "later_predict": dict(laps.later)},
        "accuracy": accuracy,
        "labels_as_intelex": {
            name: percent_equal(labels, laps.labels[Intelex.name]) for name, labels in laps.labels.items()
        },
        "counts": laps.counts,
        "objectives": objectives,
        "fit_ratio": times_best_peer(laps.fit, Dagmar.name)[0],
        "predict_ratios": {name: times_best_peer(laps.first, name)[0] for name in laps.first if name != Intelex.name},
        "checks": [asdict(Check(what, value, limit, value <= limit)) for what, (value, limit) in apart.items()],
    }


def markdown(report: Content) -> str:
    """The whole report as text."""
    shown = (table.markdown() for table in tables(report))
    return "\n\n".join(["# MNIST", conditions(report), f"## {headline('mnist', report['case'])}", *shown]) + "\n"


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Race the two, show and write the results."""
    case = load_case("mnist")
    laps = race(line_up(case, options.threads, screen.say, (Dagmar, Intelex)), options.repeats, screen.say)
    report = {**new_report(options), **summary(laps, case)}
    screen.show(tables(report))
    write(report, markdown(report), options.out, "mnist")
    return int(not all(check["passed"] for check in report["checks"]))


BENCHMARK = Benchmark("mnist", "dagmar.SVC against scikit-learn-intelex on MNIST.", run)
