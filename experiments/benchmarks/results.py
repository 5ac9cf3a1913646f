"""One data set's record: plain data, as it goes into the JSON file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from .agreement import checks, compare_objectives, near_ties, percent_equal
from .cases import Case
from .competitors import DDAG, LINE_UP, MAX_WINS, Competitor, Dagmar, ScikitLearn
from .goals import GOALS, times_best_peer
from .race import Laps, Pace, latency, line_up, race

Result = dict[str, Any]  # of one data set


def measure(
    case: Case,
    threads: int,
    repeats: int,
    say: Callable[[str], None],
    kinds: tuple[type[Competitor], ...] = LINE_UP,
    pace: Pace | None = None,
) -> Result:
    """Run everyone on one data set and write down all that is known afterwards.

    Parameters
    ----------
    case : Case
    threads, repeats : int
    say : callable
        Told of progress and of peers left out.
    kinds : tuple of type
        Who is to run; ours and scikit-learn must be among them.
    pace : Pace, optional

    Returns
    -------
    dict
        Only numbers, strings, lists and dicts.
    """
    laps = race(line_up(case, threads, say, kinds), repeats, say, pace)
    ours, theirs = laps.models[Dagmar.name], laps.models[ScikitLearn.name]
    one_row = {DDAG: latency(ours, case.X_test), ScikitLearn.name: latency(theirs, case.X_test)}
    accuracy = {name: percent_equal(labels, case.y_test) for name, labels in laps.labels.items()}
    equal = {name: percent_equal(labels, laps.labels[ScikitLearn.name]) for name, labels in laps.labels.items()}
    objectives = compare_objectives(ours, theirs, case)
    a, b = laps.labels[MAX_WINS], laps.labels[ScikitLearn.name]
    tied = near_ties(ours, theirs, case.X_test, a != b)
    a, b, truth = a[~tied], b[~tied], case.y_test[~tied]
    agreed = checks(
        accuracy_apart=percent_equal(a, truth) - percent_equal(b, truth),
        equal_labels=percent_equal(a, b),
        objective_apart=objectives["objective_apart"],
    )
    return {
        "case": case.describe(),
        "seconds": {"fit": dict(laps.fit), "first_predict": dict(laps.first), "later_predict": dict(laps.later)},
        "one_row_microseconds": one_row,
        "accuracy": accuracy,
        "labels_as_scikit_learn": equal,
        "near_ties": int(tied.sum()),
        "counts": laps.counts,
        "objectives": objectives,
        "ratios": ratios(case.name, laps, one_row),
        "checks": [asdict(check) for check in agreed],
    }


def ratios(name: str, laps: Laps, one_row: dict[str, float]) -> list[dict[str, Any]]:
    """Our speed as multiples of the best peer's, beside the goals.

    Parameters
    ----------
    name : str
        Of the data set.
    laps : Laps
    one_row : dict of str to float
        Microseconds of one row.

    Returns
    -------
    list of dict
        With what, ratio, best_peer, goal and met, the last two None where there is no goal; for predictions also
        warm, the ratio of later calls. The first calls decide, as people who fit and predict once pay for what is built
        in between.
    """
    rows: list[dict[str, Any]] = []

    def add(what: str, ratio: float, best: str, **more: float) -> None:
        goal = GOALS.get(name, {}).get(what)
        met = None if goal is None else ratio >= goal
        rows.append({"what": what, "ratio": ratio, "best_peer": best, "goal": goal, "met": met, **more})

    add("fit", *times_best_peer(laps.fit, Dagmar.name))
    for what, ours in (("ddag", DDAG), ("max_wins", MAX_WINS)):
        add(what, *times_best_peer(laps.first, ours), warm=times_best_peer(laps.later, ours)[0])
    add("one row", one_row[ScikitLearn.name] / one_row[DDAG], ScikitLearn.name)
    return rows


def disagreements(report: dict[str, Any]) -> list[str]:
    """Every check that failed, in words."""
    return [
        f"{name}, {check['what']}: {check['value']:.4g}, limit {check['limit']:g}"
        for name, result in report["sets"].items()
        for check in result["checks"]
        if not check["passed"]
    ]
