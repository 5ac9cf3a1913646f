"""Machines trained one by one, as the authors trained theirs: each on its own, so that nothing is shared."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.svm import SVC as LibsvmSVC

from dagmar import SVC
from dagmar.base.typing import Array, Index

from ..study import Found, Lab
from .published import ONE_VS_REST
from .sets import prepared

Task = tuple[Index, Index]  # rows, and which of its two classes each of them is in
CLOCK = 1e-6  # seconds, shorter times are taken as this long
SOLVERS: dict[str, Any] = {"dagmar": SVC, "libsvm": LibsvmSVC}


def loop(
    lab: Lab, data: str, schemes: dict[str, list[float]], solver: str = "dagmar", repeats: int = 1, **reading: Any
) -> Found:
    """What it takes to train the machines of every rule one after the other, by one thread.

    Parameters
    ----------
    lab : Lab
    data : str
    schemes : dict of str to [sigma, C]
        By rule. Rules with the same numbers have the same machines.
    solver : {"dagmar", "libsvm"}
    repeats : int
        Rounds over all machines, of which the fastest counts.
    **reading : Any
        Of the data, see `sets.prepared`.

    Returns
    -------
    dict
        By rule: see `one_by_one`.
    """
    split = prepared(lab, data, test_rows=1, **reading)
    banks: dict[tuple[Any, ...], Found] = {}
    rules = {}
    for rule, (sigma, C) in schemes.items():
        key = (rule == ONE_VS_REST, sigma, C)
        if key not in banks:
            tasks = against_rest(split.y) if rule == ONE_VS_REST else pairs(split.y)
            banks[key] = one_by_one(machine_of(solver, sigma, C), split.X, tasks, repeats)
        rules[rule] = banks[key]
    return {"rules": rules, "train_rows": len(split.y)}


def machine_of(solver: str, sigma: float, C: float) -> Any:
    """One binary machine, untrained."""
    return SOLVERS[solver](C=C, gamma=1 / (2 * sigma**2))


def against_rest(y: Index, n_classes: int | None = None) -> Iterator[Task]:
    """The rows and the two classes of each machine of 1-v-r, or of the first few."""
    for c in np.unique(y)[:n_classes]:
        yield np.arange(len(y)), (y == c).astype(np.int64)


def pairs(y: Index) -> Iterator[Task]:
    """The rows and the two classes of each pair."""
    for a, b in combinations(np.unique(y), 2):
        rows = np.flatnonzero((y == a) | (y == b))
        yield rows, (y[rows] == b).astype(np.int64)


def one_by_one(machine: Any, X: Array, tasks: Iterable[Task], repeats: int = 1) -> Found:
    """Train one machine after the other.

    A call from Python takes time that the authors' program did not need. It is measured by fits of four rows and taken off.

    Parameters
    ----------
    machine : estimator
    X : ndarray of shape (n_samples, n_features)
    tasks : iterable of (ndarray, ndarray)
        The rows of each machine, and their classes.
    repeats : int
        Rounds over all machines.

    Returns
    -------
    dict
        The number of ``machines``, the CPU seconds of every round (``laps``), the least of them (``cpu_seconds``), and the
        seconds of a call, which are taken off (``overhead``).
    """
    tasks = list(tasks)
    overhead = min(_seconds(machine, X, np.arange(4), np.array([0, 1, 0, 1])) for _ in range(20))
    rounds = [sum(_seconds(machine, X, *task) for task in tasks) for _ in range(repeats)]
    laps = [max(lap - len(tasks) * overhead, CLOCK) for lap in rounds]
    return {"machines": len(tasks), "cpu_seconds": min(laps), "laps": laps, "overhead": overhead}


def _seconds(machine: Any, X: Array, rows: Index, y: Index) -> float:
    """The CPU seconds of one fit; rows are picked before the clock runs."""
    mine = np.ascontiguousarray(X[rows])
    begun = time.process_time()
    machine.fit(mine, y)
    return time.process_time() - begun
