"""What the thread sanitizer watches: fits, predictions and checkpoints in many threads, and a race that it must find.

`python fuzzing/threads.py` must end with 0, and `python fuzzing/threads.py race` must not, if the core was built with
DAGMAR_TSAN and libtsan was loaded before Python.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import warnings
from typing import Any

import numpy as np

import dagmar
from dagmar import _core


def work() -> None:
    """Use every path that starts threads."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 8
    X = 2 * rng.normal(size=(8, 30))[y] + rng.normal(size=(400, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kernel, precision in (("rbf", "single"), ("rbf", "double"), ("linear", "single")):
            with tempfile.TemporaryDirectory() as folder:
                parameters: dict[str, Any] = {"kernel": kernel, "gamma": 0.01, "precision": precision, "n_jobs": 4}
                clf = dagmar.SVC(**parameters, checkpoint=folder, structure="max_wins").fit(X, y)
            dagmar.SVC(**parameters, structure="one_vs_rest", tol=1e-6, cache_size=1).fit(X, y)
            threads = [threading.Thread(target=clf.predict, args=[X]) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            clf.decision_path(X)
            clf.decision_function(X)


if __name__ == "__main__":
    if sys.argv[1:] == ["race"]:
        _core.seeded_race(4)  # type: ignore[attr-defined]
    else:
        work()
