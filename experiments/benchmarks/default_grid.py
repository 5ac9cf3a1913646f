"""The adaptive search of `dagmar.SVCCV` with its default grid against the best of many more cells, on many sets.

It writes ``results/default_grid.json`` and ``default_grid.md``. The many cells are 15 × 15, over the range of LIBSVM's guide: C
from 2**-5 to 2**15, gamma from 2**-15 to 2**3. Both searches use the same five folds and a `StandardScaler` inside them. The
goal: a best score within half a point on 90 % of the sets. The best of 225 noisy scores is higher than its cell deserves, so on
small sets a gap of a point may mean nothing; the standard error stands beside it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from ..compare.sets import Prepared, prepare, sources_of
from ..tables import Table
from .command import Benchmark, Screen, positive
from .report import Content, conditions, new_report, write

CS = tuple(np.geomspace(2.0**-5, 2.0**15, 15).tolist())
GAMMAS = tuple(np.geomspace(2.0**-15, 2.0**3, 15).tolist())
FOLDS = 5
MOST_STEPS = 200_000  # per machine: with the largest C, some of the 225 cells would take minutes
NEAR, SHARE = 0.5, 0.9  # the goal: points of accuracy, and share of the sets


def measure(data: Prepared, threads: int) -> Content:
    """Search in both ways.

    Parameters
    ----------
    data : Prepared
    threads : int

    Returns
    -------
    dict
        The shape of the set; for each way the best cell, its score and standard error in percent, cells and processor seconds.
    """
    many = {"Cs": CS, "gammas": GAMMAS, "max_iter": MOST_STEPS}
    return {
        "case": data.describe(),
        "default": _search(data, threads, search="adaptive"),
        "many": _search(data, threads, **many),
    }


def _search(data: Prepared, threads: int, **given: Any) -> Content:
    import dagmar

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    search = dagmar.SVCCV(cv=folds, scaler=StandardScaler(), refit=False, n_jobs=threads, **given)
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cells on the edge, and cells of a large C at their limit of steps
        search.fit(data.X, data.y)
    return {
        **{name: float(value) for name, value in search.best_params_.items()},
        "score": 100 * float(search.best_score_),
        "standard_error": 100 * float(search.cv_results_["std_test_score"][search.best_index_]) / FOLDS**0.5,
        "cells": len(search.cv_results_["params"]),
        "seconds": time.process_time() - begun,
    }


def gap(result: Content) -> float:
    """By how many points the default is below the best of many cells."""
    return float(result["many"]["score"] - result["default"]["score"])


def table(results: dict[str, Content]) -> Table:
    """Both ways on every set, the widest gap first.

    Parameters
    ----------
    results : dict
        From the name of a set to what `measure` returns.

    Returns
    -------
    Table
    """
    rows = []
    for name, result in sorted(results.items(), key=lambda item: -gap(item[1])):
        default, many = result["default"], result["many"]
        rows.append(
            [
                name,
                str(result["case"]["rows"]),
                f"{default['score']:.2f}",
                f"{many['score']:.2f}",
                f"{gap(result):+.2f}",
                f"{many['standard_error']:.2f}",
                f"{default['C']:.3g}, {default['gamma']:.2g}",
                f"{many['C']:.3g}, {many['gamma']:.2g}",
                str(default["cells"]),
                f"{default['seconds']:.2f}",
                f"{many['seconds']:.1f}",
            ]
        )
    head = [
        "set",
        "rows",
        "default %",
        "best of 225 %",
        "gap",
        "standard error",
        "C, gamma of the default",
        "of the best",
    ]
    return Table("Best scores of cross-validation", [*head, "cells tried", "seconds", "seconds of 225"], rows)


def verdict(results: dict[str, Content]) -> str:
    """The goal in words."""
    near = sum(gap(result) <= NEAR + 1e-9 for result in results.values())
    met = "met" if near >= SHARE * len(results) else "not met"
    return (
        f"The default is within {NEAR:g} points of the best of 225 cells on {near} of {len(results)} sets "
        f"({100 * near / len(results):.0f} %); the goal of {100 * SHARE:.0f} % is {met}."
    )


def markdown(report: Content) -> str:
    """The whole report as Markdown."""
    sets = report["sets"]
    words = f"At most {report['rows']} rows of each set, {FOLDS} folds."
    return "\n\n".join(["# Default grid", conditions(report), words, verdict(sets), table(sets).markdown()]) + "\n"


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Search every set, show and write the results."""
    report = {**new_report(options), "rows": options.rows, "sets": {}}
    for source in sources_of(options.sets):
        screen.headline(source.name)
        report["sets"][source.name] = measure(prepare(source, options.rows, seed=0), options.threads)
        screen.show([table({source.name: report["sets"][source.name]})])
        # After each set, so that a run that is stopped keeps the sets before.
        write(report, markdown(report), options.out, "default_grid")
    screen.say(verdict(report["sets"]))
    return 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which data sets, and how many rows."""
    parser.add_argument(
        "--sets", nargs="+", default=[], metavar="SET", help="as --data of `compare` (default: DAGMAR_DATA)"
    )
    parser.add_argument("--rows", type=positive, default=2000, help="most rows of a set (default: 2000)")


BENCHMARK = Benchmark(
    "default_grid", "The default grid of the adaptive search against many more cells.", run, add_options, repeats=None
)
