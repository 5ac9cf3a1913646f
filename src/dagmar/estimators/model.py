"""The fitted model: the whole result of a fit in one frozen object.

An estimator holds one `Model` and replaces it by a single assignment when a fit is complete. A thread that predicts
meanwhile reads the old model or the new one, never a mixture of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.parameters import check_parameters, number
from ..base.threads import n_threads_to_decide
from ..base.typing import Array, Index, Labels
from ..machines.bank import AnyBank, Bank
from ..machines.convergence import machine_names, no_optimum
from ..machines.report import FitReport
from ..machines.workshop import AnyWorkshop
from ..probabilities.combining import class_probabilities
from ..probabilities.coupling import work_of_coupling
from ..probabilities.sigmoid import Sigmoids
from ..problem.choices import NOT_FINITE
from ..problem.making import Learned
from ..problem.naming import MachineNames, plain_labels
from ..problem.samples import as_data
from ..structures import Structure, walks
from ..structures.paths import DecisionCost, DecisionPath, scores_along
from ..structures.plans import KnockoutPlan, Plan, PollPlan
from . import layout

if TYPE_CHECKING:
    from ..analysis.explanation import Explanation

# Largest number of machine values in memory at once. With very many pairs, the values of all samples would not fit.
BankKind = TypeVar("BankKind", bound=AnyBank)
VALUES_AT_ONCE = 2**23


@dataclass(frozen=True, eq=False)
class Model(FrozenArrays):
    """A fitted classifier.

    Methods expect samples as `Learned.check` returns them. No method changes the model, so many threads can use it.

    Attributes
    ----------
    learned : Learned
        Labels, columns, class weights and shape of the training data.
    bank : Bank or EstimatorBank
        The trained machines.
    plan : Plan
        How the machines are consulted.
    structure : Structure
        The structure that made the plan.
    report : FitReport or None
        The cost of training, if it is known.
    cannot_train : str or None
        The reason why `restructure` cannot train more machines like these, for its error message; None if it can.
    sigmoids : Sigmoids or None
        The sigmoid of each machine, for probabilities; None if they were not requested.
    """

    learned: Learned
    bank: AnyBank
    plan: Plan
    structure: Structure
    report: FitReport | None = None
    cannot_train: str | None = None
    sigmoids: Sigmoids | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.learned.classes) == self.bank.n_classes == self.plan.n_classes:
            raise ValueError(
                f"the model has {len(self.learned.classes)} labels, a bank of {self.bank.n_classes} classes and a plan of "
                f"{self.plan.n_classes}: they must agree"
            )
        # The bank and the report of a model know the user's labels, so that they can show themselves.
        object.__setattr__(self, "bank", self.bank.named(self.names))
        if self.report is not None:
            object.__setattr__(self, "report", self.report.named(self.names))

    def __getstate__(self) -> dict[str, Any]:
        # A model that is read names its parts again.
        state: dict[str, Any] = super().__getstate__()
        report = None if self.report is None else self.report.named(None)
        return {**state, "bank": self.bank.named(None), "report": report}

    @property
    def classes(self) -> Labels:
        """The labels, shape (n_classes,)."""
        return self.learned.classes

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.learned.classes)

    def bank_as(self, kind: type[BankKind]) -> BankKind:
        """Return the bank; raise TypeError unless it is of this kind."""
        if not isinstance(self.bank, kind):
            raise TypeError(f"the machines must be in {kind.__name__}, not in {type(self.bank).__name__}")
        return self.bank

    # ------------------------------------------------------- cost of the fit

    @cached_property
    def unconverged(self) -> Index:
        """Indices of the machines that did not converge."""
        if self.report is None or self.report.all_converged:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(~self.report.converged)

    @property
    def status(self) -> int:
        """Scikit-learn's ``fit_status_``: 0 if all machines converged, else 1."""
        return int(self.report is not None and not self.report.all_converged)

    @cached_property
    def names(self) -> MachineNames:
        """The machines by the user's labels."""
        return MachineNames(self.bank.tasks, self.learned.classes)

    # ----------------------------------------------------------------- decide

    def labels(self, class_index: NDArray[np.integer[Any]]) -> Labels:
        """Return the labels of class indices."""
        classes = self.learned.classes
        if classes.shape != (self.plan.n_classes,):
            raise ValueError(f"the model has {self.plan.n_classes} classes, but not as many labels")
        labels: Labels = classes.take(class_index)
        return labels

    def decide(self, X: Any, n_jobs: int | None = None, break_ties: bool = False) -> NDArray[np.integer[Any]]:
        """Return the class index of each sample, shape (n_samples,).

        With `break_ties`, it is the class with the highest of `scores`, for a model with the machines of all pairs.
        """
        if break_ties:
            best: Index = np.argmax(self.scores(X, "ovr", n_jobs), axis=1)
            return best
        return walks.decide(self.bank, self.plan, X, n_jobs)

    def trace(self, X: Any, n_jobs: int | None = None, break_ties: bool = False) -> DecisionPath:
        """Return the machines consulted for each sample, with their values; to break ties, all are consulted."""
        if break_ties:
            everyone = KnockoutPlan(self.n_classes, self.bank.machine_of, rule="everyone")
            path = walks.trace(self.bank, everyone, X, n_jobs)
            answers = self.decide(X, n_jobs, break_ties).astype(np.int64)
            return replace(path, answers=answers).named(self.names)
        return walks.trace(self.bank, self.plan, X, n_jobs).named(self.names)

    def values(self, X: Any, n_jobs: int | None = None) -> Array:
        """Return the value of every machine, shape (n_samples, n_machines)."""
        return self.bank.values(X, n_jobs, ranked=isinstance(self.plan, PollPlan))

    def cost(self, X: Any, n_jobs: int | None = None, break_ties: bool = False) -> DecisionCost:
        """Count what the decision of each sample costs; kernel machines only."""
        bank, path = self.bank_as(Bank), self.trace(X, n_jobs, break_ties)
        plan = None if break_ties else self.plan.native  # ties are broken by the values of all machines
        return DecisionCost.of(bank, path, tuple(bank.native.choices(plan, len(path), bank.threads(X, n_jobs))))

    def explain(
        self,
        x: Any,
        top: int = 5,
        n_jobs: int | None = None,
        break_ties: bool = False,
        feature_names: Labels | None = None,
    ) -> Explanation:
        """Explain how one sample gets its class; see `SVC.explain`."""
        from ..analysis.explanation import Explanation, Step
        from ..analysis.influence import influences
        from ..analysis.runner_up import find_runner_up

        check_parameters("explain", {"top": top}, {"top": number(0, np.inf, "left", Integral)})
        path = self.trace(x, n_jobs, break_ties)
        if len(path) != 1:
            raise ValueError(f"explain takes one sample, got {len(path)}")
        machines, values = path[0]
        vectors: Sequence[Any] = [None] * len(machines)
        features: Sequence[Any] | None = None
        if isinstance(self.bank, Bank):
            if feature_names is None and self.learned.columns is not None:
                feature_names = self.learned.columns.names
            vectors, features = influences(self.bank, x, machines, self.classes, feature_names, int(top))
        asked = zip(
            machines.tolist(),
            *zip(*self.names.sides(machines), strict=True),
            values.tolist(),
            vectors,
            features or [None] * len(machines),
            strict=True,
        )
        steps = tuple(Step(k, *about) for k, about in enumerate(asked, 1))
        labels = plain_labels(self.classes)
        second = find_runner_up(self.bank, self.plan, x, path, labels, n_jobs)
        return Explanation(
            labels[path.answers[0]],
            steps,
            second,
            isinstance(self.plan, PollPlan),
            in_margins=isinstance(self.bank, Bank),
        )

    def scores(self, X: Any, shape: str = "ovr", n_jobs: int | None = None) -> Array:
        """Return a score per class ("ovr") or a value per pair ("ovo"); see `SVC.decision_function`."""
        if self.bank.all_pairs:
            if self.n_classes == 2:
                return self.values(X, n_jobs)[:, 0]
            if shape == "ovo":
                return -self.values(X, n_jobs)
            return self._by_blocks(X, n_jobs, lambda values: self._votes_of(values, n_jobs))
        if shape == "ovo":
            raise ValueError(
                f"decision_function_shape='ovo' needs machines for all pairs, but {self.structure!r} does not have them"
            )
        if isinstance(self.plan, PollPlan):
            return self.values(X, n_jobs)
        return scores_along(self.plan, self.trace(X, n_jobs))

    def probabilities(self, X: Any, n_jobs: int | None = None) -> Array:
        """Return the probability of each class, shape (n_samples, n_classes)."""
        bank, sigmoids = self.bank_as(Bank), self.sigmoids
        if sigmoids is None or not len(sigmoids.slope) == len(sigmoids.offset) == bank.n_machines:
            raise ValueError(f"the model has {bank.n_machines} machines, but not as many sigmoids")
        if bank.machine_of_pairs is not None:
            threads = n_threads_to_decide(
                n_jobs, X.shape[0] * (bank.work_per_sample + work_of_coupling(bank.n_classes))
            )
            p: Array = bank.native.probabilities(
                as_data(X), sigmoids.slope, sigmoids.offset, bank.machine_of_pairs, threads
            )
            return p
        return self._by_blocks(X, n_jobs, lambda values: class_probabilities(bank, self.plan, sigmoids, values))

    def _by_blocks(self, X: Any, n_jobs: int | None, combine: Callable[[Array], Array]) -> Array:
        """Return what `combine` makes of the values of all machines, computed for a block of samples at a time."""
        at_once = max(_core.SAMPLES_AT_ONCE, VALUES_AT_ONCE // max(1, self.bank.n_machines))
        if X.shape[0] <= at_once or not isinstance(self.bank, Bank):
            return combine(self.values(X, n_jobs))
        blocks = (self.values(X[first : first + at_once], n_jobs) for first in range(0, X.shape[0], at_once))
        return np.concatenate([combine(values) for values in blocks])

    def _votes_of(self, values: Array, n_jobs: int | None) -> Array:
        if self.bank.zero_votes_for_later:
            values = np.where(values == 0, np.finfo(np.float64).tiny, values)
        return layout.votes_and_confidence(values, self.n_classes, n_threads_to_decide(n_jobs, 8 * values.size))


def build_model(
    structure: Structure,
    workshop: AnyWorkshop,
    learned: Learned,
    *,
    hard_margin: bool = False,
    cannot_train: str | None = None,
) -> Model:
    """Build a structure in a workshop and check the resulting model. Every model is made here.

    Parameters
    ----------
    structure : Structure
    workshop : AnyWorkshop
        It has or trains the machines of the structure.
    learned : Learned
    hard_margin : bool
        Whether a machine that does not converge is an error: with an infinite C the classes must be separable.
    cannot_train : str, optional
        As for `Model`.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If coefficients are not finite, if the multipliers of a machine overflow, or if classes cannot be separated with an
        infinite C.
    """
    plan = structure.build(workshop)
    model = Model(learned, workshop.bank, plan, structure, workshop.report, cannot_train)
    if isinstance(model.bank, Bank) and not model.bank.finite:
        raise ValueError(NOT_FINITE)
    report = model.report
    if report is None or report.all_converged:
        return model
    overflowed = np.flatnonzero(report.ended(_core.Status.unbounded))
    failed = model.unconverged if hard_margin else overflowed
    if len(failed):
        names = machine_names(model.bank.tasks, model.classes, failed)
        raise ValueError(no_optimum(hard_margin, bool(report.indefinite[failed].any()), names))
    return model
