"""The tables of a comparison, as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dagmar.base.showing import counted

from ..statistics import ranks
from ..tables import NONE, Table
from .cube import Cube
from .scheme import Kind
from .versus import all_versus, per_set

FIELDS = (
    "accuracy",
    "balanced_accuracy",
    "tuning_accuracy",
    "seconds",
    "wall_seconds",
    "predict_us",
    "machines",
    "kernel_evaluations",
    "cells",
    "parameters",
    "warnings",
    "error",
)
ESCAPED = {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "–": "--", "±": r"$\pm$", "−": "$-$"}


def summary(cube: Cube) -> Table:
    """One row per scheme: rank, accuracy, tests against the reference, time and cost."""
    schemes, reference = cube.schemes, cube.reference
    matrix = cube.means(schemes).counted()
    mean_rank = ranks(matrix.values).mean(axis=0) if len(matrix.sets) else np.full(len(schemes), np.nan)
    accuracy = matrix.values.mean(axis=0) if len(matrix.sets) else np.full(len(schemes), np.nan)
    against = {one.scheme: one for one in all_versus(cube, tuple(s for s in schemes if s != reference), reference)}
    rows = []
    for i in np.argsort(mean_rank, kind="stable"):
        scheme, one = schemes[i], against.get(schemes[i])
        tests = [f"{one.wins} : {one.losses}", f"{one.better} : {one.worse}", f"{one.p:.2g}"] if one else [NONE] * 3
        rows.append(
            [
                f"`{scheme}`",
                f"{mean_rank[i]:.2f}",
                f"{accuracy[i]:.2f}",
                *tests,
                _geometric(cube, scheme, "seconds", 3),
                _geometric(cube, scheme, "predict_us", 1),
                _geometric(cube, scheme, "machines", 1),
                _geometric(cube, scheme, "kernel_evaluations", 0),
            ]
        )
    head = ["scheme", "mean rank", "accuracy %", f"wins : losses against `{reference}`"]
    head += ["significant, per set", "p over sets", "seconds", "µs per prediction", "machines", "kernel evaluations"]
    title = (
        f"Schemes by mean rank, over {counted(len(matrix.sets), 'set')} (those that count and that all schemes have)"
    )
    return Table(title, head, rows)


def accuracies(cube: Cube) -> Table:
    """The mean accuracy of every scheme on every set, and the standard deviation over the splits."""
    rows = []
    for name in by_name(cube):
        cells = []
        for scheme in cube.schemes:
            values = [cube.steps[at]["accuracy"] for n in cube.splits if (at := (name, n, scheme)) in cube.steps]
            cells.append(f"{np.mean(values):.2f} ± {np.std(values):.2f}" if values else NONE)
        rows.append([name, *cells])
    return Table("Accuracy in percent: mean and standard deviation over the splits", ["set", *cube.schemes], rows)


def differences(cube: Cube, kind: Kind) -> Table:
    """Each scheme of a kind less the reference on every set, with Nadeau & Bengio's interval."""
    reference = cube.reference
    schemes = [scheme for scheme in cube.of_kind(kind.name) if scheme != reference]
    columns: dict[str, dict[str, str]] = {}
    for scheme in schemes:
        tests, p = per_set(cube, scheme, reference)
        columns[scheme] = {
            name: f"{test.mean:+.2f} [{test.low:+.2f}, {test.high:+.2f}]{'*' if adjusted < 0.05 else ''}"
            for (name, test), adjusted in zip(tests.items(), p, strict=True)
        }
    rows = [[name, *(columns[scheme].get(name, NONE) for scheme in schemes)] for name in by_name(cube)]
    title = (
        f"Points of accuracy more than `{reference}`, with the 95 % interval of Nadeau & Bengio "
        "(* significant after Holm's correction over the sets)"
    )
    return Table(title, ["set", *schemes], rows)


def sets(cube: Cube) -> Table:
    """The shape of every set, and how it counts."""
    rows = []
    for name in by_name(cube):
        told = cube.sets[name]
        shape = [told["rows"], told["all_rows"], told["features"], told["classes"], told["least_per_class"]]
        rows.append([name, *map(str, shape), f"{100 * told['two_valued']:.0f}", cube.counting.words(name)])
    head = ["set", "rows", "of", "features", "classes", "rows of the smallest class", "0/1 features, %", "counts"]
    return Table("Sets, and how they count in ranks and tests over sets", head, rows)


def all_tables(cube: Cube) -> list[Table]:
    """All tables, in order."""
    kinds = [
        kind for kind in Kind if kind is not Kind.PROBE and any(s != cube.reference for s in cube.of_kind(kind.name))
    ]
    return [summary(cube), accuracies(cube), *(differences(cube, kind) for kind in kinds), sets(cube)]


def latex(table: Table) -> str:
    """A table for LaTeX, with the rules of the package booktabs.

    Parameters
    ----------
    table : Table

    Returns
    -------
    str
    """
    lines = [r" & ".join(map(_escaped, row)) + r" \\" for row in [table.head, *table.rows]]
    lines.insert(1, r"\midrule")
    columns = "l" + "r" * (len(table.head) - 1)
    body = [r"\toprule", *lines, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([f"% {table.title}", rf"\begin{{tabular}}{{{columns}}}", *body])


def comma_separated(content: Mapping[str, Any]) -> str:
    """All steps as CSV, one line each.

    Parameters
    ----------
    content : mapping
        Of a file of results.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["set", "split", "scheme", *FIELDS])
    for key, found in content["steps"].items():
        writer.writerow([*key.rsplit("/", 2), *(_cell(found.get(field)) for field in FIELDS)])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{key}={one}" for key, one in value.items())
    return "" if value is None else value


def _escaped(text: str) -> str:
    return "".join(ESCAPED.get(sign, sign) for sign in text.replace("`", ""))


def by_name(cube: Cube) -> Sequence[str]:
    """The names of the sets that have results, sorted."""
    there = {name for name, _, _ in cube.steps}
    return sorted((name for name in cube.sets if name in there), key=str.lower)


def _geometric(cube: Cube, scheme: str, field: str, digits: int) -> str:
    """The geometric mean over all sets."""
    matrix = cube.means([scheme], field, logarithm=True)
    return f"{np.exp(matrix.values.mean()):.{digits}f}" if len(matrix.sets) else NONE
