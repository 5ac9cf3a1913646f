"""The fitted model: everything that a fit finds, in one frozen object.

An estimator holds one `Model` and replaces it by a single assignment when a fit is complete. A thread that predicts
meanwhile reads the old model or the new one, never a mixture of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index, Labels
from ..machines.bank import AnyBank, Bank
from ..machines.report import FitReport
from ..machines.workshop import AnyWorkshop
from ..problem.making import Learned
from ..problem.problem import NOT_FINITE
from ..structures import Structure, walks
from ..structures.paths import DecisionPath, scores_along
from ..structures.plans import Plan, PollPlan
from . import layout

# Values of all machines that are held at once. With very many pairs, those of all samples would not fit the memory.
VALUES_AT_ONCE = 2**23


@dataclass(frozen=True, eq=False)
class Model(FrozenArrays):
    """A fitted classifier.

    Samples are passed as `Learned.check` returns them. Nothing here changes a model, so that many threads may use one.

    Attributes
    ----------
    learned : Learned
        Labels, columns, class weights and shape of the training data.
    bank : Bank or EstimatorBank
        The trained machines.
    plan : Plan
        How they are consulted.
    structure : Structure
        The structure that made the plan.
    report : FitReport or None
        What training cost; None for machines that are not ours.
    cannot_train : str or None
        Why `restructure` cannot train further machines like these, if it cannot.
    """

    learned: Learned
    bank: AnyBank
    plan: Plan
    structure: Structure
    report: FitReport | None = None
    cannot_train: str | None = None

    @property
    def classes(self) -> Labels:
        """The labels, shape (n_classes,)."""
        return self.learned.classes

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.learned.classes)

    # -------------------------------------------------------- what a fit cost

    @cached_property
    def unconverged(self) -> Index:
        """The machines whose training stopped before it converged."""
        return np.zeros(0, dtype=np.int64) if self.report is None else np.flatnonzero(~self.report.converged)

    @property
    def status(self) -> int:
        """Scikit-learn's ``fit_status_``: 0 if all machines converged, else 1."""
        return int(len(self.unconverged) > 0)

    def names_of(self, machines: Index, most: int = 10) -> str:
        """The first few of some machines, each by the labels of its two sides."""
        return ", ".join(self._name_of(m) for m in machines[:most].tolist()) + (", ..." if len(machines) > most else "")

    def _name_of(self, machine: int) -> str:
        sides = self.sides_of(machine)
        return f"({', '.join(' + '.join(side) if len(side) < 3 else 'rest' for side in sides)})"

    def sides_of(self, machine: int) -> tuple[list[str], list[str]]:
        """The labels on the negative and on the positive side of a machine."""
        negative, positive = self.bank.tasks.sides_of(machine)
        return [str(label) for label in self.classes[negative]], [str(label) for label in self.classes[positive]]

    # ----------------------------------------------------------------- decide

    def labels(self, class_index: NDArray[np.integer[Any]]) -> Labels:
        """The labels of classes."""
        labels: Labels = self.learned.classes.take(class_index)
        return labels

    def decide(self, X: Any, n_jobs: int | None = None) -> NDArray[np.integer[Any]]:
        """The class of each sample, shape (n_samples,)."""
        return walks.decide(self.bank, self.plan, X, n_jobs)

    def trace(self, X: Any, n_jobs: int | None = None) -> DecisionPath:
        """The machines that each sample consults, with their values."""
        return walks.trace(self.bank, self.plan, X, n_jobs)

    def values(self, X: Any, n_jobs: int | None = None) -> Array:
        """The value of every machine, shape (n_samples, n_machines)."""
        return self.bank.values(X, n_jobs, ranked=isinstance(self.plan, PollPlan))

    def scores(self, X: Any, shape: str = "ovr", n_jobs: int | None = None) -> Array:
        """How strongly each class ("ovr"), or each pair ("ovo"), is supported; see `SVC.decision_function`."""
        if self.bank.all_pairs:
            if self.n_classes == 2:
                return self.values(X, n_jobs)[:, 0]
            return -self.values(X, n_jobs) if shape == "ovo" else self._votes(X, n_jobs)
        if shape == "ovo":
            raise ValueError(
                f"decision_function_shape='ovo' needs machines for all pairs, which {self.structure!r} has not"
            )
        if isinstance(self.plan, PollPlan):
            return self.values(X, n_jobs)
        return scores_along(self.plan, self.trace(X, n_jobs))

    def _votes(self, X: Any, n_jobs: int | None) -> Array:
        """Votes and confidences of all pairs, a block of samples at a time."""
        at_once = max(_core.SAMPLES_AT_ONCE, VALUES_AT_ONCE // self.bank.n_machines)
        if X.shape[0] <= at_once or not isinstance(self.bank, Bank):
            return self._votes_of(self.values(X, n_jobs))
        blocks = (self.values(X[first : first + at_once], n_jobs) for first in range(0, X.shape[0], at_once))
        return np.concatenate([self._votes_of(values) for values in blocks])

    def _votes_of(self, values: Array) -> Array:
        if self.bank.zero_votes_for_later:
            values = np.where(values == 0, np.finfo(np.float64).tiny, values)
        return layout.votes_and_confidence(values, self.n_classes)


def build_model(
    structure: Structure,
    workshop: AnyWorkshop,
    learned: Learned,
    *,
    hard_margin: bool = False,
    cannot_train: str | None = None,
) -> Model:
    """Have a structure built in a workshop, and check what comes out. Every model is made here.

    Parameters
    ----------
    structure : Structure
    workshop : AnyWorkshop
        Where the structure finds or trains its machines.
    learned : Learned
    hard_margin : bool
        Whether a machine that does not converge is an error, because C is infinite and the classes must be separable.
    cannot_train : str, optional
        As of `Model`.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If coefficients are not finite, or classes cannot be separated with an infinite C.
    """
    plan = structure.build(workshop)
    model = Model(learned, workshop.bank, plan, structure, workshop.report, cannot_train)
    if isinstance(model.bank, Bank) and not model.bank.finite:
        raise ValueError(NOT_FINITE)
    if hard_margin and model.status:
        raise ValueError(
            "C=inf allows no margin error, but these classes cannot be separated: " + model.names_of(model.unconverged)
        )
    return model
