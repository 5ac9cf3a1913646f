"""Which share of the rows the paper trained on: the evidence for and against each reading."""

from __future__ import annotations

from math import ceil, inf

import numpy as np
from scipy.stats import t

from ...statistics import ALPHA, deviation_between_means
from ...tables import NONE, Table
from ..report import Sourced
from .published import ACCURACY, FIGURE2, GLASS, STEP_OF_VOWEL, STEPS, VECTORS, totals_that_fit
from .results import DIVIDED, OTHER, PRINTED, Results

# Rows of the sets of which the paper can have had only one file; heart's file has six rows with missing values.
ROWS = {
    "iris": 150,
    "wine": 178,
    "segmentation": 210,
    "svmguide4": 300,
    "vowel": 528,
    "usps": 2007,
    "wine-quality": 1599,
    "heart": 303,
    "glass": 214,
}
ANYTHING = {"letter": 20000, "poker": 25010, "sensorless": 58509}
LOW, HIGH = 0.5, 2.6  # of the rows: the totals that are tried
SHOWN = 4  # totals in a cell
# Sets whose machines are small enough that the rows trained on show in their number of vectors.
MACHINES = ("segmentation", "svmguide4", "vowel", "heart", "iris", "wine", "glass", "wine-quality", "letter", "poker")


def fitting(name: str, n: int) -> list[int]:
    """Totals of test rows of which all printed accuracies of a set can be whole parts."""
    return totals_that_fit(tuple(set(ACCURACY[name])), round(LOW * n), round(HIGH * n))


def candidates(n: int) -> dict[str, int]:
    """Totals of test rows under each reading."""
    return {
        "ten tests of 20 %": 10 * (n - round(0.8 * n)),
        "eleven tests of 10 %": 11 * ceil(0.1 * n),
        "eleven tests of 20 %": 11 * ceil(0.2 * n),
    }


def totals_table() -> Sourced:
    """Of how many answers the printed accuracies can be parts."""
    rows = []
    for name, n in ROWS.items():
        fit = fitting(name, n)
        shown = ", ".join(map(str, fit[:SHOWN])) + (f" and {len(fit) - SHOWN} more" if len(fit) > SHOWN else "")
        tried = round(HIGH * n) - round(LOW * n) + 1
        fits = [_fits(total, fit) for total in candidates(n).values()]
        rows.append([name, str(n), shown or NONE, f"{100 * len(fit) / tried:.1f}", *fits])
    head = [
        "set",
        "rows",
        f"totals from {LOW:g} to {HIGH:g} times the rows that fit",
        "% of these totals",
        *candidates(100),
    ]
    title = "Totals of test rows that fit all printed accuracies"
    return Sourced(Table(title, head, rows), "arithmetic on the published Table 4; no step")


def _fits(total: int, fit: list[int]) -> str:
    if total in fit:
        return f"{total}: yes"
    nearest = min(fit, key=lambda other: abs(other - total), default=None)
    return f"{total}: no" if nearest is None else f"{total}: no, off by {abs(nearest - total)}"


def machine_test(results: Results, name: str, share: int) -> tuple[float, float]:
    """Support vectors per machine consulted at θ=0.01 %: the mean, and how far another mean of as many trials may be."""
    lists = results.lists(name, share, DIVIDED)
    values = [v / s for v, s in zip(lists["vectors"], lists["steps"], strict=True)]
    n = len(values)
    deviation = deviation_between_means(float(np.std(values, ddof=1)), n, n) if n > 1 else inf
    return float(np.mean(values)), float(t.isf(ALPHA / 2, max(n - 1, 1))) * deviation


def per_machine(name: str) -> float:
    """The same as published: Table 6 over Table 5."""
    return VECTORS[name][-1] / STEPS[name][-1]


def fitting_share(results: Results, name: str) -> int | None:
    """The share whose vectors per machine are nearer to the published ones; None if those fit both."""
    tests = {share: machine_test(results, name, share) for share in (PRINTED, OTHER)}
    apart = {share: abs(mean - per_machine(name)) for share, (mean, _) in tests.items()}
    if all(apart[share] <= half for share, (_, half) in tests.items()):
        return None
    return min(apart, key=lambda share: apart[share])


def machines_table(results: Results) -> Sourced:
    """Vectors per machine, which grow with the rows trained on."""
    rows = []
    for name in MACHINES:
        fits = fitting_share(results, name)
        verdict = "fits both" if fits is None else f"{fits} %"
        if fits is not None:
            mean, half = machine_test(results, name, fits)
            verdict += "" if abs(mean - per_machine(name)) <= half else ", but does not fit"
        cells = [
            f"{mean:.2f} ± {half:.2f}" for mean, half in (machine_test(results, name, s) for s in (PRINTED, OTHER))
        ]
        rows.append([name, f"{per_machine(name):.2f}", *cells, verdict])
    head = ["set", "Table 6 / Table 5", f"{PRINTED} % trained", f"{OTHER} % trained", "nearer to"]
    title = "Support vectors per machine consulted, θ=0.01 %, ± how far another mean of as many trials may be"
    return Sourced(Table(title, head, rows), "steps `trials/...`")


def figures_table(results: Results) -> Sourced:
    """What Figures 2 and 10 say of the rows of a class."""
    glass, vowel = results.found["class_rows/glass"], results.found["class_rows/vowel"]
    two = GLASS.index(2)
    of_two = glass["rows"][two]
    fit = [
        n for n in range(of_two // 2, of_two + 1) if any(f"{100 * c / n:.1f}" == FIGURE2["C16(2,6)"] for c in range(n))
    ]
    cells = []
    for share in (PRINTED, OTHER):
        least, most = (glass[str(share)][key][two] for key in ("least", "most"))
        cells.append(f"{round(share / 100 * of_two)} by class, {least} to {most} at random")
    low, high = STEP_OF_VOWEL
    rows = [
        ["Figure 2: 8.2 % of the training rows of class 2 of glass", f"{', '.join(map(str, fit))} rows", *cells],
        ["Figure 10: one row of a class of vowel, % of the class", f"the step is from {low} to {high:g} %"],
    ]
    for share in (PRINTED, OTHER):
        by_class = round(share / 100 * vowel["rows"][0])
        least, most = min(vowel[str(share)]["least"]), max(vowel[str(share)]["most"])
        rows[1].append(f"{100 / by_class:.2f} by class, {100 / most:.2f} to {100 / least:.2f} at random")
    head = ["figure", "published", f"{PRINTED} % trained", f"{OTHER} % trained"]
    steps = "steps `class_rows/glass` and `class_rows/vowel`"
    return Sourced(Table("Rows of a class that the figures show", head, rows, words=True), steps)
