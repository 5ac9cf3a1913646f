"""The steps: trials, curves over theta, times, and the checks that show what the paper does not say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dagmar import SVC, DivideAndConquer, mcnemar
from dagmar.base.typing import Array, Index

from ..measure import costs, timed_labels
from ..study import Found, Lab
from .machines import (
    AllOrNothingScaler,
    Answers,
    divide,
    fit_pairs,
    follow,
    machine,
    separation,
    sizes_of,
    table_of,
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
        },
        "OvsO": _told(all_asked, truth, all_asked.classes),
        "DDAG": _told(in_graph, truth, all_asked.classes),
    }
    for prefer in preferences:
        for percent in thetas:
            plan = divide(table, percent, prefer)
            told = _told(follow(plan, values, sizes), truth, all_asked.classes)
            found[f"{prefer} {percent}"] = {**told, "nodes": len(plan.machine)}
    return found


def _rightness(labels: Index, truth: Index, others: Index) -> Found:
    test = mcnemar(truth, labels, others)
    return {
        "accuracy": float(100 * np.mean(labels == truth)),
        "only_this": test.only_a,
        "only_ovso": test.only_b,
        "p_value": test.p_value,
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
        Means over trials: "accuracy" and "steps" by theta, "separation" as a list, "BI" and "OvsO" accuracies, and
        "class_rows", the training rows of the smallest and the largest class.
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
                "accuracy": [100 * np.mean(told.classes == y[test]) for told in walked],
                "steps": [told.steps.mean() for told in walked],
                "separation": [separation(table, percent) for percent in fine],
                "OvsO": 100 * np.mean(asked.classes == y[test]),
                "BI": 100 * np.mean(built_in.predict(X[test]) == y[test]),
            }
        )
    means = {key: np.mean([run[key] for run in runs], axis=0).tolist() for key in runs[0]}
    counts = np.bincount(y[train])
    return {**means, "class_rows": [int(counts.min()), int(counts.max())]}


def times(lab: Lab, name: str, source: Found, share: int, theta: str, one_by_one: int, counted: int) -> Found:
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

    Returns
    -------
    dict
        Seconds, of "all" machines asked and of "divided". "shared": machines over one pool of vectors, whose kernel values
        serve all; also "max_wins", which answers as "all" but stops asking when the answer is known. "apart": each machine
        by itself. "one_by_one": the same, a sample at a time, as a loop in R does it. "evaluations": kernel values per
        decision of "shared".
    """
    X, y = rows_of(lab, Source(**source))
    train, test = split(y, share / 100, lab.rng("split", name, share, 1))
    rows = np.resize(test, max(len(test), ENOUGH // (4 if lab.quick else 1)))
    repeats = 3 if lab.quick else 5
    structure = DivideAndConquer(theta=float(theta) / 100, prefer="accuracy")
    scaler = AllOrNothingScaler().fit(X[train])
    trained, asked = scaler.transform(X[train]), scaler.transform(X[rows])
    bank = SVC(C=1.0, gamma="auto", structure="and_gate", n_jobs=1).fit(trained, y[train])
    shared = {"all": bank, "max_wins": bank.restructure("max_wins")}
    shared["divided"] = bank.restructure(structure, trained, y[train])
    pairs = fit_pairs(X[train], y[train], "e1071", 1)
    apart = {"all": pairs.restructure("and_gate"), "divided": pairs.restructure(structure, X[train], y[train])}
    few = rows[:one_by_one]
    return {
        "rows": len(rows),
        "evaluations": {key: costs(clf, asked[:counted])["kernel_evaluations"] for key, clf in shared.items()},
        "shared": {key: timed_labels(clf, asked, repeats)[1] for key, clf in shared.items()},
        "apart": {key: timed_labels(clf, X[rows], min(repeats, 3))[1] for key, clf in apart.items()},
        "one_by_one": {
            key: sum(timed_labels(clf, X[row : row + 1], 3)[1] for row in few.tolist()) for key, clf in apart.items()
        },
    }


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
        Shape, and means and deviations over trials: "BI", "OvsO", "accuracy", "steps" and "vectors" of DCSVM at the
        small theta, and "wide accuracy", "wide steps" at the large one.
    """
    X, y = rows_of(lab, Source(**source))
    runs = []
    for trial in range(1, n_trials + 1):
        train, test = split(y, share / 100, lab.rng("split", name, share, trial), by_class)
        runs.append(one_trial(X, y, train, test, scaling, lab.n_jobs, thetas, ["accuracy"]))
    lists = _gathered(runs)
    divided, wide = (lists[f"accuracy {percent}"] for percent in thetas)
    columns = {
        "BI": lists["BI"]["accuracy"],
        "OvsO": lists["OvsO"]["accuracy"],
        "accuracy": divided["accuracy"],
        "steps": divided["steps"],
        "vectors": divided["vectors"],
        "wide accuracy": wide["accuracy"],
        "wide steps": wide["steps"],
    }
    return {
        **_shape(X, y),
        "trials": n_trials,
        "mean": {key: float(np.mean(of)) for key, of in columns.items()},
        "deviation": {key: float(np.std(of, ddof=1)) if n_trials > 1 else 0.0 for key, of in columns.items()},
    }
