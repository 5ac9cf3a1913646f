"""Probabilities: `dagmar.SVC(probability=True)` against scikit-learn's, and against `CalibratedClassifierCV`.

`make bench-probability` runs it, and it writes ``results/probability.json`` and ``probability.md``. Everyone is trained on the
training rows of some sets of the census and gives probabilities for the others. They are compared by log loss, by calibration
error and by the accuracy of the most probable class. Times are CPU seconds: everyone uses one thread.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

import dagmar

from ..tables import Table
from .cases import Case
from .census_sets import SETS
from .command import Benchmark, Screen, positive
from .report import Content, conditions, new_report, write
from .speed_tables import headline

NAMES = ("letter", "pendigits", "optdigits", "digits", "vehicle", "winequality-red")
C = 10.0
BINS = 15
OURS = "dagmar.SVC(probability=True)"
THEIRS = "sklearn.svm.SVC(probability=True)"


def classifiers(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the classifiers that are compared, unfitted.

    Parameters
    ----------
    parameters : dict
        Of every SVC.

    Returns
    -------
    dict of str to estimator
    """
    svc = dagmar.SVC(**parameters)
    return {
        OURS: dagmar.SVC(**parameters, probability=True),
        'CalibratedClassifierCV(dagmar.SVC(), "temperature")': CalibratedClassifierCV(
            svc, method="temperature", ensemble=False
        ),
        'CalibratedClassifierCV(dagmar.SVC(), "sigmoid")': CalibratedClassifierCV(
            svc, method="sigmoid", ensemble=False
        ),
        THEIRS: sklearn.svm.SVC(**parameters, probability=True, random_state=0),
    }


def calibration_error(probabilities: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error: how far accuracy and confidence are apart, on average over bins of confidence.

    Parameters
    ----------
    probabilities : ndarray of shape (n_samples,)
        The probability of the most probable class.
    right : ndarray of shape (n_samples,), bool
        Whether it is the right one.

    Returns
    -------
    float
    """
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    apart = np.bincount(bins, right - probabilities, BINS)
    return float(np.abs(apart).sum() / len(right))


def measure_one(classifier: Any, case: Case, repeats: int) -> dict[str, float]:
    """Fit a classifier, ask for probabilities, and compare them with the labels; the times are the least of some repeats."""
    fits, asked = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn will remove `probability`
        for _ in range(repeats):
            begun = time.process_time()
            classifier.fit(case.X_train, case.y_train)
            fitted = time.process_time()
            probabilities = classifier.predict_proba(case.X_test)
            fits.append(fitted - begun)
            asked.append(time.process_time() - fitted)
    right = classifier.classes_[probabilities.argmax(axis=1)] == case.y_test
    return {
        "log_loss": float(log_loss(case.y_test, probabilities, labels=classifier.classes_)),
        "calibration_error": calibration_error(probabilities.max(axis=1), right),
        "accuracy": 100 * float(right.mean()),
        "fit_seconds": min(fits),
        "predict_proba_seconds": min(asked),
    }


def measure(case: Case, repeats: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Compare all classifiers on one data set.

    Parameters
    ----------
    case : Case
    repeats : int
    say : callable
        Told of progress.

    Returns
    -------
    dict
        What belongs into the report.
    """
    results = {}
    for name, classifier in classifiers(case.parameters).items():
        say(name)
        results[name] = measure_one(classifier, case, repeats)
    return {"case": case.describe(), "results": results}


def table(name: str, results: dict[str, dict[str, float]]) -> Table:
    """Return the results of one data set as a table."""
    head = ["", "log loss", "calibration error", "accuracy %", "fit, CPU s", "predict_proba, CPU s"]
    rows = [
        [
            who,
            f"{found['log_loss']:.4f}",
            f"{found['calibration_error']:.4f}",
            f"{found['accuracy']:.2f}",
            f"{found['fit_seconds']:.3f}",
            f"{found['predict_proba_seconds']:.3f}",
        ]
        for who, found in results.items()
    ]
    return Table(name, head, rows)


def verdict(name: str, results: dict[str, dict[str, float]]) -> str:
    """Return how many times as fast as scikit-learn `dagmar.SVC` is, in words."""
    fit, asked = (results[THEIRS][key] / results[OURS][key] for key in ("fit_seconds", "predict_proba_seconds"))
    return f"{name}: {OURS} fits {fit:.1f} times and predicts {asked:.1f} times as fast as {THEIRS}."


def markdown(report: Content) -> str:
    """Return the whole report as Markdown."""
    parts = ["# Probabilities", conditions(report)]
    for name, found in report["sets"].items():
        parts += [f"## {headline(name, found['case'])}", table(name, found["results"]).markdown()]
        parts.append(verdict(name, found["results"]))
    return "\n\n".join(parts) + "\n"


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Compare on every data set, show and write the results."""
    report: Content = {**new_report(options), "sets": {}}
    for name in options.sets:
        case = replace(SETS[name](options.max_rows), C=C)
        screen.headline(headline(name, case.describe()))
        report["sets"][name] = found = measure(case, options.repeats, screen.say)
        screen.show([table(name, found["results"])], [verdict(name, found["results"])])
        write(report, markdown(report), options.out, "probability")
    return 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which data sets, and how many rows of each."""
    parser.add_argument("--sets", nargs="+", choices=SETS, default=NAMES, help=f"(default: {' '.join(NAMES)})")
    parser.add_argument("--max-rows", type=positive, default=6000, help="of each set (default: 6000)")


BENCHMARK = Benchmark("probability", "Probabilities of SVC and of CalibratedClassifierCV.", run, add_options, 1)
