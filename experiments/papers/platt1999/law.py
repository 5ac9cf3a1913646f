"""The laws of section 4: how training time grows with the number of samples, and of classes."""

from __future__ import annotations

import numpy as np

from dagmar.base.typing import Array, Index

from ..measure import sizes
from ..study import Found, Lab
from .experiments import STRUCTURE, parameters, trained
from .loops import against_rest, machine_of, one_by_one, pairs
from .published import DAGSVM, ONE_VS_REST
from .sets import Prepared, prepared

ENOUGH = 0.3  # seconds of fits for one point, below which a clock is coarse
MOST = 10  # fits for one point
WAYS = {"1-v-r": STRUCTURE[ONE_VS_REST], "1-v-1": STRUCTURE[DAGSVM]}


def growth(lab: Lab, data: str, sigma: float, C: float, shares: list[float]) -> Found:
    """Both ways to train, each as one bank, on growing parts of a training set, with the same kernel and C.

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
        points.append({"rows": n, **{way: _bank(structure, sigma, C, X, y) for way, structure in WAYS.items()}})
    return {"classes": len(np.unique(split.y)), "points": points}


def _bank(structure: str, sigma: float, C: float, X: Array, y: Index) -> Found:
    """One bank, trained as often as a coarse clock needs."""
    _, first = trained(structure, sigma, C, X, y)
    repeats = int(np.clip(ENOUGH / max(first["cpu_seconds"], 1e-3), 1, MOST))
    _, again = trained(structure, sigma, C, X, y, repeats)
    return {**again, "cpu_seconds": min(first["cpu_seconds"], again["cpu_seconds"])}


def loop_growth(
    lab: Lab, data: str, sigma: float, C: float, shares: list[float], n_classes: int, solver: str, repeats: int = 1
) -> Found:
    """The same with machines trained one by one: some machines of one class against the rest, and all pairs.

    Parameters
    ----------
    lab : Lab
    data : str
    sigma, C : float
    shares : list of float
    n_classes : int
        Train the machines of the first `n_classes` classes against the rest; their mean stands for one.
    solver : {"dagmar", "libsvm"}
    repeats : int
        Rounds over all machines, of which the fastest counts.
    """
    split, order = _shuffled(lab, data)
    machine, points = machine_of(solver, sigma, C), []
    for n in _rows(split, shares):
        X, y = split.X[order[:n]], split.y[order[:n]]
        rest, all_pairs = (
            one_by_one(machine, X, tasks, repeats)["cpu_seconds"] for tasks in (against_rest(y, n_classes), pairs(y))
        )
        points.append({"rows": n, "one_machine": rest / n_classes, "1-v-1": all_pairs})
    return {"classes": len(np.unique(split.y)), "points": points}


def class_growth(
    lab: Lab, data: str, sigma: float, C: float, numbers: list[int], draws: int, repeats: int = 1
) -> Found:
    """Training time for more and more classes of which each has fewer samples, and sizes where each has as many.

    The classes are drawn at random. For the times, all parts have the same number of rows, as many of every class. For the
    sizes, a part has all rows of its classes.

    Parameters
    ----------
    lab : Lab
    data : str
    sigma, C : float
    numbers : list of int
        Of classes, growing; those that the set does not have are left out.
    draws : int
        How often classes and rows are drawn.
    repeats : int
        Rounds over all machines, of which the fastest counts.

    Returns
    -------
    dict
        ``rows`` of every part, and the ``points`` of each draw: the CPU seconds of a loop over the machines and of one bank
        for both ways, and the sizes.
    """
    split = prepared(lab, data, test_rows=1)
    of_class = np.bincount(split.y)
    numbers = [n for n in numbers if n <= len(of_class)]
    total = numbers[0] * int(of_class.min())
    machine = machine_of("dagmar", sigma, C)
    drawn = []
    for draw in range(draws):
        rng = lab.rng("platt1999", "classes", data, draw)
        order, points = rng.permutation(len(of_class)), []
        for n in numbers:
            classes = order[:n]
            mine = np.concatenate(
                [rng.choice(np.flatnonzero(split.y == c), total // n, replace=False) for c in classes]
            )
            X, y = split.X[mine], np.unique(split.y[mine], return_inverse=True)[1]
            every = np.flatnonzero(np.isin(split.y, classes))
            points.append(
                {
                    "classes": n,
                    "loop": {
                        way: one_by_one(machine, X, tasks, repeats)["cpu_seconds"]
                        for way, tasks in (("1-v-r", against_rest(y)), ("1-v-1", pairs(y)))
                    },
                    "bank": {way: _bank(structure, sigma, C, X, y)["cpu_seconds"] for way, structure in WAYS.items()},
                    "size": _size(sigma, C, split, every),
                }
            )
        drawn.append(points)
    return {"rows": total, "draws": drawn}


def _size(sigma: float, C: float, split: Prepared, rows: Index) -> Found:
    """What all pairs of some classes keep."""
    clf, _ = trained(WAYS["1-v-1"], sigma, C, split.X[rows], np.unique(split.y[rows], return_inverse=True)[1])
    return {"rows": len(rows), **sizes(clf), "parameters": parameters(clf, split.sparse)}


def _shuffled(lab: Lab, data: str) -> tuple[Prepared, np.ndarray]:
    split = prepared(lab, data, test_rows=1)
    return split, lab.rng("platt1999", "growth", data).permutation(len(split.y))


def _rows(split: Prepared, shares: list[float]) -> list[int]:
    return [round(share * len(split.y)) for share in shares]
