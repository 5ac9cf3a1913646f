"""The adaptive search of `dagmar.SVCCV` against its whole grid: best score, solves and processor time.

It writes ``results/adaptive.json`` and ``adaptive.md``. The grid is that of LIBSVM's guide, ten values of C from 2**-5 to 2**13
and ten of gamma from 2**-15 to 2**3, by factors of four; rows are scaled to [-1, 1]. The goal: a best score within one standard
error of the grid's, for at most a third of its solves. A solve is the training of one cell on one fold. Seconds are those of
the processor, in all threads, so that other programs hardly matter.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..tables import Table
from .cases import Case
from .census_sets import SETS
from .command import Benchmark, Screen, positive
from .report import Content, conditions, new_report, write
from .speed_tables import headline

CS = tuple((2.0 ** np.arange(-5, 14, 2)).tolist())
GAMMAS = tuple((2.0 ** np.arange(-15, 4, 2)).tolist())
FOLDS = 5
CACHE_MB = 1000
CHOSEN = ("pendigits", "letter", "vowel", "segment", "optdigits", "winequality-red", "winequality-white")
WAYS = ("grid", "adaptive")


def measure(case: Case, threads: int) -> Content:
    """Search in both ways.

    Parameters
    ----------
    case : Case
    threads : int

    Returns
    -------
    dict
        For each way the best cell, its score and standard error, the number of solves, and the processor seconds.
    """
    return {"case": case.describe(), **{way: _search(case, way, threads) for way in WAYS}}


def _search(case: Case, way: str, threads: int) -> dict[str, Any]:
    import dagmar

    search = dagmar.SVCCV(
        CS, GAMMAS, FOLDS, search=way, structure="max_wins", refit=False, cache_size=case.cache_mb, n_jobs=threads
    )
    begun = time.process_time()
    with warnings.catch_warnings():
        # Where the best cell is, and that cells of a large C reach their limit of steps, is the same in both ways.
        warnings.simplefilter("ignore")
        search.fit(case.X_train, case.y_train)
    seconds = time.process_time() - begun
    spread = float(search.cv_results_["std_test_score"][search.best_index_])
    return {
        **{name: float(value) for name, value in search.best_params_.items()},
        "score": float(search.best_score_),
        "standard_error": spread / FOLDS**0.5,
        "solves": len(search.cv_results_["params"]) * FOLDS,
        "seconds": seconds,
    }


def met(result: Content) -> bool:
    """Whether the goal is met: the score within one standard error, for at most a third of the solves."""
    grid, adaptive = (result[way] for way in WAYS)
    near = adaptive["score"] >= grid["score"] - grid["standard_error"]
    return bool(near and 3 * adaptive["solves"] <= grid["solves"])


def table(results: dict[str, Content]) -> Table:
    """Both ways on every set.

    Parameters
    ----------
    results : dict
        From the name of a set to what `measure` returns.

    Returns
    -------
    Table
    """
    rows = []
    for name, result in results.items():
        for way in WAYS:
            found = result[way]
            share = found["solves"] / result["grid"]["solves"]
            rows.append(
                [
                    f"{name}, {way}",
                    f"2^{np.log2(found['C']):.0f}",
                    f"2^{np.log2(found['gamma']):.0f}",
                    f"{100 * found['score']:.2f}",
                    f"{100 * found['standard_error']:.2f}",
                    str(found["solves"]),
                    f"{share:.2f}",
                    f"{found['seconds']:.1f}",
                    f"{found['seconds'] / result['grid']['seconds']:.2f}",
                ]
            )
    head = ["", "C", "gamma", "best score %", "standard error", "solves", "share", "processor seconds", "share"]
    return Table("Best cell and cost", head, rows)


def verdict(results: dict[str, Content]) -> str:
    """The goal in words."""
    missed = [name for name, result in results.items() if not met(result)]
    words = f"not met on {', '.join(missed)}" if missed else "met on every set"
    return f"The goal, one standard error for a third of the solves, is {words}."


def markdown(report: Content) -> str:
    """The whole report as Markdown."""
    sets = report["sets"]
    parts = [
        "# Adaptive search",
        conditions(report),
        f"{len(CS)} values of C, {len(GAMMAS)} of gamma, {FOLDS} folds.",
        "\n".join(f"- {headline(name, _described(result))}" for name, result in sets.items()),
        table(sets).markdown(),
        verdict(sets),
    ]
    return "\n\n".join(parts) + "\n"


def _described(result: Content) -> Content:
    return {key: value for key, value in result["case"].items() if key not in ("C", "gamma")}


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Search every set, show and write the results."""
    report = {**new_report(options), "sets": {}}
    for name in options.sets:
        case = replace(SETS[name](options.rows), cache_mb=CACHE_MB)
        screen.headline(headline(name, case.describe()))
        report["sets"][name] = measure(case, options.threads)
        screen.show([table({name: report["sets"][name]})])
        # After each set, so that a run that is stopped keeps the sets before.
        write(report, markdown(report), options.out, "adaptive")
    screen.say(verdict(report["sets"]))
    return 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which data sets, and how many rows."""
    parser.add_argument("--sets", nargs="+", choices=SETS, default=CHOSEN, metavar="SET", help="data sets")
    parser.add_argument(
        "--rows", type=positive, default=4000, help="most rows, of which 70 %% are used (default: 4000)"
    )


BENCHMARK = Benchmark(
    "adaptive", "The adaptive search of dagmar.SVCCV against its whole grid.", run, add_options, repeats=None
)
