"""Why machines have no optimum, or did not reach it, in words; and the names of machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..base.typing import Index, Labels
from ..problem.tasks import Tasks
from .report import FitReport

SCALING = "Consider pre-processing your data with StandardScaler or MinMaxScaler."


def machine_names(tasks: Tasks, labels: Labels, machines: Index, most: int = 10) -> str:
    """Return the names of machines, at most `most` of them; a name has the labels of the two sides, "rest" for three or more.

    Parameters
    ----------
    tasks : Tasks
    labels : ndarray of shape (n_classes,)
    machines : ndarray of int
        Indices in `tasks`.
    most : int

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.machines.convergence import machine_names
    >>> from dagmar.problem.tasks import all_pairs
    >>> machine_names(all_pairs(3), np.array(["ant", "bee", "cat"]), np.array([2, 0]))
    '(bee, cat), (ant, bee)'
    """

    def side(classes: Index) -> str:
        return " + ".join(str(label) for label in labels[classes]) if len(classes) < 3 else "rest"

    names = [f"({', '.join(side(classes) for classes in tasks.sides_of(m))})" for m in machines[:most].tolist()]
    return ", ".join(names) + (", ..." if len(machines) > most else "")


def no_optimum(hard_margin: bool, indefinite: bool, names: str) -> str:
    """Say why machines have no finite optimum.

    Parameters
    ----------
    hard_margin : bool
        Whether C is infinite; otherwise it is so large that multipliers overflow.
    indefinite : bool
        Whether the kernel matrix is not positive semi-definite.
    names : str
        Names of the machines.

    Returns
    -------
    str
    """
    limit = "C=inf allows no margin error" if hard_margin else "C is so large that the multipliers overflow"
    if indefinite:
        return (
            f"{limit}, and the kernel matrix is not positive semi-definite, so these machines have no optimum: {names}"
        )
    return f"{limit}, but these classes cannot be separated: {names}"


@dataclass(frozen=True)
class Unconverged:
    """Machines that did not converge.

    Attributes
    ----------
    report : FitReport
        Of these machines.
    machines : ndarray of int64
        Their indices in `tasks`.
    tasks : Tasks
    labels : ndarray of shape (n_classes,)
    """

    report: FitReport
    machines: Index
    tasks: Tasks
    labels: Labels

    @classmethod
    def among(cls, report: FitReport, tasks: Tasks, labels: Labels) -> Unconverged:
        """Select the machines of a report that did not converge; there may be none."""
        machines = np.flatnonzero(~report.converged)
        return cls(report.select(machines), machines, tasks, labels)

    def __len__(self) -> int:
        return len(self.machines)

    def names(self) -> str:
        """Return the names of the machines."""
        return machine_names(self.tasks, self.labels, self.machines)


def why_unconverged(lots: Sequence[Unconverged], max_iter: int) -> str:
    """Say why machines did not converge; in scikit-learn's words if the user limited the steps.

    Parameters
    ----------
    lots : sequence of Unconverged
        At least one machine in all.
    max_iter : int
        The user's limit of steps; -1 for none.

    Returns
    -------
    str
        One or two sentences.
    """
    for lot in lots:  # the first that has no optimum
        overflowed = lot.report.ended(_core.Status.unbounded)
        if overflowed.any():
            names = machine_names(lot.tasks, lot.labels, lot.machines[overflowed])
            return no_optimum(False, bool(lot.report.indefinite[overflowed].any()), names) + "."
    report = FitReport.join([lot.report for lot in lots])
    if max_iter >= 0 or report.gap is None:
        return f"Solver terminated early (max_iter={max_iter}).  {SCALING}"
    gap = f"the KKT gap is still {report.gap.max():.2g}"
    if report.indefinite.any():
        return f"The kernel matrix is not positive semi-definite, and the solver did not converge: {gap}."
    if report.ended(_core.Status.stalled).any():
        return (
            f"The solver makes no further progress: {gap}, because of rounding. A larger tol or a smaller C can be "
            f"reached.  {SCALING}"
        )
    return f"The solver reached its limit of steps: {gap}. A smaller C converges sooner.  {SCALING}"
