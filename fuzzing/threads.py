"""What the thread sanitizer watches: fits, predictions and checkpoints in many threads, and a race that it must find.

`python fuzzing/threads.py` must end with 0, and `python fuzzing/threads.py race` must not, if the core was built with
DAGMAR_TSAN and libtsan was loaded before Python. `python fuzzing/threads.py quick` makes one fit.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import dagmar
from dagmar import _core
from dagmar.base import threads as choice

choice.WORTH_A_THREAD = 1  # data this small would be left to one thread


def data(n: int = 400) -> tuple[Any, Any]:
    """Eight classes in 30 features."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 8
    return 2 * rng.normal(size=(8, 30))[y] + rng.normal(size=(n, 30)), y


def at_once(*calls: Callable[[], Any]) -> None:
    """Make calls in threads of their own, and raise the first exception."""
    failures: list[BaseException] = []
    everyone = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> None:
        try:
            everyone.wait()
            call()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def fit_with_checkpoint(**parameters: Any) -> dagmar.SVC:
    """Fit in four threads that report their machines."""
    with tempfile.TemporaryDirectory() as folder:
        return dagmar.SVC(gamma=0.01, n_jobs=4, checkpoint=folder, **parameters).fit(*data())


def work() -> None:
    """Use every path that starts threads."""
    X, y = data()
    for kernel, precision in (("rbf", "single"), ("rbf", "double"), ("linear", "single")):
        print("fits and predictions:", kernel, precision, flush=True)
        clf = fit_with_checkpoint(kernel=kernel, precision=precision)
        parameters: dict[str, Any] = {"kernel": kernel, "gamma": 0.01, "precision": precision, "n_jobs": 4}
        dagmar.SVC(**parameters, structure="one_vs_rest", tol=1e-6, cache_size=1).fit(X, y)
        at_once(*[partial(clf.predict, X)] * 3)
        at_once(partial(clf.decision_path, X), partial(clf.decision_function, X))
    print("machines that are solved again in double precision", flush=True)
    dagmar.SVC(C=100.0, gamma=0.001, precision="single", tol=1e-6, n_jobs=4).fit(X, y)
    print("sparse samples", flush=True)
    rows = sp.csr_matrix(np.where(np.abs(X) > 2, X, 0))
    sparse = dagmar.SVC(gamma=0.01, n_jobs=4).fit(rows, y)
    at_once(*[partial(sparse.predict, rows)] * 3)
    print("predictions during fits of the same model", flush=True)
    shared = dagmar.SVC(gamma=0.01, n_jobs=2).fit(X, y)

    def fit_again() -> None:
        for C in (0.1, 1.0, 10.0):
            shared.set_params(C=C).fit(X, y)

    def predict_often() -> None:
        for _ in range(5):
            shared.predict(X)
            shared.predict(X[:1])

    at_once(fit_again, predict_often, predict_often)
    print("fits side by side", flush=True)
    at_once(*[lambda: dagmar.SVC(gamma=0.01, n_jobs=2).fit(X, y)] * 3)
    print("tuning", flush=True)
    search = dagmar.SVCCV(Cs=[0.1, 1.0, 10.0], gammas=[0.001, 0.01], cv=3, n_jobs=4).fit(X, y)
    at_once(*[partial(search.predict, X)] * 3)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["race"]:
        _core.seeded_race(4)  # type: ignore[attr-defined]
    elif sys.argv[1:] == ["quick"]:
        fit_with_checkpoint()
    else:
        work()
