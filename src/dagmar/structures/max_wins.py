"""Max Wins: every pair has a vote."""

from __future__ import annotations

from ..machines.bank import AnyBank
from .base import Structure
from .plans import KnockoutPlan


class MaxWins(Structure):
    """The class that wins most pairs; ties go to the lower index. What LIBSVM and scikit-learn answer.

    Trains N(N-1)/2 machines. They need not all be asked: losses only grow, so once the class with the fewest losses has
    met all others, no other class can have fewer. That is exact, and asks between N-1 and N(N-1)/2 machines, on real
    data about 1.2 to 1.5 N.

    References
    ----------
    Friedman, Another approach to polychotomous classification, 1996.
    Park & Fürnkranz, Efficient pairwise classification, ECML 2007.
    """

    def plan(self, bank: AnyBank) -> KnockoutPlan:
        """A knockout by fewest losses."""
        self._require(bank, "pairs of classes")
        return KnockoutPlan(bank.n_classes, bank.machine_of)
