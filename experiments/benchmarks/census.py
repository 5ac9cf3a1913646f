"""The census: `dagmar.SVC` against its peers on many sets of every kind, for the mean and for the worst.

`make bench-census` runs it, and it writes ``results/census.json`` and ``census.md``. `census_sets` has the sets; each is run at
two values of C. The speed on a set is that of the best peer on that set, whichever it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from statistics import geometric_mean, median
from typing import Any

from ..exceptions import DataError
from ..tables import NONE, Table
from .cases import Case
from .census_sets import MAX_ROWS, SETS
from .command import Benchmark, Screen, positive
from .competitors import (
    MAX_WINS,
    Competitor,
    Dagmar,
    Intelex,
    LibsvmConverted,
    LibsvmFromArrays,
    LibsvmFromArraysAlone,
    ScikitLearn,
)
from .goals import CENSUS_GOALS, LARGE, SMALL, TEXT
from .race import Pace
from .report import Content, SetBySet, conditions, heading
from .results import Result, disagreements, measure

LINE_UP: tuple[type[Competitor], ...] = (Dagmar, ScikitLearn, Intelex, LibsvmFromArrays, LibsvmFromArraysAlone)
SMALL_ONLY: tuple[type[Competitor], ...] = (LibsvmConverted,)
CS = (1.0, 100.0)
MANY_ROWS = 1000
WORST = 5
PACE = Pace(long=3.0, far=4.0, fill=0.2)
# Names of ratios in a record, as the tables call them.
SPEEDS = {"fit": "fit", "max_wins": "predict"}
EXPLANATION = f"""\
Each set is run at C of 1 and of 100, with the rbf kernel. Sets of the data folder have at most {MAX_ROWS} rows, a seeded choice
where there are more, all parts of an official split together; 70 % of the rows are for training, stratified by class. Features
are scaled to [-1, 1] by the training rows, and gamma is 4 / features; text has rows of length 1, and gamma is 1. *Rows* counts
both parts. What comes "from a seed" stands in for public sets of that shape.

A ratio of 2 means that the best peer on that set takes twice as long as dagmar; below 1, dagmar is the slower. `fit` and
`predict` of `"max_wins"` are compared by medians. `predict` is the first call after `fit`, which also builds what a library
keeps for later calls; *next* is the call after it. What takes less than {PACE.fill:g} s is repeated for that long in each
repeat. Who takes more than {PACE.long:g} s to fit, or {PACE.far:g} times as long as other peers in everything, runs once.

Everyone begins with the same arrays (scikit-learn-intelex in float32, where it is fastest). LIBSVM converts them to its own
form, which on a small set takes longer than the training. The last table compares the sets of fewer than {MANY_ROWS} rows once
more, with LIBSVM on rows that were converted before the clock started; this comparison has no goal."""


def group(case: dict[str, Any]) -> str:
    """The group of goals that a set belongs to.

    Parameters
    ----------
    case : dict
        As `Case.describe` returns it.
    """
    if "percent_full" in case:
        return TEXT
    return LARGE if rows_of(case) >= MANY_ROWS else SMALL


def rows_of(case: dict[str, Any]) -> int:
    """The rows of both parts."""
    return int(case["train_rows"] + case["test_rows"])


def ratio_of(result: Result, what: str) -> dict[str, Any]:
    """The entry of a result's ratios for "fit", "ddag" or "max_wins"."""
    found: dict[str, Any] = next(row for row in result["ratios"] if row["what"] == what)
    return found


def groups(sets: dict[str, Result]) -> dict[str, dict[str, Result]]:
    """The sets of each group that has any, in the order of their ratios' goals."""
    found = {
        name: {key: result for key, result in sets.items() if group(result["case"]) == name} for name in CENSUS_GOALS
    }
    return {name: members for name, members in found.items() if members}


def summary(sets: dict[str, Result]) -> list[dict[str, Any]]:
    """Mean and worst of each group in fit and predict, beside the goals.

    Parameters
    ----------
    sets : dict of str to dict
        Results by name.

    Returns
    -------
    list of dict
        With group, what, sets, mean, mean_goal, least, least_goal, least_of and met.
    """
    found = []
    for name, members in groups(sets).items():
        goal = CENSUS_GOALS[name]
        for what, shown in SPEEDS.items():
            ratios = {key: ratio_of(result, what)["ratio"] for key, result in members.items()}
            mean, least_of = geometric_mean(ratios.values()), min(ratios, key=ratios.__getitem__)
            least = ratios[least_of]
            found.append(
                {
                    "group": name,
                    "what": shown,
                    "sets": len(ratios),
                    "mean": mean,
                    "mean_goal": goal.mean,
                    "least": least,
                    "least_goal": goal.least,
                    "least_of": least_of,
                    "met": mean >= goal.mean and least >= goal.least,
                }
            )
    return found


def set_table(name: str, result: Result) -> Table:
    """One set as the screen shows it."""
    ratios = [ratio_of(result, what) for what in ("fit", "max_wins", "ddag")]
    rows = [
        [line["what"], f"{line['ratio']:.2f}", f"{line['warm']:.2f}" if "warm" in line else NONE, line["best_peer"]]
        for line in ratios
    ]
    return Table(name, ["times the best peer", "ratio", "next call", "best peer"], rows)


HEAD = [
    *("set", "rows", "features", "classes", "fit ms", "fit ×", "best peer"),
    *("predict ms", "predict ×", "next ×", "best peer", "ddag ×", "accuracy %", "as scikit-learn %"),
]


def row(name: str, result: Result) -> list[str]:
    """One set in the table of all."""
    case, seconds = result["case"], result["seconds"]
    fit, predict, ddag = (ratio_of(result, what) for what in ("fit", "max_wins", "ddag"))
    return [
        name,
        str(rows_of(case)),
        str(case["features"]),
        str(case["classes"]),
        f"{1000 * median(seconds['fit'][Dagmar.name]):.3g}",
        f"{fit['ratio']:.2f}",
        fit["best_peer"],
        f"{1000 * median(seconds['first_predict'][MAX_WINS]):.3g}",
        f"{predict['ratio']:.2f}",
        f"{predict['warm']:.2f}",
        predict["best_peer"],
        f"{ddag['ratio']:.2f}",
        f"{result['accuracy'][MAX_WINS]:.2f}",
        f"{result['labels_as_scikit_learn'][MAX_WINS]:.2f}",
    ]


def summary_table(sets: dict[str, Result]) -> Table:
    """Mean and worst of each group."""
    rows = [
        [
            line["group"],
            line["what"],
            str(line["sets"]),
            f"{line['mean']:.2f}",
            f"{line['mean_goal']:g}",
            f"{line['least']:.2f}",
            f"{line['least_goal']:g}",
            line["least_of"],
            "met" if line["met"] else "not met",
        ]
        for line in summary(sets)
    ]
    head = ["sets", "what", "runs", "geometric mean", "goal", "least", "goal", "which", ""]
    return Table("Times the best peer", head, rows)


def worst_table(name: str, members: dict[str, Result]) -> Table:
    """The worst of a group, in fit and in predict."""
    rows = []
    for what, shown in SPEEDS.items():
        entries = {key: ratio_of(result, what) for key, result in members.items()}
        for key in sorted(entries, key=lambda key: entries[key]["ratio"])[:WORST]:
            rows.append([key, shown, f"{entries[key]['ratio']:.2f}", entries[key]["best_peer"]])
    return Table(f"The worst five: {name}", ["set", "what", "ratio", "best peer"], rows)


def converted_table(members: dict[str, Result]) -> Table:
    """Small sets against LIBSVM's bare C functions."""
    rows = []
    for key, result in members.items():
        seconds, name = result["seconds"], LibsvmConverted.name
        if name in seconds["fit"]:
            fit = median(seconds["fit"][name]) / median(seconds["fit"][Dagmar.name])
            predict = median(seconds["first_predict"][name]) / median(seconds["first_predict"][MAX_WINS])
            rows.append([key, f"{fit:.2f}", f"{predict:.2f}"])
    return Table("Times LIBSVM on one thread, with rows converted before", ["set", "fit", "predict"], rows)


class Census(SetBySet):
    """A report with one line per set."""

    def markdown(self, report: Content) -> str:
        """The whole report as text."""
        sets = report["sets"]
        by_size = sorted(sets.items(), key=lambda item: (rows_of(item[1]["case"]), item[0]))
        tables = [
            summary_table(sets),
            *(worst_table(name, members) for name, members in groups(sets).items()),
            Table("All sets by size", HEAD, [row(*item) for item in by_size]),
        ]
        if SMALL in groups(sets):
            tables.append(converted_table(groups(sets)[SMALL]))
        parts = [heading(self.title, report), conditions(report), EXPLANATION, *(table.markdown() for table in tables)]
        return "\n\n".join([*parts, *(f"Disagreement: {line}." for line in disagreements(report))]) + "\n"


PAGE = Census("census", "Census", lambda name, result: [set_table(name, result)])


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run everyone on each set at each C; sets that cannot be loaded are named and left out."""
    missing, results = [], {}

    def cases() -> Iterator[Case]:
        for name in options.sets:
            try:
                case = SETS[name](options.max_rows)
            except DataError as error:
                screen.fail(str(error))
                missing.append(name)
                continue
            for C in options.C:
                yield replace(case, name=f"{name}, C {C:g}", C=C)

    def measured(case: Case) -> Result:
        small = group(case.describe()) == SMALL
        kinds = (*LINE_UP, *SMALL_ONLY) if small else LINE_UP
        results[case.name] = measure(case, options.threads, options.repeats, screen.say, kinds, PACE)
        return results[case.name]

    code = PAGE.run(cases(), measured, options, screen)
    screen.show([summary_table(results)])
    return int(bool(code or missing))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which sets and values of C, and how many rows."""
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="NAME", help="(default: all)")
    parser.add_argument("--C", nargs="+", type=float, default=CS, help="values of C (default: 1 and 100)")
    parser.add_argument(
        "--max-rows", type=positive, default=MAX_ROWS, help=f"of a set, both parts together (default: {MAX_ROWS})"
    )


BENCHMARK = Benchmark("census", "dagmar.SVC against its peers on many sets of every kind.", run, add_options)
