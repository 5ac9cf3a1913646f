"""The law of section 4: how training time grows with the number of samples."""

from __future__ import annotations

import time

import numpy as np
from sklearn.svm import SVC as LibsvmSVC

from ..study import Found, Lab
from .experiments import trained
from .sets import Prepared, prepared

ENOUGH = 0.3  # seconds of fits for one point, below which a clock is coarse
MOST = 10  # fits for one point


def growth(lab: Lab, data: str, sigma: float, C: float, shares: list[float]) -> Found:
    """Both ways to train, on growing parts of a training set, with the same kernel and C.

    Parameters
    ----------
    lab : Lab
    data : str
    sigma, C : float
    shares : list of float
        Of the training rows; each part holds the smaller ones.
    """
    split, order = _shuffled(lab, data)
    points = []
    for n in _rows(split, shares):
        X, y = split.X[order[:n]], split.y[order[:n]]
        ways = {}
        for way, structure in (("1-v-r", "one_vs_rest"), ("1-v-1", "ddag")):
            _, first = trained(structure, sigma, C, X, y)
            repeats = int(np.clip(ENOUGH / max(first["cpu_seconds"], 1e-3), 1, MOST))
            _, again = trained(structure, sigma, C, X, y, repeats)
            ways[way] = {**again, "cpu_seconds": min(first["cpu_seconds"], again["cpu_seconds"])}
        points.append({"rows": n, **ways})
    return {"classes": len(np.unique(split.y)), "points": points}


def libsvm_growth(lab: Lab, data: str, sigma: float, C: float, shares: list[float], n_classes: int) -> Found:
    """The same by LIBSVM, whose machines share nothing: some machines of one class against the rest, and all pairs.

    Parameters
    ----------
    lab : Lab
    data : str
    sigma, C : float
    shares : list of float
    n_classes : int
        Train the machines of the first `n_classes` classes against the rest; their mean stands for one.
    """
    split, order = _shuffled(lab, data)
    points = []
    for n in _rows(split, shares):
        X, y = split.X[order[:n]], split.y[order[:n]]
        machine = LibsvmSVC(C=C, gamma=1 / (2 * sigma**2))
        one = np.mean([_seconds(machine, X, y == c) for c in range(n_classes)])
        points.append({"rows": n, "one_machine": float(one), "1-v-1": _seconds(machine, X, y)})
    return {"classes": len(np.unique(split.y)), "points": points}


def _shuffled(lab: Lab, data: str) -> tuple[Prepared, np.ndarray]:
    split = prepared(lab, data, test_rows=1)
    return split, lab.rng("platt1999", "growth", data).permutation(len(split.y))


def _rows(split: Prepared, shares: list[float]) -> list[int]:
    return [round(share * len(split.y)) for share in shares]


def _seconds(machine: LibsvmSVC, X: np.ndarray, y: np.ndarray) -> float:
    begun = time.process_time()
    machine.fit(X, y)
    return time.process_time() - begun
