"""The tables of our own findings and of other readings."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...statistics import SAME
from ...tables import NONE, Table
from ..report import Sourced
from .claims import labelled
from .published import ORDERS, TABLE
from .summary import SPEAKERS, Results, Runs, signed

READ = {
    "one_gamma": "distance at one gamma for all pairs",
    "equation_6": "Equation 6 as printed",
    "equation_9": "the last line of Equation 9 as printed",
    "list": "a fixed list, the farthest classes at its ends",
}
OTHERS = {
    "fisher": "Fisher ratio of the features",
    "margin": "width of the machine's margin",
    "validated": "accuracy of the pair in cross-validation",
    "least": "distance, the least separable first",
    "chance": "separation drawn at random",
}
WAYS = {
    "protocol": "gamma of every pair by distance, C by validation, largest C among equals: the protocol",
    "smallest_C": "smallest C among equals",
    "folds_in_order": "folds in the order of the file",
    "folds_of_speakers": "a fold for each training speaker",
    "gamma_of_powers": "gamma of every pair by distance among powers of 2",
    "gamma_of_equation_6": "the same by Equation 6 as printed",
    "gamma_of_equation_9": "the same by the last line of Equation 9 as printed",
    "one_gamma": "one gamma for all by mean distance",
    "largest_C": "C of all pairs the largest of the grid",
    "C_1": "C of all pairs 1",
}
VALIDATED = {
    "gamma_of_fisher": "gamma of every pair by Fisher's criterion in kernel space among powers of 2",
    "all_by_cv": "C and gamma of every pair by validation",
    "all_by_cv_of_speakers": "C and gamma of every pair by validation, a fold for each training speaker",
    "shared_by_cv": "one C and gamma for all by validation of the DDAG",
}


def champions(results: Results) -> Sourced:
    """What is left for an order to decide."""
    rows = []
    for name, runs in {**labelled(results.table2), SPEAKERS: results.speakers}.items():
        certain = runs.of("champions_right")
        open_to = 100 - runs.of("champions")
        accuracies = [certain, certain + open_to, runs.of("reached"), runs.of("max_wins")]
        rows.append([name, f"{100 - open_to.mean():.2f}", *(f"{of.mean():.2f}" for of in accuracies)])
    head = ["set", "samples with a class that wins all its pairs", "accuracy, no order below", "no order above"]
    head += ["right in any of the random orders", "Max Wins"]
    title = "Yu et al.: what an order can change, in percent of the test samples, mean over splits"
    return Sourced(Table(title, head, rows), "steps `table2/...` and `checks/speakers`")


def orders(results: Results, title: str, senses: dict[str, str]) -> Sourced:
    """Orders that are adaptive in other senses."""
    named = {"Vowel": results.table2["vowel"], **{k: r for k, r in results.drawn.items() if r.orders_matter}}
    rows = []
    for name, words in senses.items():
        cells = []
        for runs in named.values():
            as_good = np.mean(runs.other(name) >= runs.best - SAME)
            cells.append(f"{signed(float((runs.other(name) - runs.adaptive).mean()))} ({100 * as_good:.0f} %)")
        rows.append([words, *cells])
    title += (
        f": points above the protocol's order, and in brackets how often it is at least as good as the best of {ORDERS}"
    )
    return Sourced(Table(title, ["separation", *named], rows), "steps `table2/...` and `checks/speakers`")


def noise(results: Results, sets: Iterable[str], shares: Iterable[float]) -> Sourced:
    """The comparison with wrong labels in training."""
    rows = []
    for data in sets:
        for share in shares:
            runs = results.noise(data, share)
            test = runs.test(runs.gain)
            rows.append(
                [
                    f"{runs.row.label}, {100 * share:.0f} % wrong",
                    f"{runs.of('champions').mean():.1f}",
                    *(f"{v.mean():.2f}" for v in (runs.best, runs.mean, runs.adaptive)),
                    f"{signed(test.mean)}",
                    f"{test.low:.2f} to {test.high:.2f}" if runs.drawn else NONE,
                    f"{runs.at_least_best} of {len(runs)}",
                ]
            )
    head = ["", "samples with a class that wins all its pairs, %", f"best of {ORDERS} orders", "mean", "adaptive"]
    head += ["adaptive less mean", "95 % interval", "adaptive ≥ best"]
    title = "Yu et al., with wrong labels in training: accuracy in percent"
    return Sourced(Table(title, head, rows), "steps `noise/...`")


def from_published(results: Results) -> Sourced:
    """How far the adaptive order is from the published accuracy, by the way C and gamma were found."""
    rows = [[words, *(_far(results, data, way) for data in TABLE)] for way, words in WAYS.items()]
    n = len(results.tuning["iris"]["protocol"])
    title = f"Yu et al.: adaptive order less published, in points, by how C and gamma are found; mean of {_splits(n)}"
    return Sourced(Table(title, ["", *(row.label for row in TABLE.values())], rows), "steps `tuning/...`")


def _far(results: Results, data: str, way: str) -> str:
    ways = results.tuning[data]
    return signed(float(ways[way].adaptive.mean()) - TABLE[data].adaptive) if way in ways else NONE


def _splits(n: int) -> str:
    return "one split" if n == 1 else f"{n} splits"


def tuning_gains(results: Results) -> Sourced:
    """Adaptive order less mean of random orders, by the way C and gamma were found."""
    rows = [
        [words, *(signed(float(ways[way].gain.mean())) if way in ways else NONE for ways in results.tuning.values())]
        for way, words in WAYS.items()
    ]
    n = len(results.tuning["iris"]["protocol"])
    title = (
        f"Yu et al.: adaptive order less mean of {ORDERS} orders, in points, by how C and gamma are found; {_splits(n)}"
    )
    return Sourced(Table(title, ["", *(row.label for row in TABLE.values())], rows), "steps `tuning/...`")


def validated(results: Results) -> Sourced:
    """Accuracy of gamma by distance and of gamma by validation."""
    rows = []
    for way, words in {"protocol": "gamma by distance: the protocol", **VALIDATED}.items():
        rows.append(
            [words, *(_against_protocol(ways, way) if way in ways else NONE for ways in results.tuning.values())]
        )
    n = len(results.tuning["iris"]["protocol"])
    title = (
        f"Yu et al.: accuracy of the adaptive order in percent; below the first row less that row; mean of {_splits(n)}"
    )
    return Sourced(Table(title, ["", *(row.label for row in TABLE.values())], rows), "steps `tuning/...`")


def _against_protocol(ways: dict[str, Runs], way: str) -> str:
    protocol = ways["protocol"].adaptive
    if way == "protocol":
        return f"{protocol.mean():.2f}"
    return signed(float((ways[way].adaptive - protocol).mean()))


def readings_of_splits(results: Results) -> Sourced:
    """Splits that do not keep the classes in proportion, and Vowel by drawn speakers."""
    rows = []
    named = {
        TABLE[data].label: (runs, results.random[data]) for data, runs in results.table2.items() if data != "vowel"
    }
    named["Vowel"] = (results.table2["vowel"], results.speakers)
    for name, (_, other) in named.items():
        low, high = other.interval("adaptive")
        test = other.test(other.gain)
        rows.append(
            [
                f"{name}, {'speakers drawn' if name == 'Vowel' else 'classes as they come'}",
                str(len(other)),
                f"{other.adaptive.mean():.2f}",
                f"{low:.2f} to {high:.2f}",
                signed(other.adaptive.mean() - other.row.adaptive),
                signed(test.mean),
                f"{test.low:.2f} to {test.high:.2f}",
                f"{other.at_least_best} of {len(other)}",
            ]
        )
    head = ["", "splits", "adaptive order, %", "95 % interval", "less published", "adaptive less mean of orders"]
    head += ["95 % interval", "adaptive ≥ best"]
    return Sourced(Table("Yu et al.: other splits", head, rows), "steps `checks/random/...` and `checks/speakers`")
