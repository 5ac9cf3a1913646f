"""Bracket: a knockout tournament (ADAG)."""

from __future__ import annotations

import numpy as np

from ..machines.bank import AnyBank
from .base import Structure
from .plans import KnockoutPlan


class Bracket(Structure):
    """Knockout tournament over all classes.

    In each round the first class of a list meets the last, the second meets the second last, and so on. A class in the
    middle without an opponent goes to the next round. The winners, in the order of the first half of the list, form the
    next list; the class without an opponent comes last. Trains N(N-1)/2 machines and consults N-1. A class meets at most
    ⌈log2 N⌉ others, so it has fewer chances to lose than in a DDAG.

    See Also
    --------
    DDAG : The first class of a list against the last.
    AdaptiveDDAG : Opponents by how separable they are.

    References
    ----------
    Kijsirikul & Ussivakul, Multiclass support vector machines using adaptive directed acyclic graph, 2002.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure="bracket").fit(X, y)
    >>> print(clf.explain(X[149]))
    1. 2 beats 0 (1.09)
    2. 2 beats 1 (0.38, inside the margin)
    Answer: 2
    """

    def plan(self, bank: AnyBank) -> KnockoutPlan:
        """Return a knockout plan over the classes in their order."""
        self._require(bank, "pairs of classes")
        order = np.arange(bank.n_classes, dtype=np.int32)
        return KnockoutPlan(bank.n_classes, bank.machine_of, rule="bracket", order=order)
