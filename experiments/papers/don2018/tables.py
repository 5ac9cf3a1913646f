"""Tables 3 to 6, published and measured, and the differences between methods."""

from __future__ import annotations

from ...tables import Table
from ..report import Sourced
from .cells import accuracy_cell, classes_cell, count_cell, set_cell
from .published import METHODS, THETAS
from .results import DIVIDED, OTHER, PRINTED, Results, method_key, method_name, plus_minus
from .sources import SOURCES

MARK = {"artificial": "artificial (ours)", "sensorless": "sensorless (part)"}
AS_PRINTED = f"{PRINTED} % trained"


def steps_of(share: int = PRINTED) -> str:
    """Where trials with a share of the rows stand in the record."""
    return f"steps `trials/{share}/...`"


def sets_table(results: Results) -> Sourced:
    """Table 3, and what stands for each set."""
    rows = []
    for name in results.names:
        shape, source = results.shape(name), SOURCES[name]
        parts = {"all": "all rows", "train": "training file", "test": "test file"}
        what = f"{source.file}, {parts[source.part]}" if source.file else "six round classes in the plane, generated"
        if source.sample or shape["rows"] == source.quick:
            what += ", a random sample"
        if source.row_number:
            what += ", with the row number as a feature"
        counts = [str(shape[key]) for key in ("classes", "rows", "features", "smallest_class", "largest_class")]
        rows.append([set_cell(3, name), classes_cell(name), *counts, what])
    head = ["set", "classes, published", "here", "rows", "features", "smallest class", "largest class", "rows taken"]
    return Sourced(Table("Table 3: data sets, and what stands for them", head, rows), steps_of())


def accuracy_table(results: Results) -> Sourced:
    """Table 4."""
    rows = [
        [
            set_cell(4, name),
            *(
                cell
                for method in METHODS
                for cell in (
                    accuracy_cell(name, method),
                    plus_minus(results.interval(name, PRINTED, method_key(method))),
                )
            ),
        ]
        for name in results.names
    ]
    title = f"Table 4: accuracy in percent, published and measured, {AS_PRINTED}"
    head = ["set", *(text for method in METHODS for text in (method_name(method), "measured"))]
    return Sourced(Table(title, head, rows), steps_of())


def count_table(results: Results, table: int) -> Sourced:
    """Table 5 or 6."""
    figure, what = ("steps", "steps") if table == 5 else ("vectors", "support vectors")
    rows = []
    for name in results.names:
        row: list[str] = [set_cell(table, name)]
        for theta in THETAS:
            row += [
                count_cell(table, name, theta),
                plus_minus(results.interval(name, PRINTED, method_key(theta), figure)),
            ]
        if table == 6:
            row.append(f"± {100 * results.spread(name, DIVIDED):.1f} %")
        rows.append(row)
    head = ["set", *(text for theta in THETAS for text in (f"θ={theta} %", "measured"))]
    steps = steps_of()
    if table == 6:
        head.append("by the solver's tolerance, θ=0.01 %")
        steps += " and `tolerance/...`"
    return Sourced(
        Table(f"Table {table}: {what} per decision, published and measured, {AS_PRINTED}", head, rows), steps
    )


def other_share_table(results: Results, table: int) -> Sourced:
    """What Tables 4, 5 and 6 measure with the other share; the published numbers stand on the page of the paper."""
    what = {4: "accuracy in percent", 5: "steps per decision", 6: "support vectors per decision"}[table]
    figure = {4: "accuracy", 5: "steps", 6: "vectors"}[table]
    methods = METHODS if table == 4 else THETAS
    rows = [
        [MARK.get(name, name), *(plus_minus(results.interval(name, OTHER, method_key(m), figure)) for m in methods)]
        for name in results.names
    ]
    n_trials = len(results.lists("iris", OTHER, "BI")["accuracy"])
    title = f"Table {table} with {OTHER} % trained, {n_trials} trials: {what}"
    columns = map(method_name, methods) if table == 4 else (f"{figure}, θ={theta} %" for theta in methods)
    return Sourced(Table(title, ["set", *columns], rows), steps_of(OTHER))


def significance_table(results: Results) -> Sourced:
    """Whether methods differ by more than chance."""
    pairs = {
        "BI less OvsO": ("BI", "OvsO"),
        "DCSVM θ=0.01 % less OvsO": (DIVIDED, "OvsO"),
        "DCSVM θ=0.01 % less BI": (DIVIDED, "BI"),
        "DCSVM θ=2 % less OvsO": (method_key("2"), "OvsO"),
    }
    tests = results.by_holm(PRINTED, list(pairs.values()))
    rows = []
    for name in results.names:
        row = [MARK.get(name, name)]
        for pair in pairs.values():
            test, p = tests[pair][name]
            row += [plus_minus(test), f"{p:.2g}"]
        rows.append(row)
    head = ["set", *(text for words in pairs for text in (words, "p"))]
    title = f"Differences of accuracy in points, {AS_PRINTED}; p by Holm over the table"
    return Sourced(Table(title, head, rows), steps_of())
