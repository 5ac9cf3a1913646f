"""Calibration: a sigmoid for each machine, from values on samples that it was not trained on.

The samples are divided into `N_FOLDS` folds. The machines are trained without each fold in turn, all together by
`cross_values`, which computes every kernel row once; only their values on the samples of the fold are kept. The folds are the
same every time: the samples, sorted by class, are dealt out in turn, so every class is spread evenly.

A class with a single sample cannot be held out. Its sample is in the training part of every fold, and counts with the value of
a sample on the margin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..base.threads import threads_worth
from ..base.typing import Array, Index
from ..machines.cross_fitting import HeldOut, cross_values
from ..machines.progress import Watcher, work_of
from ..machines.training import TrainSettings
from ..problem.choices import NOT_FINITE
from ..problem.problem import Problem
from ..problem.soft_labels import Labeller
from ..problem.tasks import Tasks
from .sigmoid import Sigmoids, fit_sigmoids

# A function with the arguments of `cross_values`.
CrossValues: TypeAlias = Callable[..., list[list[Array]]]

N_FOLDS = 5  # as in LIBSVM
SINGLE = N_FOLDS
# Of fitting a sigmoid, for each held-out value, as `work_per_value` counts it: about eight steps of Newton's method.
WORK_PER_VALUE = 500.0


def deal(problem: Problem) -> Index:
    """Return the fold of each sample of `Problem.order`: -1 for a sample without weight, `SINGLE` for a class's only sample.

    Examples
    --------
    >>> from dagmar.probabilities.calibration import deal
    >>> from dagmar.problem.making import ProblemParameters, make_problem
    >>> problem, _ = make_problem(ProblemParameters(gamma=1.0), [[x] for x in range(8)], list("aaaabbbc"))
    >>> deal(problem).tolist()
    [0, 1, 2, 3, 4, 0, 1, 5]
    """
    counts = problem.cap > 0
    sizes = np.add.reduceat(counts.astype(np.int64), problem.class_start[:-1])
    single = np.repeat(sizes == 1, np.diff(problem.class_start))
    return np.where(counts, np.where(single, SINGLE, (np.cumsum(counts) - 1) % N_FOLDS), -1)


def calibrate(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    Cs: Array | None = None,
    soft: int | Labeller | None = None,
    watchers: Sequence[Watcher] = (),
    cross: CrossValues = cross_values,
) -> list[Sigmoids]:
    """Return the sigmoids of the machines of some tasks, for each value of C.

    Samples count by their weights, which are scaled to a mean of 1.

    Parameters
    ----------
    problem : Problem
    tasks : Tasks
    settings : TrainSettings
    Cs : ndarray of shape (n_Cs,), optional
        Factors of the caps of the problem, ascending; by default 1.
    soft : int, callable or None
        As for `Workshop`.
    watchers : sequence of Watcher
        Objects that are told about the progress.
    cross : CrossValues
        What trains the machines of the folds: `cross_values`, or a function that does the same elsewhere.

    Returns
    -------
    list of Sigmoids
        One per value of C.
    """
    Cs = np.ones(1) if Cs is None else Cs
    fold_of = deal(problem)
    folds = [f for f in range(N_FOLDS + 1) if (fold_of == f).any()]
    held_out = fold_of == np.array(folds)[:, None]
    cap, weight = (np.where(held_out, 0.0, values) for values in (problem.cap, problem.weight))
    n_trained = len(folds) - (folds[-1] == SINGLE)
    trained = _cross_values(
        problem, tasks, settings, cap[:n_trained], weight[:n_trained], Cs, soft=soft, watchers=watchers, cross=cross
    )
    entries = HeldOut.of(problem, cap, tasks)
    on_margin = np.where(entries.positive, 1.0, -1.0)
    n_known = sum(len(of_fold[0]) for of_fold in trained)
    all_values = [np.concatenate([*(of_fold[c] for of_fold in trained), on_margin[n_known:]]) for c in range(len(Cs))]
    # Samples without weight are held out of every fold, but do not count.
    counts = fold_of[entries.place] >= 0
    machine, place, positive = entries.machine[counts], entries.place[counts], entries.positive[counts]
    all_values = [values[counts] for values in all_values]
    if not all(np.isfinite(values).all() for values in all_values):
        raise ValueError(NOT_FINITE)
    mean_weight = problem.weight[fold_of >= 0].mean()
    n_threads = threads_worth(settings.n_threads, WORK_PER_VALUE * len(machine))
    weight_of_entry = (problem.weight / mean_weight)[place]
    return [fit_sigmoids(values, positive, weight_of_entry, machine, len(tasks), n_threads) for values in all_values]


def calibrate_further(
    known: Sigmoids,
    known_tasks: Tasks,
    tasks: Tasks,
    problem: Problem | None,
    settings: TrainSettings,
    soft: int | Labeller | None = None,
    cross: CrossValues = cross_values,
) -> Sigmoids:
    """Return the sigmoids of the machines of `tasks`; those of `known_tasks` are known, and the others are fitted.

    Parameters
    ----------
    known : Sigmoids
    known_tasks : Tasks
    tasks : Tasks
    problem : Problem or None
        None if all tasks are known.
    settings : TrainSettings
    soft : int, callable or None
        As for `Workshop`.
    cross : CrossValues
        As for `calibrate`.

    Returns
    -------
    Sigmoids
    """
    if tasks.same_as(known_tasks):
        return known
    number = {key: m for m, key in enumerate(known_tasks.keys())}
    place = np.array([number.get(key, -1) for key in tasks.keys()])  # noqa: SIM118
    slope, offset = known.slope[place], known.offset[place]
    new = np.flatnonzero(place < 0)
    if len(new) and problem is not None:
        (fitted,) = calibrate(problem, tasks.select(new), settings, soft=soft, cross=cross)
        slope[new], offset[new] = fitted.slope, fitted.offset
    return Sigmoids(slope, offset)


def _cross_values(
    *arguments: Any, watchers: Sequence[Watcher], cross: CrossValues, **options: Any
) -> list[list[Array]]:
    """Train the machines on all folds, and tell the watchers."""
    problem, tasks, *_ = arguments

    def finished(some: Index) -> None:
        for watcher in watchers:
            watcher.advance(some)

    for watcher in watchers:
        watcher.begin(work_of(problem, tasks), 0)
    trained = cross(*arguments, **options, finished=finished if watchers else None)
    for watcher in watchers:
        watcher.end()
    return trained
