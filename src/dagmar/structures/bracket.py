"""Knockout bracket: ADAG."""

from __future__ import annotations

import numpy as np

from ..machines.bank import AnyBank
from .base import Structure
from .plans import KnockoutPlan


class Bracket(Structure):
    """First class of a list against the last, second against second last, ...; the winners are the next list.

    Trains N(N-1)/2 machines and consults N-1, but a class meets at most ⌈log2 N⌉ others: fewer chances to lose than in a
    DDAG. A class in the middle without a partner goes on, at the end of the next list.

    References
    ----------
    Kijsirikul & Ussivakul, Multiclass support vector machines using adaptive directed acyclic graph, 2002.
    """

    def plan(self, bank: AnyBank) -> KnockoutPlan:
        """A bracket over all classes in their order."""
        self._require(bank, "pairs of classes")
        order = np.arange(bank.n_classes, dtype=np.int32)
        return KnockoutPlan(bank.n_classes, bank.machine_of, rule="bracket", order=order)
