"""Soft labels: how certain the class of each sample is, from its nearest neighbours.

A posterior-probability machine (Tao et al. 2005, Gönen et al. 2008, as used by Wang et al. 2011) is trained on
y = 2 P(+ | x) - 1 instead of a label, where P is the share of + samples among the k nearest neighbours of x. Its problem is
that of an ordinary machine with target |y| and cap C / |y|: see `cpp/core/solver/solver.hpp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..base.threads import one_blas_thread
from ..base.typing import Array, Features, Index
from .neighbours import Among, Distances, Nearest, distances_of
from .problem import Problem
from .tasks import Tasks

# Number of distances that are bounded at once, for 4 MB.
DISTANCES_AT_ONCE = 2**20

# Fewer samples are labelled by the calling thread.
FEW_SAMPLES = 1000

# `map`, or that of some threads.
Map: TypeAlias = Callable[..., Iterator[None]]
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
    with one_blas_thread(), ExitStack() as stack:
        # A tree asks for a few machines at a time: handing a small search to a thread would take longer than the search.
        alone = n_jobs == 1 or len(problem.order) < FEW_SAMPLES
        each: Map = map if alone else stack.enter_context(ThreadPoolExecutor(n_jobs)).map
        return _of_neighbours(problem, tasks, how, each)


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


def _of_neighbours(problem: Problem, tasks: Tasks, k: int, each: Map) -> Array:
    """Return the soft labels from nearest neighbours.

    Neighbours are searched among the samples of the classes of the task. A sample is its own first neighbour, so k = 1 gives
    the plain labels. Ties in distance go to the sample that comes first in the training data. A soft label may have the
    opposite sign of the sample's class; this is intended, because it can correct a wrong label.
    """
    sizes = np.diff(problem.class_start)[tasks.classes]
    soft = np.repeat(tasks.sides.astype(np.float64), sizes)
    if k > 1:
        begin = np.concatenate([[0], np.cumsum(sizes)])
        search = _Search(problem, tasks, k, begin, soft, distances_of(problem), _places(problem))
        pair = np.diff(tasks.begin) == 2
        search.label_pairs(tasks.begin[:-1][pair], each)
        search.label_groups(np.flatnonzero(~pair), each)
    return soft


@dataclass(frozen=True, eq=False)
class _Search:
    """Labels the samples of tasks by their k nearest neighbours, of which a sample itself is the first.

    Attributes
    ----------
    problem : Problem
    tasks : Tasks
    k : int
    begin : ndarray
        Where in `soft` the samples of each entry of `tasks.classes` begin.
    soft : ndarray
        The labels. They are the signs at first, and samples without weight keep them.
    distances : Distances
    places : list of ndarray
        The positions of the samples of each class in `Problem.order`, without those of no weight.
    """

    problem: Problem
    tasks: Tasks
    k: int
    begin: Index
    soft: Array
    distances: Distances
    places: list[Index]

    def label_pairs(self, first: Index, each: Map) -> None:
        """Label the samples of tasks of two classes, given by the first entry of each in `tasks.classes`."""
        entries = np.concatenate([first, first + 1])
        rivals = self.tasks.classes[np.concatenate([first + 1, first])]
        own = self.tasks.classes[entries]
        parts = [own == c for c in np.unique(own)]
        list(each(self._label_class, [entries[part] for part in parts], [rivals[part] for part in parts]))

    def _label_class(self, entries: Index, rivals: Index) -> None:
        """Label the samples of a class in its tasks against other classes.

        The neighbours of a sample in its own class are found once for all tasks, and those in all other classes together.
        """
        c = self.tasks.classes[entries[0]]
        others, place_of = np.unique(rivals, return_inverse=True)
        parts = [self.problem.order[self.places[other]] for other in others.tolist()]
        n_each = np.array([len(part) for part in parts])
        group = np.repeat(np.arange(len(others)), n_each)
        own = self.problem.order[self.places[c]]
        inside, outside = Among(self.distances, own), Among(self.distances, np.concatenate(parts))
        k = np.minimum(self.k, len(own) + n_each)
        for block in _blocks(len(own), len(own) + len(group)):
            near = Nearest.find(own[block], inside, self.k - 1)
            share = (k - 2 * near.places_for(outside, group, len(others))) / k
            place = self.places[c][block] - self.problem.class_start[c]
            for entry, other in zip(entries.tolist(), place_of.tolist(), strict=True):
                self.soft[self.begin[entry] + place] = self.tasks.sides[entry] * share[:, other]

    def label_groups(self, tasks: Index, each: Map) -> None:
        """Label the samples of tasks of any classes. Tasks over the same classes share their neighbours."""
        alike: dict[tuple[int, ...], list[int]] = {}
        for t in tasks.tolist():
            classes = self.tasks.classes[self.tasks.begin[t] : self.tasks.begin[t + 1]]
            alike.setdefault(tuple(sorted(classes.tolist())), []).append(t)
        for of_classes, some in alike.items():
            rows = np.sort(np.concatenate([self.problem.order[self.places[c]] for c in of_classes]))
            among, signs = Among(self.distances, rows), [self._signs(t) for t in some]

            def label(block: slice, rows: Index = rows, among: Among = among, signs: list[Any] = signs) -> None:
                k = min(self.k, len(rows))
                near = Nearest.find(rows[block], among, k - 1)
                for sign, place in signs:
                    self.soft[place[rows[block]]] = (sign[rows[block]] + sign[near.neighbour].sum(axis=1)) / k

            list(each(label, _blocks(len(rows), len(rows))))

    def _signs(self, t: int) -> tuple[Array, Index]:
        """Return the sign of each sample in a task, and the place of its label."""
        sign, place = np.zeros(self.problem.X.shape[0]), np.zeros(self.problem.X.shape[0], dtype=np.int64)
        for entry in range(self.tasks.begin[t], self.tasks.begin[t + 1]):
            own = self.problem.order[slice(*self.problem.class_start[self.tasks.classes[entry] :][:2])]
            sign[own] = self.tasks.sides[entry]
            place[own] = self.begin[entry] + np.arange(len(own))
        return sign, place


def _places(problem: Problem) -> list[Index]:
    counts = problem.weight > 0
    return [first + np.flatnonzero(counts[first:last]) for first, last in pairwise(problem.class_start.tolist())]


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Return parts of the rows, so that a part has about `DISTANCES_AT_ONCE` distances to all columns."""
    at_once = max(1, DISTANCES_AT_ONCE // max(1, n_columns))
    return (slice(first, first + at_once) for first in range(0, n_rows, at_once))
