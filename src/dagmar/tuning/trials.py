"""Trials: each cell of a grid of C and gamma is fitted and scored on every fold.

For one gamma, all folds and all values of C are trained together (`dagmar.machines.cross_fitting`). If every fold scales its
samples, the values of C are trained together, one fold after another. Folds that lack a class, and soft-label machines (which
depend on the fold's neighbours), are fitted separately.

There are two kinds of trials. `StructureTrials` score the answers among all classes. `PairTrials` score each pair of classes
separately, from the values of its machine on the held-out samples, which training returns as well.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.pairs import n_pairs, pair_classes, pair_numbers
from ..base.typing import Array, Features, Index, Labels
from ..estimators.holding import hold
from ..estimators.model import build_model
from ..estimators.svc import SVC, fit_model, settings_of
from ..machines.bank import Bank
from ..machines.convergence import Unconverged
from ..machines.cross_fitting import FoldFacts, FoldMachines, FoldWorkshop, HeldOut, cross_fit
from ..machines.folds import Fold
from ..machines.progress import Watcher, work_of
from ..machines.report import FitReport
from ..machines.training import TrainedMachines, TrainSettings
from ..probabilities.calibration import calibrate
from ..probabilities.combining import check_combinable
from ..probabilities.sigmoid import Sigmoids
from ..problem.making import Learned, ProblemParameters, make_problem
from ..problem.problem import Problem
from ..problem.tasks import Tasks, all_pairs
from ..problem.validation import Columns
from ..structures import Structure
from ..structures.plans import Plan

# Takes a fitted classifier, samples, labels and weights (None if all are equal); returns scores by name, of which larger is
# better.
Scorer = Callable[[SVC, Features, Labels, Array | None], dict[str, float]]
# Bytes of scaled samples that are kept, for all folds.
MOST_KEPT = 2**27


@dataclass(frozen=True, eq=False)
class Samples:
    """The training data of a search, with its folds.

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
    scalers : list, optional
        A transformer for each fold, fitted on its training samples.
    """

    X: Features
    y: Labels
    classes: Labels
    class_index: Index
    weight: Array
    weighted: bool
    folds: list[Fold]
    scalers: list[Any] | None = None
    # Samples that were scaled before, by fold: every gamma needs them again.
    _kept: dict[int, Features] = field(default_factory=dict, init=False, repr=False)

    def scaled(self, f: int) -> Features:
        """Return all samples as fold f sees them."""
        if self.scalers is None:
            return self.X
        if f in self._kept:
            return self._kept[f]
        scaled = self.scalers[f].transform(self.X)
        if isinstance(scaled, np.ndarray) and scaled.nbytes * len(self.folds) <= MOST_KEPT:
            self._kept[f] = scaled
        return scaled


class Trials(ABC):
    """Base class of trials: cells of a grid, one gamma after another.

    Parameters
    ----------
    samples : Samples
    parameters : dict
        Parameters of `SVC` without C and gamma.
    Cs : ndarray of shape (n_Cs,)
        Values of C, in any order.
    gammas : sequence
        Values for the parameter `gamma` of `SVC`.

    Attributes
    ----------
    fit_seconds, score_seconds : ndarray of shape (n_Cs, n_gammas, n_folds)
        Time of solving, summed over the machines, and time of scoring.
    unconverged : ndarray of shape (n_Cs, n_gammas, n_folds), bool
        Whether some machine did not converge.
    tried : ndarray of shape (n_Cs, n_gammas), bool
        The cells that were tried so far.
    unconverged_machines : list of Unconverged
        The machines that did not converge; one entry per cell and fold that has some.
    """

    def __init__(self, samples: Samples, parameters: dict[str, Any], Cs: Array, gammas: Sequence[Any]) -> None:
        self.samples = samples
        self.parameters = parameters
        self.Cs, self.gammas = Cs, gammas
        shape = len(Cs), len(gammas), len(samples.folds)
        self.fit_seconds, self.score_seconds = np.zeros(shape), np.zeros(shape)
        self.unconverged = np.zeros(shape, dtype=bool)
        self.tried = np.zeros(shape[:2], dtype=bool)
        self.unconverged_machines: list[Unconverged] = []
        self.settings = settings_of(SVC(**parameters))
        separately = parameters["soft_labels"] is not None
        self._shared = [f for f, fold in enumerate(samples.folds) if fold.complete and not separately]

    @abstractmethod
    def tasks(self) -> Tasks:
        """Return the machines that every cell needs on a fold with all classes."""

    @abstractmethod
    def score_shared(self, problem: Problem, g: int, f: int, cs: list[int], trained: FoldMachines) -> None:
        """Score the machines of gamma g on fold f; `trained` has one entry per value of C in `cs`."""

    @abstractmethod
    def score(self, svc: SVC, X: Features, c: int, g: int, f: int) -> None:
        """Score a classifier that was fitted separately on a fold; X are the held-out samples."""

    def run(self, cells: NDArray[np.bool_], watchers: Sequence[Watcher] = ()) -> None:
        """Fit and score cells on every fold.

        Parameters
        ----------
        cells : ndarray of shape (n_Cs, n_gammas), bool
            The cells to try.
        watchers : sequence of Watcher
        """
        tasks, n_folds = self.tasks(), len(self.samples.folds)
        ascending = np.argsort(self.Cs, kind="stable")
        n_before, n_cells = 0, int(cells.sum())
        for g in np.flatnonzero(cells.any(axis=0)).tolist():
            cs = ascending[cells[ascending, g]].tolist()
            problem = self._problem(g, self.samples.X)
            if not n_before:
                for watcher in watchers:
                    watcher.begin(np.tile(work_of(problem, tasks), n_cells * n_folds), 0)

            def done(some: Index, machines: Index, first: int = n_before * n_folds) -> None:
                """Tell the watchers which machines are trained, and for which cells of this gamma."""
                for watcher in watchers:
                    watcher.advance((((first + some) * len(tasks))[:, None] + machines).ravel())

            self._try_shared(g, problem, tasks, cs, done if watchers else None)
            self._try_alone(g, tasks, cs, done)
            n_before += len(cs)
        for watcher in watchers:
            watcher.end()
        self.tried |= cells

    def _problem(self, g: int, X: Features) -> Problem:
        svc = SVC(
            **self.parameters, C=float(self.Cs.max()), gamma=self.gammas[g]
        )  # single precision must serve for all
        return make_problem(ProblemParameters.of(svc), X, self.samples.y, self.samples.weight)[0]

    def _try_shared(
        self, g: int, problem: Problem, tasks: Tasks, cs: list[int], done: Callable[[Index, Index], None] | None
    ) -> None:
        """Train the values `cs` of C together, for all complete folds together unless each scales its samples."""
        lots = [self._shared] if self.samples.scalers is None else [[f] for f in self._shared]
        first = 0
        for lot in filter(len, lots):
            if self.samples.scalers is not None:
                problem = self._problem(g, self.samples.scaled(lot[0]))
            cells = first + np.arange(len(lot) * len(cs))
            trained = cross_fit(
                problem,
                tasks,
                self.settings,
                [self.samples.folds[f] for f in lot],
                self.Cs[cs],
                outside=isinstance(self, PairTrials),
                finished=None if done is None else lambda some, cells=cells: done(cells, some),  # type: ignore[misc]
            )
            for f, machines in zip(lot, trained, strict=True):
                self.score_shared(problem, g, f, cs, machines)
            first += len(cells)

    def _try_alone(self, g: int, tasks: Tasks, cs: list[int], done: Callable[[Index, Index], None]) -> None:
        """Fit the values `cs` of C on the remaining folds one by one."""
        others = [f for f in range(len(self.samples.folds)) if f not in self._shared]
        for k, f in enumerate(others, len(self._shared)):
            fold, gamma, X = self.samples.folds[f], self.gammas[g], self.samples.scaled(f)
            for c, C in enumerate(self.Cs[cs].tolist()):
                # If each pair has its own gamma, use those of the classes in the fold.
                fold_gamma = _among(gamma, fold.present) if np.ndim(gamma) else gamma
                svc = SVC(**self.parameters, C=C, gamma=fold_gamma)
                model = fit_model(
                    svc,
                    self._rows(X, fold.train, fold.train),
                    self.samples.y[fold.train],
                    self.samples.weight[fold.train],
                )
                hold(svc, model)
                self._note(svc.report_, svc.bank_.tasks, svc.classes_, cs[c], g, f)
                self.score(svc, self._rows(X, fold.test, fold.train), cs[c], g, f)
                done(np.array([k * len(cs) + c]), np.arange(len(tasks)))

    def _rows(self, X: Features, rows: Index, columns: Index) -> Features:
        """Return the samples `rows`; for a kernel matrix, their kernel values with the samples `columns`."""
        X = X[rows]
        return np.ascontiguousarray(X[:, columns]) if self.parameters["kernel"] == "precomputed" else X

    def _note(self, report: FitReport, tasks: Tasks, labels: Labels, c: int, g: int, f: int) -> None:
        self.fit_seconds[c, g, f] = report.totals["solver_seconds"]
        found = Unconverged.among(report, tasks, labels)
        self.unconverged[c, g, f] = len(found) > 0
        if len(found):
            self.unconverged_machines.append(found)


class StructureTrials(Trials):
    """Trials that score the answers of a structure among all classes.

    Parameters
    ----------
    samples, parameters, Cs, gammas
        As for `Trials`.
    structure : Structure
    scorer : Scorer

    Attributes
    ----------
    scores : dict of str to ndarray of shape (n_Cs, n_gammas, n_folds)
        By each metric that the scorer has named so far; NaN for cells that were not tried.
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
        self.scores: dict[str, Array] = {}

    def tasks(self) -> Tasks:
        """Return the machines that the structure needs, as far as they are known before training."""
        return self.structure.tasks(len(self.samples.classes))

    def score_shared(self, problem: Problem, g: int, f: int, cs: list[int], trained: FoldMachines) -> None:
        """Build the structure from the machines of each C, and score it."""
        fold, X = self.samples.folds[f], problem.X
        X_test = X[fold.test]
        learned = Learned(self.samples.classes, fold.class_weight, X.shape, Columns("SVC", X.shape[1]))
        facts = FoldFacts(problem, fold)
        # Machines and index of an earlier C, if building its structure trained no other machines.
        before: tuple[TrainedMachines, int] | None = None
        calibrated = _Calibrated(facts.problem, self.settings, self.Cs[cs], self.tasks())
        for c, machines in zip(cs, trained.machines, strict=True):
            if before is not None and _same_machines(machines, before[0]):
                # Above some C no multiplier is at its cap: the machines are the same, and so are the answers.
                self._note(machines.report, machines.tasks, self.samples.classes, c, g, f)
                for scores in self.scores.values():
                    scores[c, g, f] = scores[before[1], g, f]
                self.score_seconds[c, g, f] = self.score_seconds[before[1], g, f]
                continue
            C = float(self.Cs[c])
            workshop = FoldWorkshop(self.samples.classes, self.settings, facts, C, machines)
            svc = SVC(**self.parameters, C=C, gamma=problem.kernel.gamma)
            model = build_model(self.structure, workshop, learned)
            if svc.probability:
                model = replace(model, sigmoids=calibrated.of(model.bank_as(Bank), model.plan, C))
            hold(svc, model)
            self._note(svc.report_, svc.bank_.tasks, svc.classes_, c, g, f)
            self.score(svc, X_test, c, g, f)
            # Sigmoids may differ even if the machines are the same: they come from other folds.
            before = None if workshop.trained_more or svc.probability else (machines, c)

    def score(self, svc: SVC, X: Features, c: int, g: int, f: int) -> None:
        """Score a fitted classifier."""
        test = self.samples.folds[f].test
        weight = self.samples.weight[test] if self.samples.weighted else None
        begun = time.perf_counter()
        for name, score in self.scorer(svc, X, self.samples.y[test], weight).items():
            self.scores.setdefault(name, np.full(self.unconverged.shape, np.nan))[c, g, f] = score
        self.score_seconds[c, g, f] = time.perf_counter() - begun


class _Calibrated:
    """The sigmoids of the machines of a fold. All values of C are cross-fitted together, at the first request.

    Parameters
    ----------
    problem : Problem
        The problem of the fold for C = 1.
    settings : TrainSettings
    Cs : ndarray of shape (n_Cs,)
    tasks : Tasks
        The machines that are the same for every C.
    """

    def __init__(self, problem: Problem, settings: TrainSettings, Cs: Array, tasks: Tasks) -> None:
        self._problem, self._settings, self._tasks = problem, settings, tasks
        self._Cs = np.unique(Cs)
        self._of_C: list[Sigmoids] = []

    def of(self, bank: Bank, plan: Plan, C: float) -> Sigmoids:
        """Return the sigmoids for one C; those of other machines, which a structure chose for this C, are fitted alone."""
        check_combinable(bank, plan)
        if not bank.tasks.same_as(self._tasks):
            return calibrate(self._problem, bank.tasks, self._settings, np.array([C]))[0]
        self._of_C = self._of_C or calibrate(self._problem, self._tasks, self._settings, self._Cs)
        return self._of_C[int(np.searchsorted(self._Cs, C))]


class PairTrials(Trials):
    """Trials that score each pair of classes separately: the accuracy of its machine on held-out samples of the pair.

    Attributes
    ----------
    scores : ndarray of shape (n_pairs, n_Cs, n_gammas, n_folds)
        Accuracy; NaN if the fold has no test samples of the pair, or no training samples of one of its classes.
    """

    def __init__(self, samples: Samples, parameters: dict[str, Any], Cs: Array, gammas: Sequence[Any]) -> None:
        # All pairs are needed, for any structure.
        super().__init__(samples, {**parameters, "structure": "max_wins"}, Cs, gammas)
        n = len(samples.classes)
        self.scores = np.full((n_pairs(n), *self.unconverged.shape), np.nan)
        for fold in samples.folds:
            if fold.times[fold.test].any():
                raise ValueError(
                    "with per_pair=True, no sample may be in both the training and the test part of a fold"
                )

    def tasks(self) -> Tasks:
        """Return all pairs."""
        return all_pairs(len(self.samples.classes))

    def score_shared(self, problem: Problem, g: int, f: int, cs: list[int], trained: FoldMachines) -> None:
        """Count the correct signs for each C."""
        fold = self.samples.folds[f]
        tested = (self.samples.weight * np.bincount(fold.test, minlength=len(fold.times)))[problem.order]
        held_out = HeldOut.of(problem, fold.cap[problem.order][None], self.tasks())
        weight = tested[held_out.place]
        for c, machines, values in zip(cs, trained.machines, trained.outside, strict=True):
            self._note(machines.report, machines.tasks, self.samples.classes, c, g, f)
            self._count(held_out.machine, weight, (values >= 0) == held_out.positive, c, g, f)

    def score(self, svc: SVC, X: Features, c: int, g: int, f: int) -> None:
        """Count the correct signs of the machines of a classifier."""
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


def _same_machines(a: TrainedMachines, b: TrainedMachines) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("begin", "bias", "coef", "sample"))


def _among(values: Array, present: Any) -> Array:
    """Return the entries of `values`, one per pair of all classes, that belong to pairs of present classes."""
    i, j = pair_classes(len(present))
    some: Array = values[present[i] & present[j]]
    return some
