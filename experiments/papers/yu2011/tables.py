"""The tables on the page of the paper."""

from __future__ import annotations

import numpy as np

from ...tables import Table
from ..report import Sourced, number
from .claims import METHODS, adjusted, labelled, tests_against
from .equation_claims import agreement, deviation, off, same_gammas
from .published import ORDERS, SIZES, TABLE, accuracy, in_text, size
from .summary import Results, Runs, signed
from .time_claims import cost_ratios, loop_ratio, time_ratio


def table1(results: Results) -> Sourced:
    """The data sets."""
    rows = []
    for data, row in TABLE.items():
        found = results.found[f"table2/{data}"]
        here = [sum(found["counts"]), found["n_features"], found["n_classes"]]
        shares = "official split" if data == "vowel" else _shares(found["counts"], row.n_test)
        cells = [*(size(data, name) for name in SIZES), *map(str, here), shares]
        rows.append([row.label, *cells])
    head = ["set", "training samples", "test samples", "attributes", "classes"]
    head += ["rows here", "attributes here", "classes here", "percent of each class that give the test part"]
    return Sourced(Table("Table 1: the data sets, published and here", head, rows), "steps `table2/...`")


def _shares(counts: list[int], n_test: int) -> str:
    """Whole percentages of each class, rounded to samples, that add up to the test part."""
    fits = [str(p) for p in range(1, 100) if sum(np.round(p / 100 * np.array(counts))) == n_test]
    return ", ".join(fits) or "none"


def table2(results: Results) -> Sourced:
    """Published and measured accuracies."""
    rows = []
    for data, runs in results.table2.items():
        for name, method in METHODS.items():
            values = getattr(runs, name)
            low, high = runs.interval(name)
            measured = [f"{values.mean():.2f}", f"{low:.2f} to {high:.2f}", f"{values.min():.2f} to {values.max():.2f}"]
            rows.append([runs.row.label, method, accuracy(data, name), *measured])
    n = len(results.table2["iris"])
    head = ["set", "method", "published", f"measured, mean of {n} splits", "95 % interval", "single splits"]
    return Sourced(Table("Table 2: accuracy in percent", head, rows), "steps `table2/...`")


def numbers(n_folds: int, n_orders: int) -> Sourced:
    """What stands in the text, and what was done."""
    done = [n_orders, n_folds]
    rows = [[what, cell, str(used)] for (what, cell), used in zip(in_text().items(), done, strict=True)]
    return Sourced(Table("Numbers in the text", ["", "published", "here"], rows), "steps `table2/...`")


def counts(results: Results) -> Sourced:
    """What the printed best, worst and mean say of the orders, and how much orders differ here."""
    rows = []
    for runs in results.table2.values():
        ways = runs.row.counts()
        most = sorted({max(way.values()) for way in ways})
        rows.append(
            [
                runs.row.label,
                str(runs.row.n_test),
                " or ".join(_orders(way) for way in ways),
                _range(most),
                f"{runs.commonest.mean():.1f} ({runs.commonest.min()} to {runs.commonest.max()})",
                str(runs.row.spread),
                f"{runs.spread.mean():.1f} ({runs.spread.min()} to {runs.spread.max()})",
                f"{runs.row.lead:+d}",
                f"{runs.lead.mean():+.1f} ({runs.lead.min():+d} to {runs.lead.max():+d})",
            ]
        )
    head = ["set", "test samples", f"samples right in the {ORDERS} orders, from Table 2"]
    head += ["orders with the commonest count, published", "measured", "best less worst, published", "measured"]
    head += ["adaptive less best, published", "measured"]
    title = "What Table 2 implies: how much orders differ, in test samples; measured as mean and range over splits"
    return Sourced(Table(title, head, rows), "steps `table2/...`")


def _orders(way: dict[int, int]) -> str:
    return ", ".join(f"{n} × {right}" for right, n in way.items())


def _range(values: list[int]) -> str:
    return str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}"


def against_orders(results: Results) -> Sourced:
    """The tests of the first two claims."""
    best, mean = (tests_against(results, other) for other in ("best", "mean"))
    best_after, mean_after = adjusted(best), adjusted(mean)
    rows = []
    for name, runs in labelled(results.table2).items():
        if name not in best:
            continue
        cells = []
        for raw, after, differences in ((best, best_after, runs.lead_in_points), (mean, mean_after, runs.gain)):
            cells += [
                signed(raw[name][0]),
                _interval(runs, differences),
                f"{raw[name][1]:.2g}",
                f"{after[name][1]:.2g}",
            ]
        rows.append([f"{name}{'' if runs.drawn else ', official split'}", *cells])
    head = ["set", "adaptive less best, points", "95 % interval", "p", "p by Holm"]
    head += ["adaptive less mean, points", "95 % interval", "p", "p by Holm"]
    return Sourced(Table(f"The adaptive order against {ORDERS} random ones", head, rows), "steps `table2/...`")


def _interval(runs: Runs, differences: object) -> str:
    if not runs.drawn:
        return "one test part"
    test = runs.test(np.asarray(differences))
    return f"{test.low:.2f} to {test.high:.2f}"


def equations(results: Results) -> Sourced:
    """The printed equations beside the distance that they are to give."""
    rows = []
    for data, row in TABLE.items():
        found = results.found[f"equations/{data}"]
        negative = sum(value < 0 for value in found["own"]["equation_9"])
        lowest = sum(power == found["powers"][0] for power in found["chosen"]["equation_6"])
        n = len(found["distance"])
        rows.append(
            [
                row.label,
                str(n),
                *(deviation(off(results, data, of)) for of in ("equation_6", "squared", "equation_9", "halved")),
                f"{negative} of {n}",
                f"{lowest} of {n}",
            ]
        )
    head = ["set", "pairs of classes", "Equation 6", "with 1/n²", "Equation 9, last line", "with halves"]
    head += ["Equation 9, last line, is negative", "Equation 6 is largest at the smallest gamma"]
    title = "Equations 6 and 9: largest relative deviation from the squared distance of the class means"
    return Sourced(Table(title, head, rows), "steps `equations/...`")


def fisher(results: Results) -> Sourced:
    """Whether distance and Fisher's criterion say the same."""
    rows = []
    for data, runs in results.table2.items():
        same, n = same_gammas(results, data)
        chosen = results.found[f"equations/{data}"]["chosen"]
        right = runs.other("kernel_fisher") - runs.adaptive
        rows.append(
            [
                runs.row.label,
                *(f"{agreement(results, data, at):.2f}" for at in ("own", "shared")),
                f"{same} of {n}",
                *(f"{np.median(chosen[name]):g}" for name in ("squared", "fisher")),
                signed(float(right.mean())),
            ]
        )
    head = ["set", "rank correlation, own gammas", "rank correlation, one gamma", "pairs with the same gamma"]
    head += ["median log₂ gamma by distance", "by Fisher", "adaptive order by Fisher less by distance, points"]
    return Sourced(
        Table("Distance between classes and Fisher's criterion in kernel space", head, rows),
        "steps `equations/...` and `table2/...`",
    )


def cost(results: Results) -> Sourced:
    """What deciding costs, relative to the adaptive order."""
    rows = []
    for data, row in TABLE.items():
        pairs, rest = (cost_ratios(results, data, other) for other in ("all_pairs", "rest"))
        consulted = results.found[f"cost/{data}"]["adaptive"]["machines_consulted"]
        cells = [
            f"{v:.2f}" for ratios in (pairs, rest) for v in (ratios.machines, ratios.kernel, ratios.loop, ratios.bank)
        ]
        rows.append([row.label, f"{consulted:.0f}", *cells])
    head = ["set", "machines, adaptive", "1-v-1: machines", "kernel values", "time, loop", "time, bank"]
    head += ["1-v-a: machines", "kernel values", "time, loop", "time, bank"]
    return Sourced(Table("Deciding: costs over those of the adaptive order", head, rows), "steps `cost/...`")


def tuning_cost(results: Results) -> Sourced:
    """What finding C and gamma costs."""
    rows = []
    for data, row in TABLE.items():
        found = results.found[f"loop/{data}"]
        trainings = [
            sum(pair["trainings"] for pair in found[way]) / len(found["pairs"]) for way in ("distance", "validated")
        ]
        ways = results.tuning[data]
        ratios = [loop_ratio(results, data), time_ratio(ways, "all_by_cv"), time_ratio(ways, "shared_by_cv")]
        rows.append([row.label, *(f"{n:.0f}" for n in trainings), *(number(ratio, 1) for ratio in ratios)])
    head = ["set", "trainings per pair by distance", "cross-validated", "time, loop", "time, bank"]
    head += ["time, bank, one C and gamma for all pairs"]
    title = "Tuning: time with gamma cross-validated over time with gamma by distance"
    return Sourced(Table(title, head, rows), "steps `loop/...` and `tuning/...`")
