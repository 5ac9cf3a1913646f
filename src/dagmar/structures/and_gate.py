"""AND gate: the answer is the class that wins all its pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.pairs import pair_classes
from ..base.typing import Array, Index
from ..machines.bank import AnyBank
from .base import Structure
from .plans import KnockoutPlan


class AndGate(Structure):
    """The class that wins all its N-1 pairs; if there is none, the class that wins most (Max Wins).

    Trains and consults N(N-1)/2 machines. `unanimous` returns which samples have a class that wins all its pairs. For the
    other samples the published AND gate gives no answer.

    See Also
    --------
    MaxWins : The same answers from fewer machines.

    References
    ----------
    Knerr, Personnaz & Dreyfus, Single-layer learning revisited, 1990.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure="and_gate").fit(X, y)
    >>> bool(dagmar.AndGate.unanimous(clf.pair_decisions(X), 3).all())
    True
    """

    def plan(self, bank: AnyBank) -> KnockoutPlan:
        """Return a plan that consults every pair."""
        self._require(bank, "pairs of classes")
        return KnockoutPlan(bank.n_classes, bank.machine_of, rule="everyone")

    @staticmethod
    def unanimous(values: Array, n_classes: int) -> NDArray[np.bool_]:
        """Return, for each sample, whether one class wins all its pairs.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_classes * (n_classes - 1) / 2)
            The values of all pairs, from `SVC.pair_decisions`.
        n_classes : int

        Returns
        -------
        ndarray of shape (n_samples,), bool
        """
        unanimous: NDArray[np.bool_] = (AndGate.wins(values, n_classes) == n_classes - 1).any(axis=1)
        return unanimous

    @staticmethod
    def wins(values: Array, n_classes: int) -> Index:
        """Return how many pairs each class wins.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_classes * (n_classes - 1) / 2)
            The values of all pairs, from `SVC.pair_decisions`.
        n_classes : int

        Returns
        -------
        ndarray of shape (n_samples, n_classes), int
        """
        i, j = pair_classes(n_classes)
        winner = np.where(values >= 0, j, i)
        return np.stack([(winner == c).sum(axis=1) for c in range(n_classes)], axis=1)
