"""One-vs-rest: one machine per class, trained against all other classes."""

from __future__ import annotations

from ..machines.bank import AnyBank
from ..problem.tasks import Tasks, all_pairs, each_against_rest
from .base import Structure
from .plans import KnockoutPlan, Plan, PollPlan


class OneVsRest(Structure):
    """The class whose machine has the largest value; ties go to the lower index.

    Trains N machines, each one class against all others on all samples, and consults all N. For two classes it trains only
    the machine of their pair.

    See Also
    --------
    MaxWins : A machine for each pair of classes instead of each class.

    References
    ----------
    Vapnik, Statistical learning theory, 1998.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure="one_vs_rest").fit(X, y)
    >>> clf.bank_.n_machines
    3
    """

    def tasks(self, n_classes: int) -> Tasks:
        """Return each class against the rest; for two classes, their pair."""
        return all_pairs(2) if n_classes == 2 else each_against_rest(n_classes)

    def plan(self, bank: AnyBank) -> Plan:
        """Return a plan that asks all machines; for two classes, the verdict of their machine."""
        self._require(bank, "classes against the rest")
        return KnockoutPlan(2, bank.machine_of) if bank.n_classes == 2 else PollPlan(bank.n_classes)
