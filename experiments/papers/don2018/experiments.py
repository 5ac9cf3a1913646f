"""The steps: trials, curves over theta, times, and the checks that show what the paper does not say."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from dagmar import SVC, DivideAndConquer
from dagmar.base.typing import Array, Index

from ..measure import costs
from ..study import Found, Lab
from .machines import (
    AllOrNothingScaler,
    Answers,
    divide,
    fit_pairs,
    follow,
    machine,
    separation,
    shape_of,
    sizes_of,
    table_of,
    unconverged,
    vote,
)
from .sources import Source, rows_of, split

PREFERENCES = ("accuracy", "speed")
ENOUGH = 2000  # rows to time predictions on


def trials(lab: Lab, name: str, source: Found, share: int, first: int, last: int, thetas: Sequence[str]) -> Found:
    """Tables 4 to 6: some trials of one set.

    Parameters
    ----------
    lab : Lab
    name : str
        Of the set, as the paper calls it.
    source : dict
        The fields of the `Source` of its rows.
    share : int
        Percent of the rows to train on.
    first, last : int
        Trials, counted from 1.
    thetas : sequence of str
        In percent.

    Returns
    -------
    dict
        "rows", "features", "classes", "trained", "tested", and "methods": for each its lists over trials.
    """
    X, y = rows_of(lab, Source(**source))
    runs = []
    for trial in range(first, last + 1):
        train, test = split(y, share / 100, lab.rng("split", name, share, trial))
        runs.append(one_trial(X, y, train, test, "e1071", lab.n_jobs, thetas, PREFERENCES))
    return {**_shape(X, y), "trained": len(train), "tested": len(test), "methods": _gathered(runs)}


def _shape(X: Array, y: Index) -> Found:
    counts = np.bincount(y)
    return {
        "rows": len(y),
        "features": X.shape[1],
        "classes": len(counts),
        "smallest_class": int(counts.min()),
        "largest_class": int(counts.max()),
    }


def _gathered(runs: list[dict[str, Found]]) -> dict[str, dict[str, list[float]]]:
    """Lists over trials, by method and figure."""
    return {method: {figure: [run[method][figure] for run in runs] for figure in runs[0][method]} for method in runs[0]}


def one_trial(
    X: Array,
    y: Index,
    train: Index,
    test: Index,
    scaling: str,
    n_jobs: int,
    thetas: Sequence[str],
    preferences: Sequence[str],
) -> dict[str, Found]:
    """All methods, trained and tested once.

    Returns
    -------
    dict of str to dict
        By method: "BI" (one scaling for all), "OvsO", "DDAG" and "accuracy 2", "speed 0.01", ... (pairs that are scaled
        by themselves).
    """
    clf = fit_pairs(X[train], y[train], scaling, n_jobs)
    sizes, values = sizes_of(clf), clf.pair_decisions(X[test])
    truth, table = y[test], table_of(clf, X[train], y[train])
    all_asked = vote(values, sizes, int(y.max()) + 1)
    built_in = machine(scaling, n_jobs).fit(X[train], y[train])
    path = clf.decision_path(X[test])
    in_graph = Answers(
        path.answers, np.diff(path.begin), np.add.reduceat(sizes[path.machines], path.begin[:-1], dtype=np.int64)
    )
    found = {
        "BI": {
            **_rightness(built_in.predict(X[test]), truth, all_asked.classes),
            "vectors": len(built_in[-1].bank_.coef),
            "unconverged": int(np.sum(~built_in[-1].report_.converged)),
        },
        "OvsO": {**_told(all_asked, truth, all_asked.classes), "unconverged": unconverged(clf)},
        "DDAG": _told(in_graph, truth, all_asked.classes),
    }
    for prefer in preferences:
        for percent in thetas:
            plan = divide(table, percent, prefer)
            told = _told(follow(plan, values, sizes), truth, all_asked.classes)
            found[f"{prefer} {percent}"] = {**told, **asdict(shape_of(plan))}
    return found


def _rightness(labels: Index, truth: Index, others: Index) -> Found:
    right, other = labels == truth, others == truth
    return {
        "accuracy": float(100 * np.mean(right)),
        "only_this": int(np.sum(right & ~other)),
        "only_ovso": int(np.sum(other & ~right)),
    }


def _told(answers: Answers, truth: Index, others: Index) -> Found:
    return {
        **_rightness(answers.classes, truth, others),
        "steps": float(answers.steps.mean()),
        "most_steps": int(answers.steps.max()),
        "vectors": float(answers.vectors.mean()),
    }


def curve(
    lab: Lab, name: str, source: Found, share: int, n_trials: int, thetas: Sequence[str], fine: Sequence[float]
) -> Found:
    """Figures 8 to 10: accuracy, steps and separation over theta.

    Parameters
    ----------
    lab, name, source, share
        As of `trials`.
    n_trials : int
    thetas : sequence of str
        In percent; a graph is made for each.
    fine : sequence of float
        In percent, for the separation, which needs no graph.

    Returns
    -------
    dict
        Lists over trials: "accuracy" and "steps" by theta, "separation" by fine theta, "BI" and "OvsO" accuracies, and
        "unconverged" machines. Also "trained" and "tested" rows, and "class_rows", the training rows of the smallest and the
        largest class.
    """
    X, y = rows_of(lab, Source(**source))
    runs: list[dict[str, Any]] = []
    for trial in range(1, n_trials + 1):
        train, test = split(y, share / 100, lab.rng("split", name, share, trial))
        clf = fit_pairs(X[train], y[train], "e1071", lab.n_jobs)
        sizes, values, table = sizes_of(clf), clf.pair_decisions(X[test]), table_of(clf, X[train], y[train])
        walked = [follow(divide(table, percent, "accuracy"), values, sizes) for percent in thetas]
        asked = vote(values, sizes, int(y.max()) + 1)
        built_in = machine("e1071", lab.n_jobs).fit(X[train], y[train])
        runs.append(
            {
                "accuracy": [float(100 * np.mean(told.classes == y[test])) for told in walked],
                "steps": [float(told.steps.mean()) for told in walked],
                "separation": [separation(table, percent) for percent in fine],
                "OvsO": float(100 * np.mean(asked.classes == y[test])),
                "BI": float(100 * np.mean(built_in.predict(X[test]) == y[test])),
                "unconverged": unconverged(clf),
            }
        )
    counts = np.bincount(y[train])
    sizes_of_trial = {"trained": len(train), "tested": len(test), "class_rows": [int(counts.min()), int(counts.max())]}
    return {**{key: [run[key] for run in runs] for key in runs[0]}, **sizes_of_trial}


def times(
    lab: Lab, name: str, source: Found, share: int, theta: str, one_by_one: int, counted: int, rounds: int
) -> Found:
    """Figure 7: how long predictions take, on one thread.

    Parameters
    ----------
    lab, name, source, share
        As of `trials`.
    theta : str
        In percent.
    one_by_one : int
        Rows that are asked for one at a time.
    counted : int
        Rows, at most, on which kernel values are counted.
    rounds : int
        How often everything is timed, one way after the other.

    Returns
    -------
    dict
        Seconds by round, of "all" machines asked and of "divided". "shared": machines over one pool of vectors, whose
        kernel values serve all; also "max_wins", which answers as "all" but stops asking when the answer is known. "apart":
        each machine by itself. "one_by_one": the same, a sample at a time, as a loop in R does it. "evaluations": kernel
        values per decision of "shared".
    """
    X, y = rows_of(lab, Source(**source))
    train, test = split(y, share / 100, lab.rng("split", name, share, 1))
    rows = np.resize(test, max(len(test), ENOUGH // (4 if lab.quick else 1)))
    structure = DivideAndConquer(theta=float(theta) / 100, prefer="accuracy")
    scaler = AllOrNothingScaler().fit(X[train])
    trained, asked = scaler.transform(X[train]), scaler.transform(X[rows])
    bank = SVC(C=1.0, gamma="auto", structure="and_gate", n_jobs=1).fit(trained, y[train])
    shared = {"all": bank, "max_wins": bank.restructure("max_wins")}
    shared["divided"] = bank.restructure(structure, trained, y[train])
    pairs = fit_pairs(X[train], y[train], "e1071", 1)
    apart = {"all": pairs.restructure("and_gate"), "divided": pairs.restructure(structure, X[train], y[train])}
    singly = [X[row : row + 1] for row in rows[:one_by_one].tolist()]
    return {
        "rows": len(rows),
        "evaluations": {key: costs(clf, asked[:counted])["kernel_evaluations"] for key, clf in shared.items()},
        "shared": _laps(shared, [asked], rounds),
        "apart": _laps(apart, [X[rows]], rounds),
        "one_by_one": _laps(apart, singly, rounds),
    }


def _laps(models: Mapping[str, Any], lots: Sequence[Array], rounds: int) -> dict[str, list[float]]:
    """Seconds of each model for all lots of samples, by round; a round before the first is not counted."""
    laps: dict[str, list[float]] = {key: [] for key in models}
    for lap in range(rounds + 1):
        for key, model in models.items():
            begun = time.perf_counter()
            for lot in lots:
                model.predict(lot)
            if lap:
                laps[key].append(time.perf_counter() - begun)
    return laps


def reading(
    lab: Lab, name: str, source: Found, share: int, n_trials: int, scaling: str, by_class: bool, thetas: Sequence[str]
) -> Found:
    """One set in another reading: other rows or features, another scaling, another way to split.

    Parameters
    ----------
    lab, name, source, share
        As of `trials`.
    n_trials : int
    scaling : {"e1071", "each"}
    by_class : bool
        Whether each class is split by itself.
    thetas : sequence of str
        Two of them, in percent: a small one and a large one.

    Returns
    -------
    dict
        Shape, "trained" and "tested" rows, and lists over trials: accuracies of "BI", of "OvsO" and of DCSVM at the small
        theta ("accuracy") and at the large one ("wide accuracy"), its "steps", "wide steps" and "vectors", and "unconverged"
        machines.
    """
    X, y = rows_of(lab, Source(**source))
    runs = []
    for trial in range(1, n_trials + 1):
        train, test = split(y, share / 100, lab.rng("split", name, share, trial), by_class)
        runs.append(one_trial(X, y, train, test, scaling, lab.n_jobs, thetas, ["accuracy"]))
    lists = _gathered(runs)
    divided, wide = (lists[f"accuracy {percent}"] for percent in thetas)
    return {
        **_shape(X, y),
        "trained": len(train),
        "tested": len(test),
        "BI": lists["BI"]["accuracy"],
        "OvsO": lists["OvsO"]["accuracy"],
        "accuracy": divided["accuracy"],
        "steps": divided["steps"],
        "vectors": divided["vectors"],
        "wide accuracy": wide["accuracy"],
        "wide steps": wide["steps"],
        "unconverged": [a + b for a, b in zip(lists["BI"]["unconverged"], lists["OvsO"]["unconverged"], strict=True)],
    }
