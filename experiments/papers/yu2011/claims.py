"""What the paper claims, and whether it held; its error rates beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod

import numpy as np

from dagmar.base.typing import Array

from ...statistics import SAME, holm
from ..report import Claim, ErrorRate
from ..rule import RARE, Judgement, judge_better, judge_parts
from .equation_claims import equation_claims
from .published import ORDERS, TABLE
from .summary import Results, Runs, signed
from .time_claims import STRUCTURES, time_claims

Tests = dict[str, tuple[float, float]]  # by set: a gain in points, and p


def claims(results: Results) -> list[Claim]:
    """The paper's claims."""
    return [
        _best_of_all(results),
        _better(results),
        _orders_differ(results),
        _most_separable(results),
        *equation_claims(results),
        *time_claims(results),
        _undivided(results),
    ]


def _best_of_all(results: Results) -> Claim:
    """An outcome of a split: the best of several orders is picked by its test accuracy, so it is no method to test against."""
    runs = labelled(results.table2)
    counts = ", ".join(f"{name} {of.at_least_best} of {len(of)}" for name, of in runs.items())
    chance = prod(of.at_least_best / len(of) for of in runs.values())
    return Claim(
        f"On every set the adaptive order is at least as accurate as the best of {ORDERS} random orders.",
        _qualified(judge_parts(_reached(runs)), results),
        f"splits that show it: {counts}. One split of each set would show it on all of them in {100 * chance:.1f} % of such "
        f"runs{_without(results)}",
        name=f"Reaches the best of {ORDERS} random orders",
        where="Section 4",
        others={
            "With Vowel's speakers drawn": judge_parts(_reached(results.drawn)),
            "As a comparison of accuracies, by tests": judge_better(adjusted(tests_against(results, "best"))),
        },
    )


def _reached(runs: Mapping[str, Runs]) -> dict[str, bool]:
    return {name: usual(of.at_least_best / len(of)) for name, of in runs.items()}


def usual(share: float) -> bool:
    """Whether so few of our runs fail to show something that it holds."""
    return share >= 1 - RARE.value - SAME


def _without(results: Results) -> str:
    """Name the sets on which no two orders differ."""
    none = [name for name, runs in labelled(results.table2).items() if not runs.orders_matter]
    return f"; no two orders differ on {' and '.join(none)}" if none else ""


def labelled(of: Mapping[str, Runs]) -> dict[str, Runs]:
    """Runs by the names of the paper."""
    return {TABLE[data].label: runs for data, runs in of.items()}


def _better(results: Results) -> Claim:
    tests = adjusted(tests_against(results, "mean"))
    gains = [gain for gain, _ in tests.values()] or [0.0]
    return Claim(
        "The adaptive order generalises better than the usual DDAG with its arbitrary order.",
        _qualified(judge_better(tests), results),
        f"gain over random orders, by set: {signed(min(gains))} to {signed(max(gains))} points",
        name="Generalises better than the usual DDAG",
        where="Abstract, Sections 4 and 5",
        others={"With Vowel's speakers drawn": judge_better(adjusted(tests_drawn(results)))},
    )


def tests_against(results: Results, other: str) -> Tests:
    """The adaptive order against the best, or the mean, of the random ones, on all sets on which any two of them differ.

    Over drawn splits by the corrected test. Vowel has one test part, so McNemar's test; there the median order stands for
    the mean.
    """
    found: Tests = {}
    for name, runs in labelled(results.table2).items():
        if runs.orders_matter and runs.drawn:
            test = runs.test(runs.gain if other == "mean" else runs.lead_in_points)
            found[name] = (test.mean, test.p)
        elif runs.orders_matter:
            found[name] = runs.on_one_set("median" if other == "mean" else "best")
    return found


def tests_drawn(results: Results) -> Tests:
    """The adaptive order against the mean of the random ones over drawn splits, those of Vowel by speakers."""
    tests = {name: runs.test(runs.gain) for name, runs in results.drawn.items() if runs.orders_matter}
    return {name: (test.mean, test.p) for name, test in tests.items()}


def adjusted(tests: Tests) -> Tests:
    """The same with p by Holm."""
    after = holm([p for _, p in tests.values()])
    return {name: (gain, float(p)) for (name, (gain, _)), p in zip(tests.items(), after, strict=True)}


def _orders_differ(results: Results) -> Claim:
    runs = labelled(results.table2)
    shares = {name: float(np.mean(of.spread > 0)) for name, of in runs.items()}
    shown = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    equal = " and ".join(row.label for row in TABLE.values() if not row.spread)

    def always(of: Callable[[Runs], float]) -> Judgement:
        return judge_parts({name: usual(of(one)) for name, one in runs.items()})

    return Claim(
        "The accuracy definitely depends on the order of the classes.",
        _qualified(judge_parts({name: usual(share) for name, share in shares.items()}), results),
        f"splits in which any of {ORDERS} random orders differ in accuracy: {shown}; in the paper itself none differ on "
        f"{equal}",
        name="Accuracy depends on the order",
        where="Section 1",
        others={
            "Any two of the orders": always(lambda of: of.pairs_differ),
            "Best and worst order beyond chance (McNemar)": always(lambda of: of.extremes_differ),
        },
    )


def _qualified(judgement: Judgement, results: Results) -> Judgement:
    """Say how many machines of the protocol did not converge."""
    machines, cells = np.sum([runs.unconverged for runs in results.table2.values()], axis=0)
    if not machines and not cells:
        return judgement
    return replace(judgement, qualified=f"{machines} machines and {cells} cells of the search did not converge")


def _most_separable(results: Results) -> Claim:
    asked = {row.label: results.found[f"cost/{data}"]["asked"] for data, row in TABLE.items()}
    shown = ", ".join(f"{name} {100 * most / all_of:.1f} %" for name, (most, all_of) in asked.items())
    return Claim(
        "At every step the two classes that are asked are the most separable.",
        judge_parts({name: most == all_of for name, (most, all_of) in asked.items()}),
        f"questions about the most separable pair of the classes left: {shown}. Only the first pair is chosen among all; later "
        "ones are the most separable from the class that remains. With three classes it is so by construction",
        name="Asks the most separable classes",
        where="Section 3",
    )


def _undivided(results: Results) -> Claim:
    found = {row.label: results.found[f"cost/{data}"] for data, row in TABLE.items()}
    counts = {other: [of["undivided"][other] for of in found.values()] for other in STRUCTURES}
    shown = "; ".join(
        f"{STRUCTURES[other]}: "
        + ", ".join(f"{name} {n} of {of['n_test']}" for (name, of), n in zip(found.items(), counts[other], strict=True))
        for other in STRUCTURES
    )
    return Claim(
        "1-v-1 and 1-v-r leave regions of the input space undivided.",
        judge_parts({words: any(counts[other]) for other, words in STRUCTURES.items()}),
        f"test samples without a single winner of the vote, or without exactly one positive machine; {shown}",
        name="Other methods leave undivided regions",
        where="Section 1",
    )


# ------------------------------------------------------------------ error rates

METHODS = {
    "best": f"DDAG, best of {ORDERS} orders",
    "worst": f"DDAG, worst of {ORDERS} orders",
    "mean": f"DDAG, mean of {ORDERS} orders",
    "adaptive": "adaptive order",
}


def errors(results: Results) -> list[ErrorRate]:
    """Every accuracy of Table 2, as an error."""
    return [
        ErrorRate(runs.row.label, method, 100 - getattr(runs.row, name), 100 - float(_measured(runs, name).mean()))
        for runs in results.table2.values()
        for name, method in METHODS.items()
    ]


def _measured(runs: Runs, name: str) -> Array:
    values: Array = getattr(runs, name)
    return values
