"""What theta, the dimension and the kind of machine change."""

from __future__ import annotations

import numpy as np

from ...statistics import corrected_t_test, holm
from ...tables import Table
from ..report import Sourced
from .checks import CLASSIFIERS
from .results import PRINTED, Results, plus_minus
from .study import ADDED, CLASSIFIER_SETS, CURVE, DIMENSION_SETS, FINE, KEPT
from .tables import AS_PRINTED, MARK


def letter_table(results: Results) -> Sourced:
    """Figure 9."""
    found = results.found[f"curve/{PRINTED}/letter"]
    accuracy, steps = np.asarray(found["accuracy"]), np.asarray(found["steps"])
    others = {key: np.asarray(found[key]) for key in ("OvsO", "BI")}
    sizes = found["trained"], found["tested"]
    tests = {key: [corrected_t_test(of - other, *sizes) for of in accuracy.T] for key, other in others.items()}
    p = {key: holm([test.p for test in of]) for key, of in tests.items()}
    rows = []
    for t, theta in enumerate(CURVE):
        row = [f"{theta} %", plus_minus(corrected_t_test(accuracy[:, t], *sizes)), f"{steps[:, t].mean():.2f}"]
        for key in others:
            row += [plus_minus(tests[key][t]), f"{p[key][t]:.2g}"]
        rows.append(row)
    head = ["θ", "accuracy %", "steps", "less OvsO", "p", "less BI", "p"]
    title = f"Figures 8 and 9: letter over θ, {len(accuracy)} trials, {AS_PRINTED}; p by Holm over θ"
    return Sourced(Table(title, head, rows), f"step `curve/{PRINTED}/letter`")


def decided_table(results: Results) -> Sourced:
    """How many cells are decided, and how long decisions are for that."""
    rows = []
    for name in results.names:
        separation, steps = (results.curve(PRINTED, name, key) for key in ("separation", "steps"))
        row = [MARK.get(name, name), str(results.most(name))]
        row += [f"{separation[FINE.index(theta)]:.1f}" for theta in (0.0, 2.0, 5.0)]
        row += [f"{100 * steps[CURVE.index(theta)] / results.most(name):.0f}" for theta in ("0", "2", "5")]
        rows.append(row)
    head = ["set", "k-1", *(f"decided %, θ={t} %" for t in "025"), *(f"steps, % of k-1, θ={t} %" for t in "025")]
    title = f"Decided cells, and steps, on all sets, {AS_PRINTED}"
    return Sourced(Table(title, head, rows), f"steps `curve/{PRINTED}/...`")


def dimension_table(results: Results) -> Sourced:
    """What fewer features, and features that say nothing, change."""
    parts = {f"kept {min(KEPT):g}": f"{100 * min(KEPT):.0f} %", "kept 1": "all"}
    parts |= {f"added {max(ADDED)}": f"{max(ADDED)} shuffled copies"}
    rows = []
    for name in DIMENSION_SETS:
        found = results.found[f"dimension/{name}"]
        row = [MARK.get(name, name), str(found["features"])]
        row += [f"{np.mean(found[key]['sparsity']):.2f}" for key in parts]
        for figure, digits in (("separation", 1), ("steps", 2), ("accuracy", 1)):
            tests = (corrected_t_test(found[key][figure], found["trained"], found["tested"]) for key in parts)
            row += [plus_minus(test, digits) for test in tests]
        rows.append(row)
    what = ("sparsity", "decided %", "steps", "accuracy %")
    head = ["set", "features", *(f"{text}, {part}" for text in what for part in parts.values())]
    title = f"A part of the features, all, and shuffled copies of all added, θ=0, {AS_PRINTED}"
    return Sourced(Table(title, head, rows), "steps `dimension/...`")


def classifiers_table(results: Results) -> Sourced:
    """Other binary classifiers at the nodes."""
    rows = []
    for name in CLASSIFIER_SETS:
        found = results.found[f"classifiers/{name}"]
        sizes = found["trained"], found["tested"]
        row = [name, str(found["classes"] - 1)]
        for kind in CLASSIFIERS:
            of = found[kind]
            gap = corrected_t_test(np.subtract(of["DCSVM"], of["OvsO"]), *sizes)
            row += [f"{np.mean(of['OvsO']):.2f}", plus_minus(gap), f"{np.mean(of['steps']):.2f}"]
        rows.append(row)
    head = ["set", "k-1"]
    for kind in CLASSIFIERS:
        head += [f"{kind}: OvsO %", "DCSVM less OvsO", "steps"]
    return Sourced(Table(f"Other binary classifiers, θ=0.01 %, {AS_PRINTED}", head, rows), "steps `classifiers/...`")
