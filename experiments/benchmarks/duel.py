"""Large sets: `dagmar.SVC` against scikit-learn-intelex alone, the fastest of its peers there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from ..tables import NONE, Table
from .agreement import Check, compare_objectives, percent_equal
from .cases import Case
from .competitors import DDAG, MAX_WINS, Dagmar, Intelex, is_ours
from .goals import times_best_peer
from .race import line_up, race
from .speed_tables import median_and_min

MOST_ACCURACY_APART = 0.1  # points
MOST_OBJECTIVE_APART = 1e-4  # relative, all pairs together


def measure(
    case: Case, threads: int, repeats: int, say: Callable[[str], None], *, objectives: bool = True
) -> dict[str, Any]:
    """Race the two, and write down what is known afterwards, as plain data.

    Parameters
    ----------
    case : Case
    threads, repeats : int
    say : callable
        Told of progress.
    objectives : bool
        Compare these too; needs the kernel matrix of the support vectors of each pair of classes in memory.

    Returns
    -------
    dict
    """
    laps = race(line_up(case, threads, say, (Dagmar, Intelex)), repeats, say)
    accuracy = {name: percent_equal(labels, case.y_test) for name, labels in laps.labels.items()}
    apart = {"points of accuracy": (abs(accuracy[MAX_WINS] - accuracy[Intelex.name]), MOST_ACCURACY_APART)}
    found = {}
    if objectives:
        found["objectives"] = compare_objectives(laps.models[Dagmar.name], laps.models[Intelex.name], case)
        value = abs(found["objectives"]["objective_apart"])
        apart["relative distance of objectives"] = (value, MOST_OBJECTIVE_APART)
    # A race has one entry for our fit, and one per structure for its predictions.
    fit = {name: laps.fit[name if name in laps.fit else Dagmar.name] for name in laps.first}
    return {
        "case": case.describe(),
        "seconds": {"fit": fit, "first_predict": dict(laps.first), "later_predict": dict(laps.later)},
        "accuracy": accuracy,
        "labels_as_intelex": {
            name: percent_equal(labels, laps.labels[Intelex.name]) for name, labels in laps.labels.items()
        },
        "counts": laps.counts,
        **found,
        "fit_ratio": times_best_peer(laps.fit, Dagmar.name)[0],
        "predict_ratios": {name: times_best_peer(laps.first, name)[0] for name in laps.first if is_ours(name)},
        "checks": [asdict(Check(what, value, limit, value <= limit)) for what, (value, limit) in apart.items()],
    }


def tables(result: dict[str, Any], goals: Mapping[str, float]) -> list[Table]:
    """Seconds, ratios and agreement.

    Parameters
    ----------
    result : dict
        As `measure` returns it.
    goals : mapping of str to float
        For "fit", "ddag" and "max_wins", as far as there are any.

    Returns
    -------
    list of Table
    """
    seconds = result["seconds"]
    times = [
        [who, *(median_and_min(seconds[what][who]) for what in seconds), f"{result['accuracy'][who]:.2f}"]
        for who in result["accuracy"]
    ]
    ratios = {"fit": ("fit", result["fit_ratio"])}
    for what, who in (("ddag", DDAG), ("max_wins", MAX_WINS)):
        ratios[what] = (f"predict, {who}", result["predict_ratios"][who])
    agreement = [
        [
            check["what"],
            f"{check['value']:.4g}",
            f"{check['limit']:.4g}",
            "holds" if check["passed"] else "does not hold",
        ]
        for check in result["checks"]
    ]
    return [
        Table("Seconds: median (least)", ["", "fit", "first predict", "next predict", "accuracy %"], times),
        Table(
            "Times scikit-learn-intelex",
            ["what", "ratio", "goal", ""],
            [_ratio_row(shown, ratio, goals.get(what)) for what, (shown, ratio) in ratios.items()],
        ),
        Table("Agreement of max_wins with scikit-learn-intelex", ["", "value", "limit", ""], agreement),
    ]


def _ratio_row(what: str, ratio: float, goal: float | None) -> list[str]:
    if goal is None:
        return [what, f"{ratio:.1f}", NONE, ""]
    return [what, f"{ratio:.1f}", f"{goal:g}", "met" if ratio >= goal else "not met"]
