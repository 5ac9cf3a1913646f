"""Whether kernel evaluations tell the time of an evaluation, as section 5 says."""

from __future__ import annotations

import time
from typing import Any

from ..study import Found, Lab
from .experiments import STRUCTURE, kernel_evaluations, trained
from .sets import prepared


def evaluation(
    lab: Lab, data: str, schemes: dict[str, list[float]], n_rows: int, repeats: int, **reading: Any
) -> Found:
    """The time of each rule for some test rows, all at once, by one thread; and its kernel evaluations for them.

    Parameters
    ----------
    lab : Lab
    data : str
    schemes : dict of str to [sigma, C]
        By rule.
    n_rows : int
        Test rows, drawn at random.
    repeats : int
        Rounds, of which the fastest counts.
    **reading : Any
        Of the data, see `sets.prepared`.
    """
    split = prepared(lab, data, test_rows=n_rows, **reading)
    rules = {}
    for rule, (sigma, C) in schemes.items():
        clf, _ = trained(STRUCTURE[rule], sigma, C, split.X, split.y)
        clf.predict(split.X_test)  # so that what is built on first use is there
        laps = []
        for _ in range(repeats):
            begun = time.process_time()
            clf.predict(split.X_test)
            laps.append(time.process_time() - begun)
        evaluations = kernel_evaluations(clf, split.X_test)
        rules[rule] = {"cpu_seconds": min(laps), "laps": laps, "kernel_evaluations": evaluations}
    return {"rules": rules, "test_rows": len(split.y_test)}
