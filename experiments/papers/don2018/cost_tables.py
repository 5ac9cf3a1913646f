"""What decisions cost and what their trees look like: Figures 5 to 7, and Section 3.1."""

from __future__ import annotations

from ...statistics import PairedTest
from ...tables import NONE, Table
from ..report import Sourced
from .cost_claims import WAYS
from .published import THETAS
from .results import DIVIDED, PRINTED, Ratio, Results, plus_minus
from .tables import AS_PRINTED, MARK, steps_of


def cost_table(results: Results) -> Sourced:
    """Machines and vectors of a decision by one-versus-one, in a DDAG, and by DCSVM."""
    rows = []
    for name in results.names:
        row = [MARK.get(name, name)]
        for figure, digits in (("steps", 2), ("vectors", 0)):
            for method in ("OvsO", "DDAG", DIVIDED):
                test = results.interval(name, PRINTED, method, figure)
                row.append(_count(test, digits))
        rows.append(row)
    head = ["set", *(f"{what}, {m}" for what in ("machines", "vectors") for m in ("OvsO", "DAGSVM", "DCSVM"))]
    title = f"Figures 5 and 6: machines and support vectors per decision, θ=0.01 %, {AS_PRINTED}"
    return Sourced(Table(title, head, rows), steps_of())


def _count(test: PairedTest, digits: int) -> str:
    """A count, without an interval if it is the same in all trials."""
    if test.low < test.high:
        return plus_minus(test, digits)
    return f"{test.mean:.0f}" if test.mean == round(test.mean) else f"{test.mean:.{digits}f}"


def _ratio(ratio: Ratio) -> str:
    return f"{ratio.times:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]" if ratio.low else f"{ratio.times:.2f} {NONE}"


def times_table(results: Results) -> Sourced:
    """How many times faster."""
    rows = [[MARK.get(name, name), *(_ratio(results.faster(name, way)) for way in WAYS)] for name in results.names]
    title = f"Figure 7: how many times faster than one-versus-one, θ=0.01 %, {AS_PRINTED}, with intervals over rounds"
    return Sourced(Table(title, ["set", *WAYS.values()], rows), "steps `times/...`")


def bank_table(results: Results) -> Sourced:
    """Machines that share kernel values, and stopping early."""
    rows = []
    for name in results.names:
        of = results.found[f"times/{name}"]["evaluations"]
        counts = [f"{of[key]:.0f}" for key in ("all", "max_wins", "divided")]
        rows.append([MARK.get(name, name), *counts, _ratio(results.faster(name, "shared", than="max_wins"))])
    head = ["set", "all asked", "stopping early", "DCSVM", "times as fast as stopping early"]
    title = f"Don & Iacob, one bank: kernel values per decision, one scaling, θ=0.01 %, {AS_PRINTED}"
    return Sourced(Table(title, head, rows), "steps `times/...`")


def trees_table(results: Results) -> Sourced:
    """Nodes of trees with score first and with purity first."""
    rows = []
    for name in results.names:
        row = [MARK.get(name, name)]
        for theta in (THETAS[-1], THETAS[0]):
            for figure, digits in (("nodes", 0), ("tree_nodes", 0), ("leaf_depth", 2)):
                values = [results.mean(name, PRINTED, f"{prefer} {theta}", figure) for prefer in ("accuracy", "speed")]
                row.append(" / ".join(f"{value:.{digits}f}" for value in values))
        rows.append(row)
    what = ("nodes of the graph", "of the tree", "mean depth of a leaf")
    head = ["set", *(f"{text}, θ={theta} %" for theta in (THETAS[-1], THETAS[0]) for text in what)]
    title = f"Trees with score first / purity first, means over trials, {AS_PRINTED}"
    return Sourced(Table(title, head, rows), steps_of())
