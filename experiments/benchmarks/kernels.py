"""The Laplacian kernel: `dagmar.SVC` against scikit-learn's SVC, which computes it as a function or is given the matrix.

`make bench-kernels` runs it on every set of the data folders, and it writes ``results/kernels.json`` and ``kernels.md``. Each
set is run twice: with features scaled to [-1, 1] and as ranks of at most 256 levels (`dagmar.tuning.Ranks`), where our rbf
kernel runs, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from statistics import geometric_mean, median
from typing import Any

from ..catalogue import CATALOGUE
from ..data import data_folders
from ..exceptions import DataError
from ..tables import NONE, Table
from .cases import Case
from .census import ratio_of, rows_of
from .census_sets import of_folder
from .command import Benchmark, Screen, positive
from .competitors import MAX_WINS, Dagmar, DagmarRbf, ScikitLearnFunction, ScikitLearnMatrix
from .goals import LAPLACIAN_GOAL
from .race import Pace
from .report import Content, SetBySet, conditions, heading
from .results import Result, disagreements, measure

LINE_UP = (Dagmar, ScikitLearnFunction, ScikitLearnMatrix)
SCALED, RANKS = "scaled", "ranks"
MAX_ROWS = 4000  # the kernel matrix of scikit-learn grows with the square
PACE = Pace(long=2.0, far=4.0, fill=0.2)
WORST = 5
EXPLANATION = """\
Sets of the data folders have at most {max_rows} rows, a seeded choice where there are more, all parts of an official split
together; 70 % of the rows are for training, stratified by class. C is 10 and gamma is `"scale"`. *Rows* counts both parts. Each
set is run with features scaled to [-1, 1] by the training rows, and as ranks of at most 256 levels (`dagmar.tuning.Ranks`).

A ratio of 2 means that scikit-learn takes twice as long, with `laplacian_kernel` as a function or with its matrix, whichever is
faster; the time of the matrix counts. `fit` and `predict` of `"max_wins"` are compared by medians. *Predict* is the first call
after `fit`, *next* is the call after it. *Rbf* is the time of our rbf kernel on the same ranks as a multiple of that of the
Laplacian kernel: above 1, the Laplacian kernel is the faster one."""


def laplacian(case: Case, name: str) -> Case:
    """A case of the census for the Laplacian kernel.

    Parameters
    ----------
    case : Case
        Dense, scaled to [-1, 1].
    name : {"scaled", "ranks"}

    Returns
    -------
    Case
    """
    from dagmar.tuning import Ranks

    if name == RANKS:
        ranks = Ranks().fit(case.X_train)
        case = replace(case, X_train=ranks.transform(case.X_train), X_test=ranks.transform(case.X_test))
    gamma = 1.0 / (case.X_train.shape[1] * float(case.X_train.std()))
    return replace(case, name=f"{case.name}, {name}", kernel="laplacian", gamma=gamma, C=10.0)


def names() -> list[str]:
    """Every set of the catalogue, and those of the data folders that are not in it."""
    files = {file.stem for folder in data_folders() for file in folder.glob("*.npz")}
    return [*CATALOGUE, *sorted(files - set(CATALOGUE))]


def times_of_rbf(result: Result) -> tuple[float, float] | None:
    """What our rbf kernel takes to fit and to predict, as multiples of the Laplacian kernel; None if it did not run."""
    fit, predict = result["seconds"]["fit"], result["seconds"]["first_predict"]
    if DagmarRbf.name not in fit:
        return None
    of_rbf = f"{MAX_WINS}, rbf"
    return (
        median(fit[DagmarRbf.name]) / median(fit[Dagmar.name]),
        median(predict[of_rbf]) / median(predict[MAX_WINS]),
    )


HEAD = [
    *("set", "rows", "features", "classes", "fit ms", "fit ×", "predict ms", "predict ×", "next ×"),
    *("rbf fit ×", "rbf predict ×", "accuracy %", "as scikit-learn %"),
]


def row(name: str, result: Result) -> list[str]:
    """One set in the table of all."""
    case, seconds = result["case"], result["seconds"]
    fit, predict, rbf = ratio_of(result, "fit"), ratio_of(result, "max_wins"), times_of_rbf(result)
    return [
        name,
        str(rows_of(case)),
        str(case["features"]),
        str(case["classes"]),
        f"{1000 * median(seconds['fit'][Dagmar.name]):.3g}",
        f"{fit['ratio']:.1f}",
        f"{1000 * median(seconds['first_predict'][MAX_WINS]):.3g}",
        f"{predict['ratio']:.1f}",
        f"{predict['warm']:.1f}",
        *([NONE, NONE] if rbf is None else [f"{times:.2f}" for times in rbf]),
        f"{result['accuracy'][MAX_WINS]:.2f}",
        f"{result['labels_as_scikit_learn'][MAX_WINS]:.2f}",
    ]


def columns(sets: dict[str, Result]) -> dict[str, dict[str, float]]:
    """The ratios that have a goal: of each, by set."""
    found: dict[str, dict[str, float]] = {
        "fit, times scikit-learn": {name: ratio_of(result, "fit")["ratio"] for name, result in sets.items()},
        "predict, times scikit-learn": {name: ratio_of(result, "max_wins")["ratio"] for name, result in sets.items()},
    }
    rbf = {name: times for name, result in sets.items() if (times := times_of_rbf(result)) is not None}
    if rbf:
        found["fit, times rbf on ranks"] = {name: times[0] for name, times in rbf.items()}
        found["predict, times rbf on ranks"] = {name: times[1] for name, times in rbf.items()}
    return found


def summary_table(sets: dict[str, Result]) -> Table:
    """Mean, worst, and how many sets reach the goal."""
    rows = []
    for what, ratios in columns(sets).items():
        goal = LAPLACIAN_GOAL if "scikit-learn" in what else 1.0
        worst = sorted(ratios, key=ratios.__getitem__)[:WORST]
        rows.append(
            [
                what,
                str(len(ratios)),
                f"{geometric_mean(ratios.values()):.1f}",
                f"{goal:g}",
                str(sum(ratio >= goal for ratio in ratios.values())),
                "; ".join(f"{name} {ratios[name]:.2f}" for name in worst),
            ]
        )
    return Table("Ratios", ["", "runs", "geometric mean", "goal for each", "reach it", "the worst"], rows)


class Kernels(SetBySet):
    """A report with one line per set."""

    def markdown(self, report: Content) -> str:
        """The whole report as text."""
        sets = report["sets"]
        by_size = sorted(sets.items(), key=lambda item: (rows_of(item[1]["case"]), item[0]))
        tables = [summary_table(sets), Table("All sets by size", HEAD, [row(*item) for item in by_size])]
        explained = EXPLANATION.format(max_rows=report["max_rows"])
        parts = [heading(self.title, report), conditions(report), explained, *(table.markdown() for table in tables)]
        return "\n\n".join([*parts, *(f"Disagreement: {line}." for line in disagreements(report))]) + "\n"


PAGE = Kernels("kernels", "The Laplacian kernel", lambda name, result: [Table(name, HEAD, [row(name, result)])])


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run everyone on each set, scaled and as ranks; sets that cannot be loaded are named and left out."""
    missing: list[str] = []

    def cases() -> Iterator[Case]:
        for name in options.sets or names():
            try:
                case = of_folder(name, options.max_rows)
            except DataError as error:
                screen.fail(str(error))
                missing.append(name)
                continue
            for scaling in (SCALED, RANKS):
                yield laplacian(case, scaling)

    def measured(case: Case) -> Result:
        kinds: tuple[Any, ...] = (*LINE_UP, DagmarRbf) if case.name.endswith(RANKS) else LINE_UP
        return measure(case, options.threads, options.repeats, screen.say, kinds, PACE)

    return int(bool(PAGE.run(cases(), measured, options, screen) or missing))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which sets, and how many rows."""
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="(default: all of the data folders)")
    words = f"of a set, both parts together (default: {MAX_ROWS})"
    parser.add_argument("--max-rows", type=positive, default=MAX_ROWS, help=words)


BENCHMARK = Benchmark("kernels", "The Laplacian kernel of SVC against scikit-learn's.", run, add_options)
