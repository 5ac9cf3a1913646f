"""Adaptive DDAG: the most separable pair first."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import InvalidParameterError
from ..plans import KnockoutPlan
from ..separation import dbtc
from ..typing import Array, Index
from ..workshop import Workshop
from .base import Structure


class AdaptiveDDAG(Structure):
    """Elimination in an order that the sample itself steers.

    The two most separable classes meet first; from then on the winner meets the one left over that is most separable from
    it. Trains N(N-1)/2 machines, consults N-1.

    Parameters
    ----------
    separation : {"dbtc", "fisher", "margin"} or array-like of shape (n_classes, n_classes), default="dbtc"
        How separable two classes are: by the distance of their means in kernel space, by the Fisher ratio in feature
        space, by the width 1/|w| of the margin of their machine (which looks at no data again), or as given.
    max_samples : int, optional
        For "dbtc", estimate from at most this many samples of a class, spread evenly over it; by default use all.

    References
    ----------
    Yu, Rhuma, Naqvi & Chambers, An improved DAGSVM, 2011.
    """

    def __init__(self, separation: str | ArrayLike = "dbtc", max_samples: int | None = None) -> None:
        self.separation = separation
        self.max_samples = max_samples

    def build(self, workshop: Workshop) -> KnockoutPlan:
        """Rank the rivals of every class by separation, once."""
        workshop.keep(workshop.train(self.tasks(workshop.n_classes)))
        n = workshop.n_classes
        separation = self._separation(workshop)
        i, j = np.triu_indices(n, k=1)
        first = int(i[np.argmax(separation[i, j])])  # ties: the first pair
        np.fill_diagonal(separation, -np.inf)
        rivals = np.argsort(-separation, axis=1, kind="stable")[:, : n - 1].astype(np.int32)  # ties: the lower index
        order = np.array([first], dtype=np.int32)
        return KnockoutPlan(n, workshop.bank.machine_of, rule="ranked", order=order, rivals=rivals)

    def _separation(self, workshop: Workshop) -> Array:
        n = workshop.n_classes
        if not isinstance(self.separation, str):
            given = np.array(self.separation, dtype=np.float64)
            if given.shape != (n, n) or not np.allclose(given, given.T) or np.isnan(given).any():
                raise InvalidParameterError(
                    f"The 'separation' parameter of AdaptiveDDAG must be a symmetric matrix of shape {(n, n)}. "
                    f"Got {self.separation!r} instead."
                )
            return given
        if self.separation == "dbtc":
            return dbtc(workshop.similarity(self.max_samples))
        if self.separation == "fisher":
            return workshop.moments.fisher()
        if self.separation == "margin":
            return _margins(workshop.norm2, workshop.bank.machine_of)
        raise InvalidParameterError(
            "The 'separation' parameter of AdaptiveDDAG must be a str among {'dbtc', 'fisher', 'margin'} or a matrix. "
            f"Got {self.separation!r} instead."
        )


def _margins(norm2: Array, machine_of: Index) -> Array:
    """Width 1/|w| of the margin between every two classes; infinite where a machine has no vectors at all."""
    with np.errstate(divide="ignore"):
        width: Array = 1.0 / np.sqrt(np.maximum(norm2, 0.0))[machine_of]
    return width
