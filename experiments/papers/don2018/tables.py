"""The tables of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...tables import NONE, Table
from ..report import Sourced
from .published import ACCURACY, METHODS, STEPS, THETAS, VECTORS, totals_that_fit
from .results import Results, method_key, method_name
from .sources import SOURCES
from .study import CURVE, FINE, SHARES

TRIALS = "steps `trials/...`"
# The sets whose rows are those of the paper, or may be; the size of covertype was chosen by its vectors.
WHOLE = [name for name in ACCURACY if name not in ("artificial", "sensorless", "covertype")]
TOTALS = ("iris", "wine", "heart", "glass", "segmentation", "svmguide4", "vowel", "usps")  # small enough to tell
# How machines are asked, in the record and in words.
WAYS = {"one_by_one": "one by one", "apart": "apart", "shared": "shared"}
MARK = {"artificial": "artificial (ours)", "sensorless": "sensorless (part)"}


def _cell(published: float, measured: Sequence[float], digits: int) -> str:
    return " / ".join(f"{value:.{digits}f}" for value in (published, *measured))


def accuracy_table(results: Results) -> Sourced:
    """Table 4."""
    rows = [
        [
            MARK.get(name, name),
            *(
                _cell(ACCURACY[name][m], [results.mean(name, share, method_key(method)) for share in SHARES], 2)
                for m, method in enumerate(METHODS)
            ),
        ]
        for name in results.names
    ]
    title = "Table 4: accuracy in percent, published / 80 % trained / 89 % trained"
    return Sourced(Table(title, ["set", *map(method_name, METHODS)], rows), TRIALS)


def count_table(results: Results, title: str, figure: str, published: Mapping[str, tuple[float, ...]]) -> Sourced:
    """Table 5 or 6."""
    digits = 2 if figure == "steps" else 0
    rows = [
        [
            MARK.get(name, name),
            *(
                _cell(
                    published[name][t],
                    [results.mean(name, share, method_key(theta), figure) for share in SHARES],
                    digits,
                )
                for t, theta in enumerate(THETAS)
            ),
        ]
        for name in results.names
    ]
    head = ["set", *(f"θ={theta} %" for theta in THETAS)]
    return Sourced(Table(f"{title}, published / 80 % trained / 89 % trained", head, rows), TRIALS)


def sets_table(results: Results) -> Sourced:
    """What stands for each set."""
    rows = []
    for name in results.names:
        shape, source = results.shape(name, 89), SOURCES[name]
        what = f"{source.file}, {source.part} rows" if source.file else "six round classes in the plane"
        if source.sample or shape["rows"] == source.quick:
            what += ", a random sample"
        if source.row_number:
            what += ", with the row number as a feature"
        counts = [str(shape[key]) for key in ("rows", "features", "classes", "smallest_class", "largest_class")]
        rows.append([name, what, *counts])
    head = ["set", "rows taken", "rows", "features", "classes", "smallest class", "largest class"]
    return Sourced(Table("What stands for each set", head, rows), TRIALS)


def distance(results: Results, prefer: str, share: int, figure: str) -> float:
    """How far measured counts are from published ones: mean of |ln(measured / published)| in percent, over whole sets."""
    published = STEPS if figure == "steps" else VECTORS
    apart = [
        abs(math.log(results.mean(name, share, method_key(theta, prefer), figure) / published[name][t]))
        for name in WHOLE
        for t, theta in enumerate(THETAS)
    ]
    return 100 * float(np.mean(apart))


def distance_of_accuracy(results: Results, share: int) -> float:
    """Mean distance of accuracies of all methods from the published ones, in points, over whole sets."""
    apart = [
        abs(results.mean(name, share, method_key(method)) - ACCURACY[name][m])
        for name in WHOLE
        for m, method in enumerate(METHODS)
    ]
    return float(np.mean(apart))


def distance_table(results: Results) -> Sourced:
    """Which share and which preference the printed counts fit."""
    rows = [
        [
            f"{share} %",
            prefer,
            *(f"{distance(results, prefer, share, figure):.1f} %" for figure in ("steps", "vectors")),
            f"{distance_of_accuracy(results, share):.2f} points" if prefer == "accuracy" else NONE,
        ]
        for share in SHARES
        for prefer in ("accuracy", "speed")
    ]
    title = f"Mean distance from the published figures, over {len(WHOLE)} sets and all thetas"
    return Sourced(Table(title, ["trained", "prefer", "steps", "support vectors", "accuracy"], rows), TRIALS)


def fitting_totals(results: Results, name: str) -> tuple[int, list[int], bool]:
    """Of how many answers in ten trials the printed accuracies of a set can be whole parts.

    Returns
    -------
    stated : int
        Answers in ten tests of 20 %.
    near : list of int
        Those between 1.05 and 1.2 times the rows that fit.
    fits : bool
        Whether one within 10 of `stated` does.
    """
    n, values = results.shape(name, 80)["rows"], tuple(sorted(set(ACCURACY[name])))
    stated = 10 * (n - round(0.8 * n))
    near = totals_that_fit(values, round(1.05 * n), round(1.2 * n))
    return stated, near, bool(totals_that_fit(values, stated - 10, stated + 10))


def totals_table(results: Results) -> Sourced:
    """How many answers the printed accuracies of the small sets can be parts of."""
    rows = []
    for name in TOTALS:
        n, (stated, near, fits) = results.shape(name, 80)["rows"], fitting_totals(results, name)
        best = min(near, key=lambda total: abs(total - 1.1 * n), default=None)
        rows.append(
            [
                name,
                str(n),
                f"{stated}: {'fits' if fits else 'does not fit'}",
                ", ".join(map(str, near[:4])) + (", ..." if len(near) > 4 else "") if near else NONE,
                f"{best}, {10 * best / n:.1f} % per trial" if best is not None else NONE,
            ]
        )
    head = ["set", "rows", "ten tests of 20 %, ± 10", "fit, of 1.05 to 1.2 times the rows", "nearest to 11 % per trial"]
    title = "Of how many answers in ten trials the printed accuracies can be whole parts"
    return Sourced(Table(title, head, rows), "arithmetic on the published Table 4; rows from steps `trials/...`")


def readings_table(results: Results) -> Sourced:
    """Other rows, features, scalings, and what they give."""
    rows = []
    for name in results.names:
        readings = results.readings(name)
        if not readings:
            continue
        bi, ovso, *_, divided = ACCURACY[name]
        counts = [f"{STEPS[name][-1]:.2f}", f"{VECTORS[name][-1]:.0f}"]
        rows.append([f"**{name}**, published", NONE, *(f"{v:.2f}" for v in (bi, ovso, divided)), *counts])
        for label, of in readings.items():
            mean = of["mean"]
            cells = [f"{mean[key]:.2f}" for key in ("BI", "OvsO", "accuracy", "steps")]
            rows.append([f"{name}: {label}", str(of["rows"]), *cells, f"{mean['vectors']:.0f}"])
    head = ["reading", "rows", "BI %", "OvsO %", "DCSVM %", "steps", "support vectors"]
    return Sourced(
        Table("Other rows, features and scalings; 89 % trained, θ=0.01 %", head, rows), "steps `readings/...`"
    )


def preference_table(results: Results) -> Sourced:
    """Score first against purity first."""
    rows = []
    for name in results.names:
        row = [MARK.get(name, name)]
        for theta in ("0.01", "2"):
            for figure, digits in (("accuracy", 2), ("steps", 2), ("vectors", 0)):
                values = [results.mean(name, 80, f"{prefer} {theta}", figure) for prefer in ("accuracy", "speed")]
                row.append(" / ".join(f"{value:.{digits}f}" for value in values))
        rows.append(row)
    head = [
        "set",
        *(f"{figure}, θ={theta} %" for theta in ("0.01", "2") for figure in ("accuracy", "steps", "vectors")),
    ]
    return Sourced(Table('prefer="accuracy" / prefer="speed", 80 % trained', head, rows), TRIALS)


def cost_table(results: Results) -> Sourced:
    """What a decision costs by one-versus-one, in a DDAG, and by DCSVM."""
    rows = []
    for name in results.names:
        divided = method_key("0.01")
        row = [MARK.get(name, name)]
        for figure, digits in (("steps", 2), ("vectors", 0)):
            row += [f"{results.mean(name, 80, m, figure):.{digits}f}" for m in ("OvsO", "DDAG", divided)]
        times = results.found[f"times/{name}"]
        row += [f"{times[way]['all'] / times[way]['divided']:.2f}" for way in WAYS]
        row.append(f"{times['shared']['all'] / times['shared']['max_wins']:.2f}")
        rows.append(row)
    head = ["set", *(f"{figure}, {m}" for figure in ("machines", "vectors") for m in ("OvsO", "DDAG", "DCSVM"))]
    head += [*(f"faster, {words}" for words in WAYS.values()), "faster, shared, stopping early"]
    title = "Per decision, θ=0.01 %, 80 % trained; then how many times faster than asking all machines"
    return Sourced(Table(title, head, rows), f"{TRIALS} and `times/...`")


def evaluations_table(results: Results) -> Sourced:
    """Kernel values per decision where machines share them."""
    rows = []
    for name in results.names:
        of = results.found[f"times/{name}"]["evaluations"]
        saved = f"{of['all'] / of['divided']:.2f}"
        rows.append([MARK.get(name, name), *(f"{of[key]:.0f}" for key in ("all", "max_wins", "divided")), saved])
    head = ["set", "all asked", "stopping early", "DCSVM", "all / DCSVM"]
    title = "Shared: distinct vectors, so kernel values, per decision; one scaling, θ=0.01 %, 80 % trained"
    return Sourced(Table(title, head, rows), "steps `times/...`")


def decided_table(results: Results) -> Sourced:
    """How many cells are decided, and how long decisions are for that."""
    rows = []
    for name in results.names:
        found, most = results.found[f"curve/89/{name}"], results.shape(name, 89)["classes"] - 1
        cells = [f"{found['separation'][FINE.index(theta)]:.1f}" for theta in (0.0, 2.0, 5.0)]
        steps = [f"{100 * found['steps'][CURVE.index(theta)] / most:.0f}" for theta in ("0", "2", "5")]
        rows.append([MARK.get(name, name), str(most), *cells, *steps])
    head = ["set", "k-1", *(f"decided %, θ={t}" for t in "025"), *(f"steps, % of k-1, θ={t}" for t in "025")]
    title = "Decided cells of the all-predictions table, and steps, for θ of 0, 2 and 5 %; 89 % trained"
    return Sourced(Table(title, head, rows), "steps `curve/89/...`")


def significance_table(results: Results) -> Sourced:
    """Whether methods differ from one-versus-one by more than chance."""
    methods = {"BI": "BI", "θ=0.01 %": method_key("0.01"), "θ=2 %": method_key("2")}
    tests = {method: results.by_holm(80, method) for method in methods.values()}
    rows = []
    for name in results.names:
        row = [MARK.get(name, name)]
        for method in methods.values():
            lists, (test, p) = results.lists(name, 80, method), tests[method][name]
            row += [f"{sum(lists['only_this']):.0f} : {sum(lists['only_ovso']):.0f}", f"{test.mean:+.2f}"]
            row += [f"{test.p:.2g}", f"{p:.2g}"]
        rows.append(row)
    head = ["set"]
    for method in methods:
        head += [f"{method} : OvsO", "points", "p, corrected", "p, by Holm"]
    title = (
        "Answers on which only one of the two is right, all trials together; mean difference of accuracies, and its test; "
        "80 % trained"
    )
    return Sourced(Table(title, head, rows), TRIALS)
