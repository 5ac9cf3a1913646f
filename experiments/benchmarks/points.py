"""One fit in a process of its own: seconds, and how far its memory grew.

``python -m experiments.benchmarks.points '{"set": "letter", ...}'`` runs a `Point` and prints its outcome; `measure` does so
with a time limit. Only in a fresh process does the peak of memory belong to one fit.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sklearn.base import ClassifierMixin
from threadpoolctl import threadpool_limits

from ..exceptions import DataError
from .cases import CACHE_MB, Case, load_case, load_covertype
from .memory import forget_peak, peak
from .race import WARM_UP_ROWS, timed
from .synthetic import clouds, text

ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN = "one-vs-one", "one-vs-rest", "scikit-learn"
MOST_REPEATS, ENOUGH_SECONDS = 5, 2.0  # short work is repeated until its time stands out from noise
DATA_MISSING = 3  # exit code


@dataclass(frozen=True)
class Point:
    """What is fitted, and by whom.

    Attributes
    ----------
    set : str
        "clouds", "text-rbf", "text-linear", "covertype" or a key of `cases.RECIPES`.
    who : {"one-vs-one", "one-vs-rest", "scikit-learn"}
        The first two are `dagmar.SVC`, as DDAG and one-vs-rest.
    rows : int, optional
        The first training rows only.
    classes : int, optional
        The first classes only.
    threads : int
        For those who can use them.
    cache_mb : int
    """

    set: str
    who: str
    rows: int | None = None
    classes: int | None = None
    threads: int = 2
    cache_mb: int = CACHE_MB

    def case(self) -> Case:
        """The data, scaled."""
        if self.set == "clouds":
            case = clouds(self.classes or 10)
        elif self.set.startswith("text-"):
            case = text(self.set.removeprefix("text-"), self.rows or 8000)
        elif self.set == "covertype":
            case = load_covertype(self.rows or 100_000)
        else:
            case = load_case(self.set)
            case = case if self.rows is None else case.rows(self.rows)
            case = case if self.classes is None else case.classes(self.classes)
        return replace(case, cache_mb=self.cache_mb)

    def estimator(self, case: Case) -> ClassifierMixin:
        """The classifier, not yet fitted."""
        if self.who == SCIKIT_LEARN:
            from sklearn.svm import SVC

            return SVC(**case.parameters)
        import dagmar

        structure = {ONE_VS_ONE: "ddag", ONE_VS_REST: "one_vs_rest"}[self.who]
        return dagmar.SVC(**case.parameters, structure=structure, n_jobs=self.threads)


def run(point: Point) -> dict[str, Any]:
    """Fit and predict in this process.

    Parameters
    ----------
    point : Point

    Returns
    -------
    dict
        Seconds as lists; `first_predict` pays for whatever is built then. The growth of memory is in MiB from just before
        the first fit, `fit_grew` until its end and `grew` until the end of the first predict.
    """
    case = point.case()
    small = case.head(WARM_UP_ROWS)
    with threadpool_limits(point.threads):
        # What any fit needs, libraries and threads, is not this one's.
        point.estimator(small).fit(small.X_train, small.y_train).predict(small.X_test)
        estimator = point.estimator(case)
        before = forget_peak()
        model, fit = timed(lambda: estimator.fit(case.X_train, case.y_train))
        fitted = peak()
        labels, first_predict = timed(lambda: model.predict(case.X_test))
        predicted = peak()
        again = _repeated(lambda: point.estimator(case).fit(case.X_train, case.y_train), [fit])
        next_predict = _repeated(lambda: model.predict(case.X_test), [])
    report = getattr(model, "report_", None)
    totals = {} if report is None else {key: int(report.totals[key]) for key in ("iterations", "rows_computed")}
    return {
        "case": case.describe(),
        "fit": again,
        "first_predict": [first_predict],
        "next_predict": next_predict,
        "accuracy": 100 * float((labels == case.y_test).mean()),
        "machines": model.bank_.n_machines if hasattr(model, "bank_") else len(model.intercept_),
        "support_vectors": len(model.support_),
        **totals,
        "before_mib": before,
        "fit_grew_mib": fitted - before,
        "grew_mib": predicted - before,
    }


def _repeated(work: Callable[[], Any], laps: list[float]) -> list[float]:
    while not laps or (len(laps) < MOST_REPEATS and sum(laps) < ENOUGH_SECONDS):
        laps = [*laps, timed(work)[1]]
    return laps


def measure(point: Point, limit: float) -> dict[str, Any]:
    """Run a point in a fresh process.

    Parameters
    ----------
    point : Point
    limit : float
        Seconds for everything, loading included.

    Returns
    -------
    dict
        With status "done" and what `run` tells; or "over" and the limit; or "failed" and why.

    Raises
    ------
    DataError
    """
    command = [sys.executable, "-m", "experiments.benchmarks.points", json.dumps(asdict(point))]
    root = Path(__file__).parents[2]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"status": "over", "limit": limit}
    last_words = (done.stderr.strip().splitlines() or ["no word"])[-1]
    if done.returncode == DATA_MISSING:
        raise DataError(last_words)
    if done.returncode < 0:
        return {"status": "failed", "why": f"signal {-done.returncode}"}
    if done.returncode:
        return {"status": "failed", "why": last_words.partition(":")[0]}
    return {"status": "done", **json.loads(done.stdout.splitlines()[-1])}


if __name__ == "__main__":
    try:
        print(json.dumps(run(Point(**json.loads(sys.argv[1])))))
    except DataError as error:
        print(error, file=sys.stderr)
        sys.exit(DATA_MISSING)
