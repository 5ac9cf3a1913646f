"""Adaptive DDAG: the most separable classes meet first."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from ..base.exceptions import InvalidParameterError
from ..base.pairs import pair_classes
from ..base.parameters import check_parameters, none, number
from ..base.typing import Array, Index
from ..machines.workshop import AnyWorkshop
from .base import Structure
from .plans import KnockoutPlan


class AdaptiveDDAG(Structure):
    """Elimination in an order that depends on the sample.

    The two most separable classes meet first. Then the winner meets, of the remaining classes, the one most separable from
    it, until one class is left. Trains N(N-1)/2 machines and consults N-1.

    Parameters
    ----------
    separation : {"dbtc", "fisher", "margin"} or array-like of shape (n_classes, n_classes), default="dbtc"
        How the separation of two classes is measured. "dbtc": squared distance of their means in kernel space (with the
        gamma of their pair, if each pair has its own). "fisher": Fisher ratio in feature space. "margin": width ``1/|w|``
        of the margin of their machine, which needs no training data. A symmetric matrix gives the separations directly.
    max_samples : int, optional
        For "dbtc": use at most this many samples of each class, spread evenly over it. By default all are used.

    See Also
    --------
    DDAG : One fixed order of the classes.
    Bracket : A tournament; no measure of separation is needed.

    References
    ----------
    Yu, Rhuma, Naqvi & Chambers, An improved DAGSVM, 2011.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure=dagmar.AdaptiveDDAG(separation="margin")).fit(X, y)
    >>> clf.decision_cost(X[:1]).machines.tolist()
    [2]
    """

    def __init__(self, separation: str | ArrayLike = "dbtc", max_samples: int | None = None) -> None:
        self.separation = separation
        self.max_samples = max_samples

    def build(self, workshop: AnyWorkshop) -> KnockoutPlan:
        """Train all pairs and rank the opponents of every class by separation."""
        n = workshop.n_classes
        given = self._given(n)  # first, so that an error is raised before anything is trained
        workshop.train_only(self.tasks(n))
        separation = self._measured(workshop) if given is None else given
        i, j = pair_classes(n)
        first = np.array([i[np.argmax(separation[i, j])]], dtype=np.int32)  # ties: the first pair
        ranked = np.argsort(-separation, axis=1, kind="stable")  # ties: the lower index
        rivals = ranked[ranked != np.arange(n)[:, None]].reshape(n, n - 1).astype(np.int32)
        return KnockoutPlan(n, workshop.bank.machine_of, rule="ranked", order=first, rivals=rivals)

    def _given(self, n: int) -> Array | None:
        """Check the parameters; return the matrix of separations, or None if they are to be measured."""
        check_parameters(
            type(self).__name__, self.get_params(), {"max_samples": none | number(1, np.inf, "left", Integral)}
        )
        if isinstance(self.separation, str) and self.separation in ("dbtc", "fisher", "margin"):
            return None
        try:
            given = np.array(self.separation, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.zeros(0)
        off = ~np.eye(n, dtype=bool)
        if given.shape != (n, n) or not np.array_equal(given[off], given.T[off]):
            raise InvalidParameterError(
                "The 'separation' parameter of AdaptiveDDAG must be a str among {'dbtc', 'fisher', 'margin'} or a symmetric "
                f"matrix of shape {(n, n)}. Got {self.separation!r} instead."
            )
        return given

    def _measured(self, workshop: AnyWorkshop) -> Array:
        if self.separation == "dbtc":
            return workshop.dbtc(self.max_samples)
        if self.separation == "fisher":
            return workshop.moments.fisher
        return _margins(workshop.norm2, workshop.bank.machine_of)


def _margins(norm2: Array, machine_of: Index) -> Array:
    """Return the width 1/|w| of the margin between every two classes; infinite for a machine without support vectors."""
    with np.errstate(divide="ignore"):
        width: Array = 1.0 / np.sqrt(np.maximum(norm2, 0.0))[machine_of]
    return width
