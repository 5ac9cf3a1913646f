"""Measurements that several papers make."""

from __future__ import annotations

import time
from typing import Any, TypeVar

import numpy as np

from dagmar import SVC
from dagmar.base.typing import Array, Index

from .study import Found

Model = TypeVar("Model")


def fitted(model: Model, X: Array, y: Index) -> tuple[Model, dict[str, float]]:
    """Fit a model, and time it.

    Returns
    -------
    model : the fitted model
    times : dict
        ``wall_seconds``, and ``cpu_seconds`` of all threads together.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    anyhow: Any = model
    anyhow.fit(X, y)
    return model, {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def timed_labels(model: Any, X: Array, repeats: int = 1) -> tuple[Index, float]:
    """The answers of a model, and the least seconds of a few calls."""
    laps = []
    for _ in range(repeats):
        begun = time.perf_counter()
        labels = model.predict(X)
        laps.append(time.perf_counter() - begun)
    return labels, min(laps)


def percent_wrong(labels: Index, y: Index) -> float:
    """Error rate in percent."""
    return float(100 * np.mean(labels != y))


def sizes(clf: SVC) -> Found:
    """What a classifier keeps: machines, distinct vectors, vectors of all machines, parameters."""
    return {
        "machines": int(clf.bank_.n_machines),
        "distinct_vectors": len(clf.support_),
        "summed_vectors": len(clf.bank_.coef),
        "parameters": int(clf.bank_.size_in_parameters),
    }


def costs(clf: SVC, X: Array) -> Found:
    """What deciding costs, on average over samples: machines consulted, distinct and summed vectors."""
    cost = clf.decision_cost(X)
    return {
        "machines_consulted": float(cost.machines.mean()),
        "kernel_evaluations": float(cost.kernel_evaluations.mean()),
        "support_vectors": float(cost.support_vectors.mean()),
    }
