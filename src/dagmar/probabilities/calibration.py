"""Calibration: a sigmoid for each machine, from values on samples that it was not trained on.

The samples are divided into `N_FOLDS` folds. The machines are trained without each fold in turn, all together by `cross_fit`,
which computes every kernel row once; only their values on the samples of the fold are kept. The folds are the same every time:
the samples, sorted by class, are dealt out in turn, so every class is spread evenly.

A class with a single sample cannot be held out. Its sample is in the training part of every fold, and counts with the value of
a sample on the margin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..base.threads import threads_worth
from ..base.typing import Array, Index
from ..machines.cross_fitting import FoldMachines, HeldOut, cross_fit
from ..machines.folds import Fold
from ..machines.progress import Watcher, work_of
from ..machines.training import TrainSettings
from ..problem.choices import NOT_FINITE
from ..problem.problem import Problem
from ..problem.soft_labels import Labeller
from ..problem.tasks import Tasks
from .sigmoid import Sigmoids, fit_sigmoids

# A function with the arguments of `cross_fit`.
CrossFit: TypeAlias = Callable[..., list[FoldMachines]]

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
    cross: CrossFit = cross_fit,
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
    cross : CrossFit
        What trains the machines of the folds: `cross_fit`, or a function that does the same elsewhere.

    Returns
    -------
    list of Sigmoids
        One per value of C.
    """
    Cs = np.ones(1) if Cs is None else Cs
    fold_of = deal(problem)
    folds = {f: _fold(problem, fold_of == f) for f in range(N_FOLDS + 1) if (fold_of == f).any()}
    trained = _cross_fit(problem, tasks, settings, [folds[f] for f in folds if f != SINGLE], Cs, soft, watchers, cross)
    parts, values = [], []
    for f, fold in folds.items():
        held_out = HeldOut.of(problem, fold, tasks)
        here = fold_of[held_out.place] == f  # samples without weight are outside, too, but do not count
        parts.append([held_out.machine[here], held_out.place[here], held_out.positive[here]])
        on_margin = [np.where(held_out.positive, 1.0, -1.0)] * len(Cs)
        values.append(np.array(on_margin if f == SINGLE else next(trained).outside)[:, here])
    machine, place, positive = map(np.concatenate, zip(*parts, strict=True))
    all_values = np.concatenate(values, axis=1)
    if not np.isfinite(all_values).all():
        raise ValueError(NOT_FINITE)
    weight = (problem.weight / problem.weight[fold_of >= 0].mean())[place]
    n_threads = threads_worth(settings.n_threads, WORK_PER_VALUE * len(machine))
    return [fit_sigmoids(of_C, positive, weight, machine, len(tasks), n_threads) for of_C in all_values]


def calibrate_further(
    known: Sigmoids,
    known_tasks: Tasks,
    tasks: Tasks,
    problem: Problem | None,
    settings: TrainSettings,
    soft: int | Labeller | None = None,
    cross: CrossFit = cross_fit,
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
    cross : CrossFit
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


def _fold(problem: Problem, held_out: NDArray[np.bool_]) -> Fold:
    """Return the fold without some samples of `Problem.order`; caps stay the same, as in LIBSVM, also for balanced weights."""

    def inside(values: Array) -> Array:
        """Return values of the samples of `order` for all rows of X, 0 for samples outside."""
        spread = np.zeros(problem.X.shape[0])
        spread[problem.order] = np.where(held_out, 0.0, values)
        return spread

    every = np.ones(problem.n_classes)
    train, test = problem.order[~held_out], problem.order[held_out]
    return Fold(
        train, test, inside(np.ones(len(held_out))), inside(problem.weight), every, inside(problem.cap), every > 0
    )


def _cross_fit(
    problem: Problem,
    tasks: Tasks,
    settings: TrainSettings,
    folds: Sequence[Fold],
    Cs: Array,
    soft: int | Labeller | None,
    watchers: Sequence[Watcher],
    cross: CrossFit,
) -> Iterator[FoldMachines]:
    """Train the machines on all folds, and tell the watchers."""

    def finished(some: Index) -> None:
        for watcher in watchers:
            watcher.advance(some)

    for watcher in watchers:
        watcher.begin(work_of(problem, tasks), 0)
    trained = cross(
        problem, tasks, settings, folds, Cs, outside=True, soft=soft, finished=finished if watchers else None
    )
    for watcher in watchers:
        watcher.end()
    return iter(trained)
