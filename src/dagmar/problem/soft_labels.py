"""Soft labels: how certain the class of each sample is, from its nearest neighbours.

A posterior-probability machine (Tao et al. 2005, Gönen et al. 2008, as used by Wang et al. 2011) is trained on
y = 2 P(+ | x) - 1 instead of a label, where P is the share of + samples among the k nearest neighbours of x. Its problem is
that of an ordinary machine with target |y| and cap C / |y|: see `cpp/core/smo.hpp`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from ..base.typing import Array, Features, Index
from .problem import Problem
from .tasks import Tasks

# Number of neighbours to find beyond k, so that ties in distance can be broken by the order of the samples.
SPARE = 8

# Takes all training samples, the rows that a machine is trained on, and their signs; returns the soft labels of these rows.
Labeller: TypeAlias = Callable[[Features, Index, Array], Any]


def soft_labels(problem: Problem, tasks: Tasks, how: int | Labeller, n_jobs: int = 1) -> Array:
    """Return the soft labels of the samples of every task.

    Parameters
    ----------
    problem : Problem
    tasks : Tasks
    how : int or callable
        The number of nearest neighbours, or a function that returns the soft labels.
    n_jobs : int

    Returns
    -------
    ndarray
        The labels of one task after another; within a task, in the order of its classes and of the samples of a class.
    """
    if callable(how):
        return _told(problem, tasks, how)
    with threadpool_limits(n_jobs):  # otherwise the search uses all cores and waits for them in every call
        return _of_neighbours(problem, tasks, how, n_jobs)


def _samples(problem: Problem, tasks: Tasks, t: int) -> tuple[Index, Array, NDArray[np.bool_]]:
    """Return the positions of a task's samples in `Problem.order`, their signs, and which have a positive weight."""
    here = slice(tasks.begin[t], tasks.begin[t + 1])
    classes, sides = tasks.classes[here], tasks.sides[here]
    places = np.concatenate([np.arange(*problem.class_start[c : c + 2]) for c in classes])
    sign = np.repeat(sides.astype(np.float64), np.diff(problem.class_start)[classes])
    return places, sign, problem.weight[places] > 0  # a sample without weight is ignored


def _told(problem: Problem, tasks: Tasks, how: Labeller) -> Array:
    """Return the soft labels from a user's function."""
    out = []
    for t in range(len(tasks)):
        places, soft, counts = _samples(problem, tasks, t)
        rows = problem.order[places[counts]]
        told = np.asarray(how(problem.X, rows, soft[counts]), dtype=np.float64)
        if told.shape != rows.shape:
            raise ValueError(f"soft_labels must return an array of shape {rows.shape}, got {told.shape}")
        if not (np.abs(told) <= 1.0).all():  # the comparison is False for NaN
            raise ValueError("soft_labels must return numbers from -1 to 1")
        soft[counts] = told
        out.append(soft)
    return np.concatenate(out)


def _of_neighbours(problem: Problem, tasks: Tasks, k: int, n_jobs: int) -> Array:
    """Return the soft labels from nearest neighbours.

    Neighbours are searched among the samples of the classes of the task. A sample is its own first neighbour, so k = 1 gives
    the plain labels. Ties in distance go to the sample that comes first in the training data. A soft label may have the
    opposite sign of the sample's class; this is intended, because it can correct a wrong label.
    """
    found: dict[bytes, Index] = {}  # tasks over the same classes share their neighbours
    out = []
    for t in range(len(tasks)):
        places, sign, counts = _samples(problem, tasks, t)
        key = tasks.classes[tasks.begin[t] : tasks.begin[t + 1]].tobytes()
        if key not in found:
            found = {key: _neighbours(problem, problem.order[places[counts]], k, n_jobs)}
        soft = sign.copy()
        soft[counts] = sign[counts][found[key]].mean(axis=1)
        out.append(soft)
    return np.concatenate(out)


def _neighbours(problem: Problem, rows: Index, k: int, n_jobs: int) -> Index:
    """Return the k nearest neighbours of each sample of `rows`, itself first, as positions in `rows`; shape (n, k)."""
    n = len(rows)
    k = min(k, n)
    itself = np.arange(n)[:, None]
    if k == 1:
        return itself
    in_kernel_space = problem.kernel.name == "precomputed"
    X = _distances(problem.X, rows) if in_kernel_space else problem.X[rows]
    search = NearestNeighbors(metric="precomputed" if in_kernel_space else "euclidean", n_jobs=n_jobs).fit(X)
    # Called without samples, kneighbors leaves out each sample itself.
    asked = min(k - 1 + SPARE, n - 1)
    distance, place = search.kneighbors(n_neighbors=asked)
    nearest, last_is_tied = _first(distance, place, rows, k - 1)
    if asked < n - 1 and last_is_tied.any():  # more ties than found: search all samples
        tied = np.flatnonzero(last_is_tied)
        distance, place = search.kneighbors(X[tied], n_neighbors=n)
        distance[place == tied[:, None]] = np.inf
        nearest[tied] = _first(distance, place, rows, k - 1)[0]
    return np.hstack([itself, nearest])


def _first(distance: Array, place: Index, rows: Index, count: int) -> tuple[Index, NDArray[np.bool_]]:
    """Return the `count` nearest of each list, ties to the first sample, and whether the last is tied with the list's end."""
    # Distances that differ only by rounding are ties.
    finite = np.where(np.isfinite(distance), distance, 0.0).max(axis=1, keepdims=True)
    rounded = np.round(distance / np.maximum(finite, np.finfo(float).tiny), 9)
    ranked = np.lexsort((rows[place], rounded), axis=1)
    sorted_ = np.take_along_axis(rounded, ranked, axis=1)
    return np.take_along_axis(place, ranked[:, :count], axis=1), sorted_[:, count - 1] >= sorted_[:, -1]


def _distances(gram: Features, rows: Index) -> NDArray[np.float64]:
    """Return the distances in kernel space, from a kernel matrix."""
    K = np.asarray(gram[np.ix_(rows, rows)], dtype=np.float64)
    own = np.diag(K)
    distance: NDArray[np.float64] = np.sqrt(np.maximum(own[:, None] + own - K - K.T, 0.0))
    return distance
