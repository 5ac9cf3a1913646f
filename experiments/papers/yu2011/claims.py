"""What the paper claims, and whether it held; its error rates beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from dagmar.base.typing import Array

from ...statistics import SAME, holm
from ..report import Claim, ErrorRate
from ..rule import RARE, Judgement, decided, judge_better, judge_parts
from .published import ORDERS, TABLE
from .summary import Results, Runs, signed

Tests = dict[str, tuple[float, float]]  # by set: a gain in points, and p


def claims(results: Results) -> list[Claim]:
    """The paper's claims."""
    return [
        _best_of_all(results),
        _better(results),
        _orders_differ(results),
        _most_separable(results),
        _equations(results),
        _fisher(results),
        _tuning_is_cheaper(results),
        _decides_faster(results, "all_pairs"),
        _decides_faster(results, "rest"),
        _undivided(results),
    ]


# ------------------------------------------------------------------- the order


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
    tests = tests_against(results, "mean")
    raw, after = dict(tests), adjusted(tests)
    shown = ", ".join(f"{name} {signed(gain)} (p = {raw[name][1]:.2g})" for name, (gain, _) in after.items())
    return Claim(
        "The adaptive order generalises better than the usual DDAG with its arbitrary order.",
        _qualified(judge_better(after), results),
        f"points above random orders, p before Holm's correction: {shown or 'none'}",
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
        "ones are the most separable from the class that remains",
        name="Asks the most separable classes",
        where="Section 3",
    )


# --------------------------------------------------------------- the equations


def _equations(results: Results) -> Claim:
    worst = {name: max(off(results, data, name) for data in TABLE) for name in ("equation_6", "halved", "equation_9")}
    return Claim(
        "Equations 6 and 9 are the distance between the means of two classes in kernel space, less what is within them.",
        judge_parts(
            {
                "Equation 6": worst["equation_6"] < EQUAL,
                "Equation 9, first line": worst["halved"] < EQUAL,
                "Equation 9, last line": worst["equation_9"] < EQUAL,
            }
        ),
        f"largest deviation from that distance, relative: Equation 6 {worst['equation_6']:.2g}, Equation 9 "
        f"{worst['halved']:.0e} in its first and {worst['equation_9']:.2g} in its last line",
        name="Equations 6 and 9 are right",
        where="Section 3",
        others={
            "With 1/n² in Equation 6 and halves in the last line of Equation 9": decided(
                max(off(results, data, name) for data in TABLE for name in ("squared", "halved")) < EQUAL
            )
        },
    )


EQUAL = 1e-6  # relative: equal but for rounding


def off(results: Results, data: str, formula: str) -> float:
    """How far a formula is from the distance of the means, relative to it; the largest over all pairs of classes."""
    found = results.found[f"equations/{data}"]
    distance = np.array(found["distance"])
    return float(np.max(np.abs(np.array(found["own"][formula]) - distance) / distance))


def _fisher(results: Results) -> Claim:
    def same(at: str, formula: str) -> Judgement:
        return judge_parts({row.label: same_order(results, data, at, formula) for data, row in TABLE.items()})

    chosen = {row.label: same_gammas(results, data) for data, row in TABLE.items()}
    taus = ", ".join(f"{row.label} {agreement(results, data, 'own'):.2f}" for data, row in TABLE.items())
    return Claim(
        "With an RBF kernel the distance between two classes is equivalent to Fisher's criterion (read as: it puts all pairs "
        "of classes into the same order).",
        same("own", "fisher"),
        f"Kendall's rank correlation over the pairs of classes, each at its own gamma: {taus}",
        name="Distance is equivalent to Fisher's criterion",
        where="Section 3",
        others={
            "At one gamma for all pairs": same("shared", "fisher"),
            "With classes weighted by their samples": same("own", "weighted_fisher"),
            "In the gamma that they choose": judge_parts({name: count == of for name, (count, of) in chosen.items()}),
        },
    )


def same_order(results: Results, data: str, at: str, formula: str) -> bool:
    """Whether a formula puts the pairs of classes into the order of their distances."""
    found = results.found[f"equations/{data}"][at]
    return bool(np.array_equal(np.argsort(found["squared"]), np.argsort(found[formula])))


def agreement(results: Results, data: str, at: str) -> float:
    """Kendall's rank correlation of distances and Fisher's criterion over the pairs of classes."""
    from scipy.stats import kendalltau

    found = results.found[f"equations/{data}"][at]
    return float(kendalltau(found["squared"], found["fisher"]).statistic)


def same_gammas(results: Results, data: str) -> tuple[int, int]:
    """For how many pairs of classes distance and Fisher's criterion choose the same gamma of a grid, and of how many."""
    chosen = results.found[f"equations/{data}"]["chosen"]
    return sum(a == b for a, b in zip(chosen["squared"], chosen["fisher"], strict=True)), len(chosen["squared"])


# ------------------------------------------------------------------- the times


def _tuning_is_cheaper(results: Results) -> Claim:
    loop = {row.label: loop_ratio(results, data) for data, row in TABLE.items()}
    bank = {row.label: time_ratio(results.tuning[data], "all_by_cv") for data, row in TABLE.items()}
    trainings = [results.tuning["vowel"][way].splits[0]["trainings"] for way in ("protocol", "all_by_cv")]
    shown = "; ".join(
        f"{what}: " + ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
        for what, ratios in (("in a loop", loop), ("in one bank", bank))
    )
    return Claim(
        "Gamma from the distance between classes saves the time of cross-validating it.",
        judge_parts({name: ratio > 1 for name, ratio in loop.items()}),
        f"{trainings[0]} trainings per pair in place of {trainings[1]}; time with gamma cross-validated over time by distance, "
        f"{shown}",
        name="Gamma by distance saves time",
        where="Section 4",
        others={"One bank of machines": judge_parts({name: ratio > 1 for name, ratio in bank.items()})},
    )


def loop_ratio(results: Results, data: str) -> float:
    """How many times as long as by distance cross-validation of gamma takes, one training after the other."""
    found = results.found[f"loop/{data}"]
    validated, distance = (sum(pair["seconds"] for pair in found[way]) for way in ("validated", "distance"))
    return float(validated / distance)


def time_ratio(ways: Mapping[str, Runs], way: str) -> float:
    """How many times as long as by the protocol tuning and fitting take, in one bank."""
    totals = [sum(split["wall_seconds"] for split in ways[name].splits) for name in (way, "protocol")]
    return float(totals[0] / totals[1])


STRUCTURES = {"all_pairs": "all pairs (1-v-1)", "rest": "one class against the rest (1-v-a)"}


def _decides_faster(results: Results, other: str) -> Claim:
    ratios = {row.label: cost_ratios(results, data, other) for data, row in TABLE.items()}
    shown = ", ".join(f"{name} {of.loop:.2f}, {of.bank:.2f}" for name, of in ratios.items())
    others = {"One bank of machines": judge_parts({name: of.bank > 1 for name, of in ratios.items()})}
    if other == "rest":  # the machines of 1-v-1 are the same
        training = {row.label: results.found[f"cost/{data}"]["training_seconds"] for data, row in TABLE.items()}
        others["Training, in a loop"] = judge_parts(
            {name: of["rest"] > of["all_pairs"] for name, of in training.items()}
        )
    return Claim(
        f"The adaptive order decides faster than {STRUCTURES[other]}.",
        judge_parts({name: of.loop > 1 for name, of in ratios.items()}),
        f"time over that of the adaptive order, in a loop and in one bank: {shown}",
        name=f"Decides faster than {STRUCTURES[other].partition(' (')[0]}",
        where="Sections 2.2 and 5" if other == "all_pairs" else "Section 5",
        others=others,
    )


class CostRatios(NamedTuple):
    """What another structure costs, over what the adaptive order costs."""

    machines: float
    kernel: float
    loop: float
    bank: float


def cost_ratios(results: Results, data: str, other: str) -> CostRatios:
    """Machines, kernel values and times of another structure, relative to the adaptive order."""
    found = results.found[f"cost/{data}"]
    names = ("machines_consulted", "kernel_evaluations", "loop_seconds", "wall_seconds")
    return CostRatios(*(found[other][name] / found["adaptive"][name] for name in names))


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
