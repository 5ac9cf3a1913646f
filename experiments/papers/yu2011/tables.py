"""The tables of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from dagmar.base.typing import Array

from ...statistics import SAME
from ...tables import NONE, Table
from ..report import Sourced, number
from .claims import cost_ratios, time_ratio
from .published import ORDERS, TABLE
from .summary import Results, Runs, signed

OTHERS = {
    "adaptive": "distance at every pair's own gamma: the paper's",
    "one_gamma": "distance at one gamma for all pairs",
    "fisher": "Fisher ratio of the features",
    "margin": "width of the machine's margin",
    "validated": "accuracy of the pair in cross-validation",
    "list": "a fixed list, the farthest classes at its ends",
    "least": "the paper's, the least separable first",
    "chance": "separation drawn at random",
}
WAYS = {
    "protocol": "gamma of every pair by distance, C by validation, largest C among equals: the protocol",
    "smallest_C": "smallest C among equals",
    "folds_in_order": "folds in the order of the file",
    "folds_of_speakers": "a fold for each training speaker",
    "gamma_of_powers": "gamma of every pair by distance among powers of 2",
    "one_gamma": "one gamma for all by mean distance",
    "largest_C": "C of all pairs the largest of the grid",
    "C_1": "C of all pairs 1",
    "all_by_cv": "C and gamma of every pair by validation",
    "all_by_cv_of_speakers": "C and gamma of every pair by validation, a fold for each training speaker",
    "shared_by_cv": "one C and gamma for all by validation of the DDAG",
}


def about(values: Array) -> str:
    """Mean and standard deviation."""
    return f"{values.mean():.2f} ± {values.std():.2f}"


def table2(results: Results) -> Sourced:
    """Published and measured accuracies."""
    rows = []
    for runs in results.table2.values():
        row = runs.row
        rows.append(
            [f"{row.label}, published", *(number(v) for v in (row.best, row.worst, row.mean, row.adaptive)), NONE]
        )
        measured = (runs.best, runs.worst, runs.mean, runs.adaptive, runs.of("max_wins"))
        rows.append([f"{row.label}, measured", *map(about, measured)])
    head = ["", f"DDAG, best of {ORDERS} orders", "worst", "mean", "adaptive order", "Max Wins"]
    n = len(results.table2["iris"])
    title = f"Accuracy in percent: one split as published; mean and standard deviation of {n} splits"
    return Sourced(Table(title, head, rows), "steps `table2/...`")


def against_orders(results: Results) -> Sourced:
    """How often the adaptive order wins."""
    named = {TABLE[data].label: runs for data, runs in results.table2.items()}
    drawn = [name for name in results.drawn if name not in named]
    named |= {name: results.drawn[name] for name in drawn}
    rows = []
    for name, runs in named.items():
        test, n = runs.test(), len(runs)
        at_random = name in results.drawn and runs.orders_matter
        rows.append(
            [
                name,
                f"{runs.at_least_best} of {n}",
                f"{100 * runs.control:.0f} %",
                f"{int((runs.lead > 0).sum())}",
                f"{test.up} / {test.down}",
                signed(float(runs.gain.mean())),
                f"{test.sign_p:.2g}" if at_random else NONE,
                f"{test.p:.2g}" if at_random else NONE,
            ]
        )
    head = [
        "",
        "adaptive ≥ best",
        "one more random order ≥ best",
        "adaptive > best",
        "above / below the mean",
        "adaptive less mean, points",
        "p, sign test",
        "p, corrected",
    ]
    return Sourced(
        Table(f"The adaptive order against {ORDERS} random ones, in numbers of splits", head, rows),
        "steps `table2/...` and `checks/speakers`",
    )


def champions(results: Results) -> Sourced:
    """What is left for an order to decide."""
    named = {TABLE[data].label: runs for data, runs in results.table2.items()}
    named["Vowel, speakers drawn"] = results.speakers
    rows = []
    for name, runs in named.items():
        certain = runs.of("champions_right")
        open_to = 100 - runs.of("champions")
        published = f"{runs.row.spread}" if name in {row.label for row in TABLE.values()} else NONE
        rows.append(
            [
                name,
                f"{100 - open_to.mean():.2f} %",
                f"{certain.mean():.2f}",
                f"{(certain + open_to).mean():.2f}",
                f"{runs.of('reached').mean():.2f}",
                f"{runs.spread.mean():.1f} ({runs.spread.min()} to {runs.spread.max()})",
                published,
            ]
        )
    head = [
        "",
        "samples with a class that wins all its pairs",
        "accuracy, no order below",
        "no order above",
        "right in any of the random orders",
        f"best less worst of {ORDERS}, samples",
        "published",
    ]
    return Sourced(
        Table("What an order can change, mean over splits", head, rows), "steps `table2/...` and `checks/speakers`"
    )


def other_orders(results: Results) -> Sourced:
    """Other senses of adaptive."""
    named = {"Vowel": results.table2["vowel"], **{k: r for k, r in results.drawn.items() if r.orders_matter}}
    rows = []
    for name, words in OTHERS.items():
        cells = []
        for runs in named.values():
            accuracy = runs.adaptive if name == "adaptive" else runs.other(name)
            as_good = np.mean(accuracy >= runs.best - SAME)
            cells.append(f"{signed(float((accuracy - runs.mean).mean()))} ({100 * as_good:.0f} %)")
        rows.append([words, *cells])
    title = (
        "Orders by other measures of separation: points above the mean of random orders (splits in which ≥ the best)"
    )
    return Sourced(Table(title, ["separation", *named], rows), "steps `table2/...` and `checks/speakers`")


def noise(results: Results, sets: Iterable[str], shares: Iterable[float]) -> Sourced:
    """The comparison with wrong labels in training."""
    rows = []
    for data in sets:
        for share in shares:
            runs = results.noise(data, share)
            rows.append(
                [
                    f"{runs.row.label}, {100 * share:.0f} % wrong",
                    f"{runs.of('champions').mean():.1f} %",
                    *(f"{v.mean():.2f}" for v in (runs.best, runs.mean, runs.adaptive)),
                    f"{runs.at_least_best} of {len(runs)}",
                    f"{100 * runs.control:.0f} %",
                ]
            )
    head = [
        "",
        "samples with a class that wins all its pairs",
        f"best of {ORDERS} orders",
        "mean",
        "adaptive",
        "adaptive ≥ best",
        "one more random order ≥ best",
    ]
    return Sourced(Table("With wrong labels in training: accuracy in percent", head, rows), "steps `noise/...`")


def tuning(results: Results) -> Sourced:
    """Accuracy by the way C and gamma were found."""
    rows = [
        ["published", *(number(row.adaptive) for row in TABLE.values())],
        *([words, *(_way(results.tuning[data], way) for data in TABLE)] for way, words in WAYS.items()),
    ]
    n = len(results.tuning["iris"]["protocol"])
    title = f"Accuracy of the adaptive order in percent, by how C and gamma are found; mean of {_splits(n)}"
    head = ["", *(row.label for row in TABLE.values())]
    return Sourced(Table(title, head, rows), "steps `tuning/...`")


def _way(ways: Mapping[str, Runs], way: str) -> str:
    return number(float(ways[way].adaptive.mean()) if way in ways else None)


def _splits(n: int) -> str:
    return "one split" if n == 1 else f"{n} splits"


def tuning_gains(results: Results) -> Sourced:
    """Adaptive order less mean of random orders, by the way C and gamma were found."""
    rows = [
        [words, *(signed(float(ways[way].gain.mean())) if way in ways else NONE for ways in results.tuning.values())]
        for way, words in WAYS.items()
    ]
    n = len(results.tuning["iris"]["protocol"])
    title = f"Adaptive order less mean of {ORDERS} random orders, in points, by how C and gamma are found; {_splits(n)}"
    return Sourced(Table(title, ["", *(row.label for row in TABLE.values())], rows), "steps `tuning/...`")


def tuning_cost(results: Results) -> Sourced:
    """What finding C and gamma costs."""
    rows = []
    for way in ("protocol", "all_by_cv", "shared_by_cv"):
        trainings = results.tuning["vowel"][way].splits[0]["trainings"]
        ratios = [f"{time_ratio(results.tuning[data], way):.1f}" for data in TABLE]
        rows.append([WAYS[way], f"{trainings}", *ratios])
    head = ["", "trainings per pair", *(row.label for row in TABLE.values())]
    title = "Time to find C and gamma and to fit, relative to the protocol"
    return Sourced(Table(title, head, rows), "steps `tuning/...`")


def cost(results: Results) -> Sourced:
    """What deciding costs, relative to the adaptive order."""
    rows = []
    for data, row in TABLE.items():
        pairs, rest = (cost_ratios(results, data, other) for other in ("all_pairs", "rest"))
        consulted = results.found[f"cost/{data}"]["adaptive"]["machines_consulted"]
        cells = [f"{v:.1f}" for ratios in (pairs, rest) for v in ratios]
        rows.append([row.label, f"{consulted:.0f}", *cells])
    head = [
        "",
        "machines, adaptive",
        "1-v-1: machines",
        "kernel values",
        "time",
        "1-v-a: machines",
        "kernel values",
        "time",
    ]
    return Sourced(Table("Deciding, relative to the adaptive order", head, rows), "steps `cost/...`")
