"""Max Wins: every pair of classes has one vote."""

from __future__ import annotations

from ..machines.bank import AnyBank
from .base import Structure
from .plans import KnockoutPlan


class MaxWins(Structure):
    """The class that wins most pairs; ties go to the lower index. LIBSVM and scikit-learn give the same answer.

    Trains N(N-1)/2 machines and consults between N-1 and all of them, on real data about 1.2 to 1.5 N. The answer is exact
    without consulting all: the number of losses of a class only grows, so when the class with the fewest losses has met
    all others, no other class can end with fewer.

    See Also
    --------
    AndGate : Asks all pairs.
    DDAG : N-1 machines in a fixed order.

    References
    ----------
    Friedman, Another approach to polychotomous classification, 1996.
    Park & Fürnkranz, Efficient pairwise classification, ECML 2007.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure=dagmar.MaxWins()).fit(X, y)
    >>> clf.decision_cost(X[:1]).machines.tolist()
    [2]
    """

    def plan(self, bank: AnyBank) -> KnockoutPlan:
        """Return a knockout plan in which the class with the fewest losses plays next."""
        self._require(bank, "pairs of classes")
        return KnockoutPlan(bank.n_classes, bank.machine_of)
