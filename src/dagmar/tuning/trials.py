"""Trials: cells of a grid of C and gamma, each tried on every fold.

For one gamma, all folds and all values of C are problems over the same samples, which differ in the caps of the multipliers
only: a sample that is held out has cap 0. So they are trained together (`dagmar.machines.training.train_variants`), every row of the
kernel is computed once for all of them, and along C each begins where the one before ended. What cannot be trained so, a
fold that lacks a class or machines on soft labels, which hang on the fold's own neighbours, is fitted by itself.

There are two kinds of trial. `StructureTrials` score the answers among all classes; `PairTrials` each pair of classes by
itself, from the values that its machine has on the samples held out, which are there when it is trained.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.pairs import n_pairs, pair_classes, pair_numbers
from ..base.typing import Array, Features, Index, Labels
from ..estimators.svc import SVC
from ..machines.folds import Fold, variants
from ..machines.progress import Watcher, work_of
from ..machines.training import TrainedMachines, TrainSettings, train_variants
from ..machines.workshop import Workshop
from ..problem import separation
from ..problem.problem import Problem
from ..problem.tasks import Tasks, all_pairs
from ..structures import Structure

# Takes a fitted classifier, samples, labels and weights (None: all equal), and returns a number; the larger the better.
Scorer = Callable[[SVC, Features, Labels, Array | None], float]


@dataclass(frozen=True, eq=False)
class Samples:
    """What is searched over.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), or the kernel matrix (n_samples, n_samples)
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
        The labels.
    class_index : ndarray of shape (n_samples,)
    weight : ndarray of shape (n_samples,)
    weighted : bool
        Whether weights were given.
    folds : list of Fold
    """

    X: Features
    y: Labels
    classes: Labels
    class_index: Index
    weight: Array
    weighted: bool
    folds: list[Fold]


class Trials(ABC):
    """All cells, gamma by gamma.

    Parameters
    ----------
    samples : Samples
    parameters : dict
        Of `SVC`, but for C and gamma.
    Cs : ndarray of shape (n_Cs,)
        In any order.
    gammas : sequence
        Each as `SVC` takes it.

    Attributes
    ----------
    fit_seconds, score_seconds : ndarray of shape (n_Cs, n_gammas, n_folds)
        Solving, added up over the machines, and scoring.
    late : ndarray of shape (n_Cs, n_gammas, n_folds), bool
        Where some machine has not converged.
    """

    def __init__(self, samples: Samples, parameters: dict[str, Any], Cs: Array, gammas: Sequence[Any]) -> None:
        self.samples = samples
        self.parameters = parameters
        self.Cs, self.gammas = Cs, gammas
        shape = len(Cs), len(gammas), len(samples.folds)
        self.fit_seconds, self.score_seconds = np.zeros(shape), np.zeros(shape)
        self.late = np.zeros(shape, dtype=bool)
        by_itself = parameters["soft_labels"] is not None
        self._shared = [f for f, fold in enumerate(samples.folds) if fold.complete and not by_itself]

    @abstractmethod
    def tasks(self) -> Tasks:
        """The machines that every cell needs on a fold of all classes."""

    @abstractmethod
    def score_shared(
        self, problem: Problem, g: int, f: int, machines: list[TrainedMachines], outside: list[Array]
    ) -> None:
        """Score the machines of a gamma and a fold, one entry per value of C, ascending."""

    @abstractmethod
    def score(self, svc: SVC, X: Features, c: int, g: int, f: int) -> None:
        """Score a classifier that was fitted on a fold by itself; X are the samples held out."""

    def run(self, watchers: Sequence[Watcher] = ()) -> None:
        """Try every cell on every fold."""
        tasks, n_each = self.tasks(), len(self.Cs) * len(self.samples.folds)
        for g, gamma in enumerate(self.gammas):
            form = SVC(**self.parameters, gamma=gamma)
            problem = form._pose(self.samples.X, self.samples.y, self.samples.weight)
            if not g:
                for watcher in watchers:
                    watcher.begin(np.tile(work_of(problem, tasks), n_each * len(self.gammas)), 0)

            def done(cells: Index, machines: Index, g: int = g) -> None:
                """Tell of some machines in some of this gamma's cells and folds."""
                for watcher in watchers:
                    watcher.advance((((g * n_each + cells) * len(tasks))[:, None] + machines).ravel())

            self._try_shared(g, problem, form._settings(), tasks, done if watchers else None)
            self._try_alone(g, gamma, tasks, done)
        for watcher in watchers:
            watcher.end()

    def _try_shared(
        self,
        g: int,
        problem: Problem,
        settings: TrainSettings,
        tasks: Tasks,
        done: Callable[[Index, Index], None] | None,
    ) -> None:
        """Train all complete folds and values of C together."""
        if not self._shared:
            return
        folds, n = [self.samples.folds[f] for f in self._shared], len(self.Cs)
        cells = np.arange(len(folds) * n)
        machines, outside = train_variants(
            problem,
            tasks,
            settings,
            variants(folds, np.sort(self.Cs), problem),
            outside=isinstance(self, PairTrials),
            finished=None if done is None else lambda some: done(cells, some),
        )
        for k, f in enumerate(self._shared):
            here = slice(k * n, (k + 1) * n)
            self.score_shared(problem, g, f, machines[here], [] if outside is None else outside[here])

    def _try_alone(self, g: int, gamma: Any, tasks: Tasks, done: Callable[[Index, Index], None]) -> None:
        """Fit the cells of the other folds one by one."""
        others = [f for f in range(len(self.samples.folds)) if f not in self._shared]
        for k, f in enumerate(others, len(self._shared)):
            fold = self.samples.folds[f]
            for c, C in enumerate(self.Cs.tolist()):
                # A gamma for each pair: those of the classes that are there.
                own = _among(gamma, fold.present) if np.ndim(gamma) else gamma
                svc = SVC(**self.parameters, C=C, gamma=own)
                svc._fit(
                    self._rows(fold.train, fold.train), self.samples.y[fold.train], self.samples.weight[fold.train]
                )
                self._note(svc.report_.seconds, svc.report_.converged, c, g, f)
                self.score(svc, self._rows(fold.test, fold.train), c, g, f)
                done(np.array([k * len(self.Cs) + c]), np.arange(len(tasks)))

    def _rows(self, rows: Index, columns: Index) -> Features:
        """Samples; of a kernel matrix, their values against others."""
        X = self.samples.X[rows]
        return np.ascontiguousarray(X[:, columns]) if self.parameters["kernel"] == "precomputed" else X

    def _note(self, seconds: Array, converged: Any, c: int, g: int, f: int) -> None:
        self.fit_seconds[c, g, f] = seconds.sum()
        self.late[c, g, f] = not converged.all()


class StructureTrials(Trials):
    """The answers of a structure among all classes.

    Parameters
    ----------
    samples, parameters, Cs, gammas
        As of `Trials`.
    structure : Structure
    scorer : Scorer

    Attributes
    ----------
    scores : ndarray of shape (n_Cs, n_gammas, n_folds)
    """

    def __init__(
        self,
        samples: Samples,
        parameters: dict[str, Any],
        Cs: Array,
        gammas: Sequence[Any],
        structure: Structure,
        scorer: Scorer,
    ) -> None:
        super().__init__(samples, parameters, Cs, gammas)
        self.structure, self.scorer = structure, scorer
        self.scores = np.full(self.late.shape, np.nan)

    def tasks(self) -> Tasks:
        """What the structure needs, as far as that is known beforehand."""
        return self.structure.tasks(len(self.samples.classes))

    def score_shared(
        self, problem: Problem, g: int, f: int, machines: list[TrainedMachines], outside: list[Array]
    ) -> None:
        """Build the structure over the machines of every C, and score it."""
        fold = self.samples.folds[f]
        inside = fold.times[problem.order] > 0
        place = (np.cumsum(inside) - 1).astype(np.int32)  # of a sample among those of the fold
        X_test = self.samples.X[fold.test]
        facts = _Facts(problem.part(inside, fold.weight[problem.order], fold.cap[problem.order]))
        before: tuple[TrainedMachines, int] | None = (
            None  # what a cell was decided by, if by nothing else, and the cell's C
        )
        for c, own in zip(np.argsort(self.Cs, kind="stable").tolist(), machines, strict=True):
            if before is not None and _same_machines(own, before[0]):
                # From some C on no multiplier is at its cap any more: the same machines, the same answers.
                self._note(own.report.seconds, own.report.converged, c, g, f)
                self.scores[c, g, f] = self.scores[before[1], g, f]
                self.score_seconds[c, g, f] = self.score_seconds[before[1], g, f]
                continue
            C = float(self.Cs[c])
            svc = SVC(**self.parameters, C=C, gamma=problem.kernel.gamma)
            svc.classes_, svc.class_weight_ = self.samples.classes, fold.class_weight
            svc.shape_fit_, svc.n_features_in_ = self.samples.X.shape, self.samples.X.shape[1]
            workshop = _FoldWorkshop(svc, facts, C, replace(own, sample=place[own.sample]))
            svc._build(self.structure, workshop)
            self._note(svc.report_.seconds, svc.report_.converged, c, g, f)
            self.score(svc, X_test, c, g, f)
            before = None if workshop.trained_more else (own, c)

    def score(self, svc: SVC, X: Features, c: int, g: int, f: int) -> None:
        """Score a fitted classifier."""
        test = self.samples.folds[f].test
        weight = self.samples.weight[test] if self.samples.weighted else None
        begun = time.perf_counter()
        self.scores[c, g, f] = self.scorer(svc, X, self.samples.y[test], weight)
        self.score_seconds[c, g, f] = time.perf_counter() - begun


class PairTrials(Trials):
    """Every pair of classes by itself: how many of its own two classes' samples held out its machine gets right.

    Attributes
    ----------
    scores : ndarray of shape (n_pairs, n_Cs, n_gammas, n_folds)
        Accuracy; NaN where a fold has none of the pair's samples to test, or lacks one of its classes to train on.
    """

    def __init__(self, samples: Samples, parameters: dict[str, Any], Cs: Array, gammas: Sequence[Any]) -> None:
        # Whatever will be made of them, here all pairs are wanted.
        super().__init__(samples, {**parameters, "structure": "max_wins"}, Cs, gammas)
        n = len(samples.classes)
        self.scores = np.full((n_pairs(n), *self.late.shape), np.nan)
        for fold in samples.folds:
            if fold.times[fold.test].any():
                raise ValueError("with per_pair=True no fold may have a sample both to train on and to be tested on")

    def tasks(self) -> Tasks:
        """All pairs."""
        return all_pairs(len(self.samples.classes))

    def score_shared(
        self, problem: Problem, g: int, f: int, machines: list[TrainedMachines], outside: list[Array]
    ) -> None:
        """Count, for every C, the signs that are right."""
        fold = self.samples.folds[f]
        tested = (self.samples.weight * np.bincount(fold.test, minlength=len(fold.times)))[problem.order]
        places = np.flatnonzero(fold.cap[problem.order] == 0)  # in the fold with weight 0, or not in it at all
        begin = np.searchsorted(places, problem.class_start)
        i, j = self.tasks().pairs.T
        # As the values come: pair after pair, the samples of its earlier class and then of its later.
        classes = np.stack([i, j], axis=1).ravel()
        sizes = np.diff(begin)[classes]
        entry = np.arange(sizes.sum()) + np.repeat(begin[classes] - np.cumsum(sizes) + sizes, sizes)
        pair = np.repeat(np.repeat(np.arange(len(i)), 2), sizes)
        later = np.repeat(np.tile([False, True], len(i)), sizes)
        weight = tested[places[entry]]
        for c, own, values in zip(np.argsort(self.Cs, kind="stable").tolist(), machines, outside, strict=True):
            self._note(own.report.seconds, own.report.converged, c, g, f)
            self._count(pair, weight, (values >= 0) == later, c, g, f)

    def score(self, svc: SVC, X: Features, c: int, g: int, f: int) -> None:
        """Count the signs of a classifier's machines that are right."""
        fold, n = self.samples.folds[f], len(self.samples.classes)
        begun = time.perf_counter()
        values = svc.pair_decisions(X)
        there = np.flatnonzero(fold.present)
        i, j = there[svc.bank_.pairs].T
        truth = self.samples.class_index[fold.test][:, None]
        sample, machine = np.nonzero((truth == i) | (truth == j))
        right = (values[sample, machine] >= 0) == (truth[sample, 0] == j[machine])
        self._count(pair_numbers(n)[i, j][machine], self.samples.weight[fold.test][sample], right, c, g, f)
        self.score_seconds[c, g, f] = time.perf_counter() - begun

    def _count(self, pair: Index, weight: Array, right: Any, c: int, g: int, f: int) -> None:
        n = len(self.scores)
        total = np.bincount(pair, weight, minlength=n)
        good = np.bincount(pair, weight * right, minlength=n)
        np.divide(good, total, out=self.scores[:, c, g, f], where=total > 0)


class _Facts:
    """What is known of the classes of a fold, whatever C is."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.similarity: dict[int | None, Array] = {}
        self.moments: separation.Moments | None = None


class _FoldWorkshop(Workshop):
    """The workshop of a cell on a fold: machines are there, and facts that do not hang on C are found only once.

    A structure may ask for more machines; they are trained on the fold's own samples.
    """

    def __init__(self, svc: SVC, facts: _Facts, C: float, machines: TrainedMachines) -> None:
        problem = replace(facts.problem, cap=C * facts.problem.cap)
        super().__init__(svc.classes_, problem, svc._settings())
        self._parts = [machines]
        self._facts = facts
        self.trained_more = False

    def _add(self, tasks: Tasks) -> None:
        self.trained_more = True
        super()._add(tasks)

    def similarity(self, max_samples: int | None = None) -> Array:
        """Mean kernel value between the samples of every two classes."""
        known = self._facts.similarity
        if max_samples not in known:
            known[max_samples] = super().similarity(max_samples)
        return known[max_samples]

    @property
    def moments(self) -> separation.Moments:
        """Means and variances of the classes."""
        if self._facts.moments is None:
            self._facts.moments = separation.Moments.of(self._data(), self.settings.n_threads)
        return self._facts.moments


def _same_machines(a: TrainedMachines, b: TrainedMachines) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("begin", "bias", "coef", "sample"))


def _among(values: Array, present: Any) -> Array:
    """Of numbers for all pairs of classes, those for the pairs of some."""
    i, j = pair_classes(len(present))
    some: Array = values[present[i] & present[j]]
    return some
