"""A grid of C and gamma by cross-validation: `dagmar.SVCCV` against scikit-learn's `GridSearchCV`.

`make bench-tuning` runs it, and it writes ``results/tuning.json`` and ``tuning.md``. By default it uses the first 5000 rows
of Letter, six values of C by factors of four from 1/2 to 512 (the step of LIBSVM's guide), five of gamma by factors of four
around the set's own, and five folds: 150 fits, and one more on all rows with the best parameters. Everyone gets the same
folds, and answers by max-wins, which is scikit-learn's rule. `GridSearchCV` over `dagmar.SVC` shows how much of the
difference comes from the solver, and how much from what `SVCCV` shares among the cells.
"""

from __future__ import annotations

import argparse
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from ..tables import NONE, Table
from .agreement import percent_equal
from .cases import RECIPES, Case, load_case
from .command import Benchmark, Screen, positive
from .competitors import Competitor, Predictor
from .race import Laps, line_up, race
from .report import Content, conditions, new_report, write
from .speed_tables import headline, median_and_min

CS = tuple((2.0 ** np.arange(-1, 11, 2)).tolist())
GAMMA_FACTORS = tuple((4.0 ** np.arange(-2, 3)).tolist())
FOLDS = 5
SEED = 0
CACHE_MB = 1000  # for each worker: every pair's whole kernel fits many times
GOAL = 25  # times scikit-learn
MOST_POINTS_APART = 0.2  # of a cell's mean score


class Search(Competitor):
    """A search over the grid; `fit` ends with the best parameters fitted on all rows."""

    @cached_property
    def grid(self) -> dict[str, list[float]]:
        """Values of C and gamma."""
        return {"C": list(CS), "gamma": [self.case.gamma * factor for factor in GAMMA_FACTORS]}

    @cached_property
    def folds(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Training and test rows of every fold, the same for everyone."""
        shuffled = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        return list(shuffled.split(self.case.X_train, self.case.y_train))

    @property
    def others(self) -> dict[str, Any]:
        """The parameters that are not searched for."""
        return {name: value for name, value in self.parameters.items() if name not in self.grid}

    @abstractmethod
    def search(self) -> Any:
        """The search, not yet run."""

    def fit(self) -> Any:
        """Run a new search; timed."""
        return self.search().fit(self.case.X_train, self.case.y_train)

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """The model fitted with the best parameters."""
        return {self.name: lambda: model.best_estimator_.predict(self.case.X_test)}

    def counts(self, model: Any) -> dict[str, float]:
        """The work is the same for everyone, and known before."""
        return {}


class Shared(Search):
    """`dagmar.SVCCV`, which knows that all cells are of one problem."""

    name = "dagmar.SVCCV"

    def search(self) -> Any:
        """The search, not yet run."""
        import dagmar

        Cs, gammas = self.grid["C"], self.grid["gamma"]
        return dagmar.SVCCV(
            Cs=Cs, gammas=gammas, cv=self.folds, structure="max_wins", n_jobs=self.threads, **self.others
        )


class Grid(Search):
    """`GridSearchCV`, one process per thread, over an SVC."""

    @abstractmethod
    def svc(self) -> Any:
        """What is fitted in every cell and fold."""

    def search(self) -> Any:
        """The search, not yet run."""
        return GridSearchCV(self.svc(), self.grid, cv=self.folds, n_jobs=self.threads, error_score="raise")


class GridOfDagmar(Grid):
    """Over `dagmar.SVC`."""

    name = "GridSearchCV of dagmar.SVC"

    def svc(self) -> Any:
        """What is fitted in every cell and fold."""
        import dagmar

        return dagmar.SVC(**self.others, structure="max_wins")


class GridOfScikitLearn(Grid):
    """Over `sklearn.svm.SVC`."""

    name = "GridSearchCV of sklearn.svm.SVC"

    def svc(self) -> Any:
        """What is fitted in every cell and fold."""
        from sklearn.svm import SVC

        return SVC(**self.others)


SEARCHES = (Shared, GridOfDagmar, GridOfScikitLearn)
PEERS = (GridOfDagmar.name, GridOfScikitLearn.name)


def mean_scores(model: Any) -> dict[tuple[float, float], float]:
    """The mean score of every cell (C, gamma), in per cent.

    Parameters
    ----------
    model : fitted search
        With `cv_results_` as scikit-learn has it.
    """
    scores = zip(model.cv_results_["params"], model.cv_results_["mean_test_score"], strict=True)
    return {(float(cell["C"]), float(cell["gamma"])): 100 * float(score) for cell, score in scores}


def points_apart(a: dict[tuple[float, float], float], b: dict[tuple[float, float], float]) -> float:
    """The largest difference of a cell between two searches over the same cells."""
    if a.keys() != b.keys():
        raise ValueError("The searches have not looked at the same cells.")
    return max(abs(score - b[cell]) for cell, score in a.items())


def summary(laps: Laps, case: Case) -> dict[str, Any]:
    """What the race has shown: plain data, as it goes into the JSON file.

    Parameters
    ----------
    laps : Laps
    case : Case

    Returns
    -------
    dict
    """
    scores = {name: mean_scores(model) for name, model in laps.models.items()}
    reference = scores[GridOfScikitLearn.name]
    ours = median(laps.fit[Shared.name])
    ratios = {peer: median(laps.fit[peer]) / ours for peer in PEERS}
    apart = {name: points_apart(scores[name], reference) for name in scores if name != GridOfScikitLearn.name}
    return {
        "seconds": dict(laps.fit),
        "ratios": ratios,
        "goal": GOAL,
        "met": ratios[GridOfScikitLearn.name] >= GOAL,
        "cells": [{"C": C, "gamma": gamma} for C, gamma in reference],
        "mean_test_scores": {name: [cells[cell] for cell in reference] for name, cells in scores.items()},
        "points_from_scikit_learn": apart,
        "most_points_apart": MOST_POINTS_APART,
        "agreed": max(apart.values()) <= MOST_POINTS_APART,
        "best": {
            name: {
                **{parameter: float(value) for parameter, value in model.best_params_.items()},
                "score": 100 * float(model.best_score_),
                "test_accuracy": percent_equal(laps.labels[name], case.y_test),
            }
            for name, model in laps.models.items()
        },
    }


def tables(result: dict[str, Any]) -> list[Table]:
    """Seconds and ratios, then what was found.

    Parameters
    ----------
    result : dict
        As `summary` returns it.

    Returns
    -------
    list of Table
    """
    times, found = [], []
    for name, laps in result["seconds"].items():
        ratio, apart = result["ratios"].get(name), result["points_from_scikit_learn"].get(name)
        best = result["best"][name]
        times.append([name, median_and_min(laps), NONE if ratio is None else f"{ratio:.1f}"])
        found.append(
            [
                name,
                f"{best['C']:g}",
                f"{best['gamma']:g}",
                f"{best['score']:.2f}",
                f"{best['test_accuracy']:.2f}",
                NONE if apart is None else f"{apart:.3f}",
            ]
        )
    head = ["", "best C", "best gamma", "its mean score %", "test accuracy %", "cells apart, points"]
    return [
        Table("Median (min) seconds", ["", "search and refit", f"times {Shared.name}"], times),
        Table("What was found, and the largest difference of a cell's mean score from scikit-learn's", head, found),
    ]


def verdicts(result: dict[str, Any]) -> list[str]:
    """Both goals in words."""
    ratio, apart = result["ratios"][GridOfScikitLearn.name], max(result["points_from_scikit_learn"].values())
    return [
        f"{Shared.name} is {ratio:.1f} times as fast as {GridOfScikitLearn.name}; the goal of {result['goal']} is "
        f"{'met' if result['met'] else 'not met'}.",
        f"The cells are {'within' if result['agreed'] else 'NOT within'} {result['most_points_apart']:g} points of "
        f"scikit-learn's: at most {apart:.3f} apart.",
    ]


def markdown(report: Content) -> str:
    """The whole report as Markdown."""
    grid = report["grid"]
    values = "; ".join(f"{name} {', '.join(f'{value:g}' for value in grid[name])}" for name in ("C", "gamma"))
    parts = [
        "# Tuning",
        conditions(report),
        f"{title(report)}. {len(grid['C']) * len(grid['gamma'])} cells ({values}), {report['folds']} folds, then a fit of "
        "the best on all rows.",
        *(table.markdown() for table in tables(report["result"])),
        *verdicts(report["result"]),
    ]
    return "\n\n".join(parts) + "\n"


def title(report: Content) -> str:
    """The data set in one line."""
    return headline(report["set"], {key: value for key, value in report["case"].items() if key not in report["grid"]})


def measure(case: Case, threads: int, repeats: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Race the searches on one data set.

    Parameters
    ----------
    case : Case
    threads, repeats : int
    say : callable
        Told of progress.

    Returns
    -------
    dict
        What belongs into the report.
    """
    laps = race(line_up(case, threads, say, SEARCHES), repeats, say)
    return {
        "set": case.name,
        "case": case.describe(),
        "folds": FOLDS,
        "grid": Shared(case, threads).grid,
        "result": summary(laps, case),
    }


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run the searches, show and write the results."""
    case = replace(load_case(options.set).rows(options.rows), cache_mb=CACHE_MB)
    report = {**new_report(options), **measure(case, options.threads, options.repeats, screen.say)}
    screen.headline(title(report))
    screen.show(tables(report["result"]), verdicts(report["result"]))
    write(report, markdown(report), options.out, "tuning")
    return int(not report["result"]["agreed"])


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which data set, and how many rows of it."""
    parser.add_argument("--set", choices=RECIPES, default="letter", help="data set (default: letter)")
    parser.add_argument("--rows", type=positive, default=5000, help="first training rows (default: 5000)")


BENCHMARK = Benchmark("tuning", "dagmar.SVCCV against GridSearchCV.", run, add_options)
