"""Every structure on Letter, and soft labels on right and on wrong labels: the record of docs/structures.md."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import dagmar
from dagmar.structures import STRUCTURES
from dagmar.structures.plans import GraphPlan

from ..papers.wang2011.checks import with_wrong
from ..papers.wang2011.samples import LETTER_CUT
from ..provenance import ROOT
from ..records import read_json, write_json
from .cases import Case, load_case
from .command import Benchmark, Screen
from .report import Content, new_report

DOCS = ROOT / "docs"
FILE = "structures.json"
LETTER: Content = {"C": 10.0, "gamma": 2.5024}  # those of Platt et al.: sigma is 0.447
THETAS = (0.0, 0.0001, 0.001, 0.01, 0.02)
WANTED: dict[str, str | dagmar.Structure] = {
    **{name: name for name in STRUCTURES},
    'FisherTree(machines="groups")': dagmar.FisherTree(machines="groups"),
}
SOFT: Content = {
    "C": 16.0,
    "gamma": 4.0,
}  # on Letter, near those that cross-validation chooses in the study of Wang et al.
NOISY: Content = {"gamma": 0.25}  # on Pendigits, as in examples/noisy_labels.py
NEIGHBOURS = (None, 3, 11)
COSTS = (1.0, 10.0, 100.0)
WRONG = (0.0, 0.1, 0.2, 0.3)
UNANIMOUS = ("letter", "usps", "pendigits")


def measure_structures(case: Case, threads: int, repeats: int) -> Content:
    """All structures over machines of all pairs that are trained once, and divide and conquer with several thetas.

    Parameters
    ----------
    case : Case
    threads, repeats : int

    Returns
    -------
    dict
        Seconds are lists, one entry per repeat.
    """
    pairs, fit_seconds = _timed(dagmar.SVC(**LETTER, n_jobs=threads).fit, case.X_train, case.y_train)
    found: Content = {**sizes(case), **LETTER, "fit_seconds": fit_seconds, "structures": {}, "thetas": []}
    for name, structure in WANTED.items():
        builds, predictions = [], []
        for _ in range(repeats):
            clf, seconds = _timed(pairs.restructure, structure, case.X_train, case.y_train)
            builds.append(seconds)
            labels, seconds = _timed(clf.predict, case.X_test)
            predictions.append(seconds)
        cost = clf.decision_cost(case.X_test)
        found["structures"][name] = {
            "accuracy": percent_right(labels, case),
            "machines": int(clf.bank_.n_machines),
            "machines_consulted": float(cost.machines.mean()),
            "kernel_evaluations": float(cost.kernel_evaluations.mean()),
            "support_vectors": float(cost.support_vectors.mean()),
            "parameters": int(cost.size_in_parameters),
            "build_seconds": builds,
            "predict_seconds": predictions,
        }
    for theta in THETAS:
        clf = pairs.restructure(dagmar.DivideAndConquer(theta=theta), case.X_train, case.y_train)
        assert isinstance(clf.plan_, GraphPlan)
        found["thetas"].append(
            {
                "theta": theta,
                "accuracy": percent_right(clf.predict(case.X_test), case),
                "machines_consulted": float(clf.decision_cost(case.X_test).machines.mean()),
                "nodes": len(clf.plan_.machine),
            }
        )
    return found


def measure_winners(case: Case, threads: int) -> Content:
    """How often one class wins all its pairs, and how often a DDAG answers as Max Wins does.

    Parameters
    ----------
    case : Case
    threads : int
    """
    clf = dagmar.SVC(C=case.C, gamma=case.gamma, decision_function_shape="ovo", n_jobs=threads)
    clf.fit(case.X_train, case.y_train)
    values = clf.decision_function(case.X_test)
    wins = np.zeros((len(values), len(clf.classes_)), dtype=np.int64)
    for column, (i, j) in enumerate(clf.bank_.pairs):
        wins[:, i] += values[:, column] > 0
        wins[:, j] += values[:, column] <= 0
    most = wins.max(axis=1)
    other = clf.restructure("ddag").predict(case.X_test) != clf.predict(case.X_test)
    return {
        **sizes(case),
        "C": case.C,
        "gamma": case.gamma,
        "unanimous_percent": 100.0 * float(np.mean(most == len(clf.classes_) - 1)),
        "ddag_differs_percent": 100.0 * float(np.mean(other)),
    }


def measure_soft(case: Case, threads: int) -> Content:
    """Soft labels on right labels: accuracy, and distinct support vectors in percent of the training rows."""
    X, y = np.concatenate([case.X_train, case.X_test]), np.concatenate([case.y_train, case.y_test])
    cut = LETTER_CUT  # where Wang et al. cut it
    again = replace(case, X_train=X[:cut], y_train=y[:cut], X_test=X[cut:], y_test=y[cut:])
    rows = []
    for k in NEIGHBOURS:
        clf = dagmar.SVC(**SOFT, soft_labels=k, n_jobs=threads).fit(again.X_train, again.y_train)
        vectors = 100.0 * len(clf.support_) / cut
        rows.append({"k": k, "accuracy": percent_right(clf.predict(again.X_test), again), "vectors_percent": vectors})
    return {**sizes(again), **SOFT, "rows": rows}


def measure_noise(case: Case, threads: int) -> Content:
    """Soft labels where a share of the training labels is wrong; the test labels are right."""
    rows = []
    for share in WRONG:
        trained = noisy(case, share)
        for C in COSTS:
            for k in NEIGHBOURS:
                clf = dagmar.SVC(C=C, **NOISY, soft_labels=k, n_jobs=threads).fit(trained.X_train, trained.y_train)
                rows.append({"share": share, "C": C, "k": k, "accuracy": percent_right(clf.predict(case.X_test), case)})
    return {**sizes(case), **NOISY, "rows": rows}


def noisy(case: Case, share: float) -> Case:
    """The same case with this share of its training labels wrong."""
    return replace(case, y_train=with_wrong(case.y_train, share, np.random.default_rng(0)))


def percent_right(labels: Any, case: Case) -> float:
    """Accuracy on the test rows, in percent."""
    return 100.0 * float(np.mean(labels == case.y_test))


def sizes(case: Case) -> Content:
    """Rows and classes of a case, and where it comes from."""
    described = case.describe()
    return {key: described[key] for key in ("source", "train_rows", "test_rows", "classes")}


def _timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    begun = time.perf_counter()
    result = work(*arguments)
    return result, time.perf_counter() - begun


def measure(options: argparse.Namespace, screen: Screen) -> Content:
    """The whole record."""
    threads = options.threads
    screen.headline("Structures on Letter")
    letter, pendigits = load_case("letter"), load_case("pendigits")
    found = {"letter": measure_structures(letter, threads, options.repeats)}
    screen.headline("Soft labels on Letter, and on Pendigits with wrong labels")
    found |= {"soft": measure_soft(letter, threads), "noise": measure_noise(pendigits, threads)}
    screen.headline("How often one class wins all its pairs")
    winners = {name: measure_winners(load_case(name), threads) for name in UNANIMOUS}
    winners["pendigits, wrong labels"] = measure_winners(noisy(pendigits, WRONG[-1]), threads)
    return {**new_report(options), **found, "winners": winners}


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Measure, write the record, and write the page from it."""
    from .structures_document import document

    file = options.out / FILE
    if not options.document:
        write_json(measure(options, screen), file)
    elif not file.is_file():
        screen.fail(f"There is no {FILE} to write about.")
        return 1
    (options.docs / "structures.md").write_text(document(read_json(file)), encoding="utf-8")
    screen.say("Written: structures.md")
    return 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where the page goes, and whether it alone is written."""
    parser.add_argument("--document", action="store_true", help="run nothing, write the page from the record")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of the page")


BENCHMARK = Benchmark(
    "structures", "Every structure on Letter, and soft labels; writes docs/structures.md.", run, add_options
)
