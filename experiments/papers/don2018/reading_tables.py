"""Other readings: other rows, features and scalings, another order of measures, and which fit the published counts best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ...statistics import PairedTest, corrected_t_test
from ...tables import Table
from ..report import Sourced
from .published import ACCURACY, METHODS, STEPS, THETAS, VECTORS
from .results import DIVIDED, OTHER, PRINTED, Results, method_key, plus_minus
from .study import CHOSEN, READINGS
from .tables import AS_PRINTED, MARK, steps_of

# The sets whose rows are those of the paper, or may be; the size of covertype was chosen by its vectors.
WHOLE = [name for name in ACCURACY if name not in ("artificial", "sensorless", "covertype")]
COLUMNS = ("BI", "OvsO", "accuracy", "steps", "vectors")


def readings_table(results: Results) -> Sourced:
    """Other rows, features and scalings, and how far from the published figures they lead."""
    rows = []
    for name in READINGS:
        rows.append([f"{name}: {CHOSEN[name]} (in our tables)", *_chosen(results, name)])
        at_other = results.readings(name, OTHER)
        for label, of in results.readings(name).items():
            tests = {key: corrected_t_test(of[key], of["trained"], of["tested"]) for key in COLUMNS}
            vectors = float(np.mean(at_other[label]["vectors"]))
            rows.append([f"{name}: {label}", str(of["rows"]), *_apart(name, tests, vectors)])
    what = ("BI, points", "OvsO, points", "DCSVM, points", "steps, ratio", "vectors, ratio")
    head = ["reading", "rows", *what, f"vectors, ratio, {OTHER} % trained"]
    title = f"Other rows, features and scalings: measured less published, or over published, θ=0.01 %, {AS_PRINTED}"
    return Sourced(Table(title, head, rows), "steps `readings/...` and `trials/...`")


def _apart(name: str, tests: Mapping[str, PairedTest], vectors: float) -> list[str]:
    """Points above the published accuracies, and counts as multiples of the published ones."""
    bi, ovso, *_, divided = ACCURACY[name]
    points = [
        replace(tests[key], mean=tests[key].mean - p) for key, p in zip(COLUMNS, (bi, ovso, divided), strict=False)
    ]
    ratios = [
        tests["steps"].mean / STEPS[name][-1],
        tests["vectors"].mean / VECTORS[name][-1],
        vectors / VECTORS[name][-1],
    ]
    return [*map(plus_minus, points), *(f"{ratio:.2f}" for ratio in ratios)]


def _chosen(results: Results, name: str) -> list[str]:
    """The reading of a set in the tables of the paper's page."""
    columns = [("BI", "accuracy"), ("OvsO", "accuracy"), *((DIVIDED, key) for key in ("accuracy", "steps", "vectors"))]
    tests = {
        key: results.interval(name, PRINTED, method, figure)
        for key, (method, figure) in zip(COLUMNS, columns, strict=True)
    }
    vectors = results.mean(name, OTHER, DIVIDED, "vectors")
    return [str(results.shape(name)["rows"]), *_apart(name, tests, vectors)]


def preference_table(results: Results) -> Sourced:
    """Score first against purity first."""
    rows = []
    for name in results.names:
        row = [MARK.get(name, name)]
        for theta in (THETAS[-1], THETAS[0]):
            for figure, digits in (("accuracy", 2), ("steps", 2), ("vectors", 0)):
                test = results.paired(name, PRINTED, f"speed {theta}", f"accuracy {theta}", figure)
                row.append(plus_minus(test, digits))
        rows.append(row)
    thetas = (THETAS[-1], THETAS[0])
    head = ["set", *(f"{what}, θ={theta} %" for theta in thetas for what in ("points", "steps", "vectors"))]
    return Sourced(Table(f"Purity first less score first, {AS_PRINTED}", head, rows), steps_of())


def distance(results: Results, prefer: str, share: int, figure: str) -> float:
    """How far measured counts are from published ones: mean of |ln(measured / published)| in percent, over whole sets."""
    published = STEPS if figure == "steps" else VECTORS
    apart = [
        abs(math.log(results.mean(name, share, method_key(theta, prefer), figure) / published[name][t]))
        for name in WHOLE
        for t, theta in enumerate(THETAS)
    ]
    return 100 * float(np.mean(apart))


def distance_of_accuracy(results: Results, prefer: str, share: int) -> float:
    """Mean distance of accuracies of all methods from the published ones, in points, over whole sets."""
    apart = [
        abs(results.mean(name, share, method_key(method, prefer)) - ACCURACY[name][m])
        for name in WHOLE
        for m, method in enumerate(METHODS)
    ]
    return float(np.mean(apart))


def distance_table(results: Results) -> Sourced:
    """Which share and which order of measures the printed counts fit."""
    orders = {"accuracy": "score first", "speed": "purity first"}
    rows = [
        [
            f"{share} %, {words}",
            *(f"{distance(results, prefer, share, figure):.1f} %" for figure in ("steps", "vectors")),
            f"{distance_of_accuracy(results, prefer, share):.2f} points",
        ]
        for share in (PRINTED, OTHER)
        for prefer, words in orders.items()
    ]
    title = f"Mean distance from Tables 4 to 6 over {len(WHOLE)} sets"
    return Sourced(Table(title, ["trained, order", "steps", "support vectors", "accuracy"], rows), "steps `trials/...`")
