"""One against the rest: every class has a machine of its own."""

from __future__ import annotations

from ..machines.bank import AnyBank
from ..problem.tasks import Tasks, all_pairs, each_against_rest
from .base import Structure
from .plans import KnockoutPlan, Plan, PollPlan


class OneVsRest(Structure):
    """The class whose machine, trained against all others, has the largest value; ties go to the lower index.

    Trains N machines, each on all samples, and consults all N. Two classes need one machine only: their pair.

    References
    ----------
    Vapnik, Statistical learning theory, 1998.
    """

    def tasks(self, n_classes: int) -> Tasks:
        """Each class against the rest."""
        return all_pairs(2) if n_classes == 2 else each_against_rest(n_classes)

    def plan(self, bank: AnyBank) -> Plan:
        """A poll of all machines; with two classes, the word of the one."""
        self._require(bank, "classes against the rest")
        return KnockoutPlan(2, bank.machine_of) if bank.n_classes == 2 else PollPlan(bank.n_classes)
