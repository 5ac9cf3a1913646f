"""Fingerprints: `dagmar.SVC` with the Tanimoto kernel against scikit-learn's SVC over the kernel matrix.

`make bench-fingerprints` runs it, and it writes ``results/fingerprints.json`` and ``fingerprints.md``. The data is made from a
seed, as `synthetic.fingerprints` describes. Ours is trained on the same rows as numbers of 8 and of 4 bytes, as bytes, and in
CSR form. scikit-learn has no Tanimoto kernel: it is given the kernel matrix, whose time counts, by products of single
precision, which are exact here. (A callable kernel does the same inside of `fit`.) Everyone runs in a process of its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import SVC

from ..tables import Table
from .agreement import checks, kernel_of, pair_objectives, percent_equal
from .command import Benchmark, Screen, positive
from .memory import forget_peak, peak
from .report import SetBySet
from .results import Result
from .synthetic import fingerprints

FORMS: dict[str, Callable[[Any], Any]] = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "bytes": lambda X: X.astype(np.uint8),
    "CSR": csr_matrix,
}
THEIRS = "scikit-learn, precomputed"


def run_one(form: str | None, threads: int, rows: int, repeats: int) -> dict[str, Any]:
    """Fit and predict in this process: ours in one form, or theirs.

    Parameters
    ----------
    form : str or None
        A key of `FORMS`; None for scikit-learn.
    threads, rows, repeats : int

    Returns
    -------
    dict
        With seconds of every repeat, labels, the sum of the dual objectives of ours, and how far memory grew, in MiB.
    """
    import dagmar

    case = fingerprints(rows)
    X, T, y, kernel = case.X_train, case.X_test, case.y_train, kernel_of(case)
    shared: dict[str, Any] = {"C": case.C, "cache_size": case.cache_mb}
    if form is None:
        model: Any = SVC(kernel="precomputed", **shared)
    else:
        X, T = FORMS[form](X), FORMS[form](T)
        model = dagmar.SVC(kernel="tanimoto", n_jobs=threads, **shared)
    fits, predictions = [], []
    before = forget_peak()
    for _ in range(repeats):
        begun = time.perf_counter()
        model.fit(kernel(X, X) if form is None else X, y)
        fits.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        labels = model.predict(kernel(T, X) if form is None else T)
        predictions.append(time.perf_counter() - begun)
    grew = peak() - before
    return {
        "objective": float(pair_objectives(model, case).sum()),
        "fit": fits,
        "predict": predictions,
        "grew_mib": grew,
        "labels": labels.tolist(),
        "support_vectors": len(model.support_),
    }


def measure(rows: int, threads: int, repeats: int, say: Callable[[str], None]) -> Result:
    """Run everyone, each in a fresh process, and compare the labels.

    Parameters
    ----------
    rows, threads, repeats : int
    say : callable
        Told of progress.

    Returns
    -------
    dict
        As it goes into the report.
    """
    case = fingerprints(rows)
    entries: dict[str, tuple[str | None, int, int]] = {
        f"dagmar, {form}, {n} thread{'s' * (n > 1)}": (form, n, repeats) for form in FORMS for n in sorted({threads, 1})
    }
    entries[THEIRS] = (None, threads, 1)
    outcomes = {}
    for name, (form, used, times) in entries.items():
        say(name)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            outcomes[name] = alone.submit(run_one, form, used, rows, times).result()
    labels = {name: np.array(outcome.pop("labels")) for name, outcome in outcomes.items()}
    for name, found in labels.items():
        outcomes[name]["accuracy"] = percent_equal(found, case.y_test)
        outcomes[name]["as_scikit_learn"] = percent_equal(found, labels[THEIRS])
    worst = min((name for name in labels if name != THEIRS), key=lambda name: outcomes[name]["as_scikit_learn"])
    agreed = checks(
        accuracy_apart=outcomes[worst]["accuracy"] - outcomes[THEIRS]["accuracy"],
        equal_labels=outcomes[worst]["as_scikit_learn"],
        objective_apart=outcomes[worst]["objective"] / outcomes[THEIRS]["objective"] - 1.0,
    )
    return {"case": case.describe(), "outcomes": outcomes, "checks": [vars(check) for check in agreed]}


def tables(name: str, result: Result) -> list[Table]:
    """Return times, how many times as fast as scikit-learn that is, answers and memory."""
    theirs = result["outcomes"][THEIRS]
    rows = [
        [
            who,
            f"{np.median(found['fit']):.3g}",
            f"{np.median(theirs['fit']) / np.median(found['fit']):.1f}",
            f"{np.median(found['predict']):.3g}",
            f"{np.median(theirs['predict']) / np.median(found['predict']):.1f}",
            f"{found['accuracy']:.2f}",
            f"{found['as_scikit_learn']:.2f}",
            f"{found['grew_mib']:.0f}",
        ]
        for who, found in result["outcomes"].items()
    ]
    head = ["", "fit, s", "times", "predict, s", "times", "accuracy %", "as scikit-learn %", "memory grew, MiB"]
    return [Table(name, head, rows)]


PAGE = SetBySet("fingerprints", "Fingerprints", tables)


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run everyone, show and write the results."""
    return PAGE.run(
        [fingerprints(options.rows)],
        lambda _: measure(options.rows, options.threads, options.repeats, screen.say),
        options,
        screen,
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many rows."""
    parser.add_argument("--rows", type=positive, default=20_000, help="training rows (default: 20000)")


BENCHMARK = Benchmark(
    "fingerprints", "The Tanimoto kernel of SVC against scikit-learn's kernel matrix.", run, add_options
)
