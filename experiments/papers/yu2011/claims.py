"""What the paper claims, and whether it held; its error rates beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dagmar.base.typing import Array

from ...statistics import SAME, holm
from ..report import CLOSE, Claim, ErrorRate
from ..rule import judge_better, judge_parts
from .published import ORDERS, TABLE
from .summary import Results, Runs, signed

PRINTED = 0.005  # to which accuracies are printed
BY_CV = ("all_by_cv", "shared_by_cv")


def claims(results: Results) -> list[Claim]:
    """The paper's claims, strictly read."""
    return [
        _best_of_all(results),
        _above_average(results),
        _better_than_chance(results),
        _orders_differ(results),
        _tuning_is_cheaper(results),
        _tuning_is_good(results),
        _decides_faster(results, "all_pairs", "asking all pairs (1-v-1)"),
        _decides_faster(results, "rest", "one class against the rest (1-v-a)"),
    ]


def _best_of_all(results: Results) -> Claim:
    """Strictly: in every split of every set."""
    everything = {**{TABLE[data].label: runs for data, runs in results.table2.items()}, "speakers": results.speakers}
    counts = ", ".join(
        f"{'Vowel with drawn speakers' if name == 'speakers' else name} {runs.at_least_best} of {len(runs)} "
        f"({100 * runs.control:.0f} %)"
        for name, runs in everything.items()
    )
    # Where no two orders differ in any split, a set can show nothing.
    parts = {name: runs.at_least_best == len(runs) for name, runs in everything.items() if runs.orders_matter}
    return Claim(
        f"The adaptive order is at least as accurate as the best of {ORDERS} random orders, on every data set.",
        judge_parts(parts),
        f"splits in which it is (in brackets: how often one more random order is): {counts}",
    )


def _above_average(results: Results) -> Claim:
    gains = {TABLE[data].label: float(runs.gain.mean()) for data, runs in results.table2.items()}
    gains["Vowel with drawn speakers"] = float(results.speakers.gain.mean())
    return Claim(
        "On every data set the adaptive order is at least as accurate as random orders are on average.",
        judge_better(adjusted_tests(results)),
        "adaptive less mean of random orders, in points, mean over splits: "
        + ", ".join(f"{name} {signed(gain)}" for name, gain in gains.items())
        + f"; it hangs on the tuning: below the mean on some set by {len(below_average(results))} of "
        f"{len(results.tuning['vowel']) - 1} other ways",
    )


def below_average(results: Results) -> list[str]:
    """Other ways of tuning by which the adaptive order is below the mean of random orders on some set."""
    ways = [way for way in results.tuning["vowel"] if way != "protocol"]
    return [
        way for way in ways if any(way in by and float(by[way].gain.mean()) < -SAME for by in results.tuning.values())
    ]


def adjusted_tests(results: Results) -> dict[str, tuple[float, float]]:
    """Gain over the mean of random orders, and p by Holm, of sets over drawn splits in which orders differ at all."""
    matter = {name: runs for name, runs in results.drawn.items() if runs.orders_matter}
    adjusted = holm([runs.test().p for runs in matter.values()])
    return {name: (float(runs.gain.mean()), float(p)) for (name, runs), p in zip(matter.items(), adjusted, strict=True)}


def _better_than_chance(results: Results) -> Claim:
    adjusted = adjusted_tests(results)
    tests = {name: results.drawn[name].test() for name in adjusted}
    shown = "; ".join(
        f"{name} {test.up} above, {test.down} below, p = {test.p:.2g}, by Holm {adjusted[name][1]:.2g}"
        for name, test in tests.items()
    )
    return Claim(
        "The adaptive order generalises better than the usual DDAG (wherever orders differ at all).",
        judge_better(adjusted),
        f"against the mean of the random orders, over splits: {shown or 'orders never differ'}",
    )


def _orders_differ(results: Results) -> Claim:
    spreads = {TABLE[data].label: runs.spread for data, runs in results.table2.items()}
    shown = ", ".join(f"{name} {100 * np.mean(spread > 0):.0f} %" for name, spread in spreads.items())
    return Claim(
        "A different order of the classes gives a different accuracy.",
        judge_parts({name: bool((spread > 0).all()) for name, spread in spreads.items()}),
        f"splits in which any two of {ORDERS} random orders differ in accuracy: {shown}; as published, none on "
        + " and ".join(row.label for row in TABLE.values() if not row.spread),
    )


def _tuning_is_cheaper(results: Results) -> Claim:
    ratios = {TABLE[data].label: time_ratio(results.tuning[data], "all_by_cv") for data in TABLE}
    trainings = [results.tuning["vowel"][way].splits[0]["trainings"] for way in ("protocol", "all_by_cv")]
    shown = ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
    return Claim(
        "Gamma from the distance between classes saves the time of cross-validating it.",
        judge_parts({name: ratio > 1 for name, ratio in ratios.items()}),
        f"{trainings[0]} trainings per pair in place of {trainings[1]}; time of the whole search and fit, ratio: {shown}",
    )


def time_ratio(ways: dict[str, Runs], way: str) -> float:
    """How many times as long as by the protocol tuning and fitting take."""
    totals = [sum(split["wall_seconds"] for split in ways[name].splits) for name in (way, "protocol")]
    return float(totals[0] / totals[1])


def tuning_gains(results: Results, way: str) -> dict[str, float]:
    """By data set: the protocol's accuracy less that of another way of tuning, in points, both in the adaptive order."""
    return {
        row.label: float((results.tuning[data]["protocol"].adaptive - results.tuning[data][way].adaptive).mean())
        for data, row in TABLE.items()
    }


def _tuning_is_good(results: Results) -> Claim:
    gains = {way: tuning_gains(results, way) for way in BY_CV}
    shown = "; ".join(
        f"against {what}: " + ", ".join(f"{name} {signed(gain)}" for name, gain in gains[way].items())
        for way, what in zip(BY_CV, ("C and gamma per pair", "one C and gamma for all"), strict=True)
    )
    return Claim(
        "Gamma from the distance between classes performs well in place of a cross-validated one "
        f"(read as: on no set more than {CLOSE:g} points worse).",
        judge_parts({row.label: all(gains[way][row.label] >= -CLOSE for way in BY_CV) for row in TABLE.values()}),
        f"accuracy by the protocol less that with cross-validation of both, in points; {shown}",
    )


def _decides_faster(results: Results, other: str, words: str) -> Claim:
    """Strictly: in less time on every set."""
    ratios = {row.label: cost_ratios(results, data, other) for data, row in TABLE.items()}
    shown = "; ".join(f"{name} {r.machines:.1f}, {r.kernel:.1f}, {r.time:.2f}" for name, r in ratios.items())
    return Claim(
        f"The adaptive order decides faster than {words}.",
        judge_parts({name: r.time > 1 for name, r in ratios.items()}),
        f"times the adaptive order's machines, kernel values and time: {shown}",
    )


class CostRatios(NamedTuple):
    """What another structure costs, over what the adaptive order costs."""

    machines: float
    kernel: float
    time: float


def cost_ratios(results: Results, data: str, other: str) -> CostRatios:
    """Machines, kernel values and time of another structure, relative to the adaptive order."""
    found = results.found[f"cost/{data}"]
    names = ("machines_consulted", "kernel_evaluations", "wall_seconds")
    return CostRatios(*(found[other][name] / found["adaptive"][name] for name in names))


# ------------------------------------------------------------------ error rates

METHODS = {
    "best": f"DDAG, best of {ORDERS} orders",
    "worst": f"DDAG, worst of {ORDERS} orders",
    "mean": f"DDAG, mean of {ORDERS} orders",
    "adaptive": "adaptive order",
}


def errors(results: Results) -> list[ErrorRate]:
    """Every accuracy of Table 2, as an error."""
    return list(_errors(results))


def _errors(results: Results) -> Iterator[ErrorRate]:
    for data, runs in results.table2.items():
        for name, method in METHODS.items():
            published, values = getattr(runs.row, name), getattr(runs, name)
            reason = _reason(results, data, name)
            yield ErrorRate(runs.row.label, method, 100 - published, 100 - float(values.mean()), reason)


def _reason(results: Results, data: str, name: str) -> str:
    """Where the published accuracy stands among those of many splits, or of other ways of tuning."""
    runs = results.table2[data]
    published, values = getattr(runs.row, name), getattr(runs, name)
    if _among(published, values):
        drawn = "the orders that are drawn" if data == "vowel" else "the split"
        worse = np.mean(values <= published + PRINTED)
        return f"it hangs on {drawn}: ours are {_span(values)}, {100 * worse:.0f} % of them at or above the published"
    if name in ("best", "worst") and runs.spread.min() > runs.row.spread:
        return (
            f"{ORDERS} random orders over our machines lie {runs.spread.min()} to {runs.spread.max()} test samples apart, "
            f"in every repetition; the published ones {runs.row.spread}"
        )
    ways = {way: getattr(other, name) for way, other in results.tuning[data].items() if way != "protocol"}
    near = [way for way, other in ways.items() if _among(published, other)]
    if near:
        return f"outside our splits ({_span(values)}), but within those of other ways of tuning ({len(near)} of {len(ways)})"
    return f"not explained: ours are {_span(values)}"


def _among(published: float, values: Array) -> bool:
    return bool(values.min() - PRINTED <= published <= values.max() + PRINTED)


def _span(values: Array) -> str:
    low, high = 100 - values.max(), 100 - values.min()
    return f"{low:.2f} to {high:.2f} % error"
