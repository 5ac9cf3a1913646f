"""The record of a benchmark as tables."""

from __future__ import annotations

from statistics import median
from typing import Any

from ..tables import NONE, Table
from .competitors import who_fitted


def tables(name: str, result: dict[str, Any]) -> list[Table]:
    """Times, ratios and counts of one data set.

    Parameters
    ----------
    name : str
    result : dict
        As `results.measure` returns it.

    Returns
    -------
    list of Table
    """
    return [make(name, result) for make in (_times, _answers, _ratios, _counts, _checks)]


def headline(name: str, case: dict[str, Any]) -> str:
    """A data set and its parameters in one line; gamma and C where they are fixed."""
    full = f", {case['percent_full']:.2f} % full" if "percent_full" in case else ""
    named = ("C",) if case["kernel"] in ("linear", "tanimoto") else ("gamma", "C")
    values = "".join(f"{parameter} {case[parameter]:g}, " for parameter in named if parameter in case)
    return (
        f"{name}: {case['train_rows']} + {case['test_rows']} rows, {case['features']} features{full}, "
        f"{case['classes']} classes; {case['kernel']}, {values}tol {case['tol']:g}, "
        f"cache {case['cache_mb']} MB; from {case['source']}"
    )


def _times(name: str, result: dict[str, Any]) -> Table:
    seconds = result["seconds"]
    rows = []
    for who, first in seconds["first_predict"].items():
        fit = seconds["fit"][who_fitted(who)]
        cells = [median_and_min(laps) for laps in (fit, first, seconds["later_predict"][who])]
        rows.append([who, *cells])
    return Table(f"{name}: median (min) seconds", ["", "fit", "first predict", "next predict"], rows)


def _answers(name: str, result: dict[str, Any]) -> Table:
    rows = []
    for who, accuracy in result["accuracy"].items():
        latency = result["one_row_microseconds"].get(who)
        equal = result["labels_as_scikit_learn"][who]
        rows.append([who, f"{accuracy:.2f}", f"{equal:.2f}", NONE if latency is None else f"{latency:.0f}"])
    head = ["", "accuracy %", "as scikit-learn %", "one row alone, µs"]
    return Table(f"{name}: answers", head, rows)


def _ratios(name: str, result: dict[str, Any]) -> Table:
    rows = [
        [
            row["what"],
            f"{row['ratio']:.1f}",
            f"{row['warm']:.1f}" if "warm" in row else NONE,
            row["best_peer"],
            NONE if row["goal"] is None else f"{row['goal']:g}",
            {True: "met", False: "not met", None: ""}[row["met"]],
        ]
        for row in result["ratios"]
    ]
    return Table(f"{name}: dagmar, times the best peer", ["what", "ratio", "next call", "best peer", "goal", ""], rows)


def _counts(name: str, result: dict[str, Any]) -> Table:
    rows = [
        [f"{who}: {key.replace('_', ' ')}", str(count) if isinstance(count, int) else f"{count:.1f}"]
        for who, counts in result["counts"].items()
        for key, count in counts.items()
    ]
    return Table(f"{name}: counts", ["", ""], rows)


def _checks(name: str, result: dict[str, Any]) -> Table:
    rows = [
        [check["what"], f"{check['value']:.4g}", f"{check['limit']:g}", "holds" if check["passed"] else "FAILS"]
        for check in result["checks"]
    ]
    rows.append(["largest of a pair, ours − theirs", f"{result['objectives']['largest_pair_apart']:.2g}", NONE, NONE])
    return Table(f"{name}: agreement of max_wins", ["", "value", "limit", ""], rows)


def median_and_min(laps: list[float]) -> str:
    """Seconds as every table has them."""
    return f"{median(laps):.3g} ({min(laps):.3g})"
